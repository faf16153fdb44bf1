"""Secrets that the layout of a text gives away: tables, INSERT, calls, tokens on two lines.

`secret_contexts` finds what stands beside a word on a line; here a heading, a column or the place
among the arguments tells.
"""

import re
from collections.abc import Iterator, Sequence

from daily_memory.core import secret_words as words
from daily_memory.core.finding import Finding, View, windows
from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.secret_rules import is_token
from daily_memory.core.secret_words import HINT, PASSWORD

# The names of columns in Chinese.
_COLUMN_ZH = lazy_pattern(r"密码|口令|密钥|秘钥|令牌|私钥|提取码|授权码")
_TABLE_RULE = lazy_pattern(r"^[ \t>]{0,8}\|?[ \t]{0,9}:?-{2,}[ :|-]{0,400}$", re.MULTILINE)
_TABLE_EDGES = ("|-", "| -", "|:-", "| :-", "-|", "- |")
_MOST_ROWS = 500
_MOST_LINE = 2_000
_CELL = lazy_pattern(r"[^|]{0,2000}")
_CELL_EDGE = " \t`*\"'"

_CSV_HEAD = lazy_pattern(
    r"^(?P<head>[A-Za-z_ ]{2,40}(?P<sign>[,;\t])[A-Za-z_ ]{2,40}(?:(?P=sign)[A-Za-z_ ]{2,40}){0,20})\r?\n",
    re.MULTILINE,
)

_INSERT = lazy_pattern(
    r"insert\s{1,9}(?:ignore\s{1,9})?into\s{1,9}[\w.`\"\[\]]{1,128}\s{0,9}\((?P<names>[^()]{1,2000})\)\s{0,9}"
    r"values\s{0,9}(?P<rows>\()",
    re.IGNORECASE | re.ASCII,
)
_SQL_VALUE = lazy_pattern(
    r"\s{0,9}(?:'(?P<text>(?:[^'\\\n]|\\.|''){0,2000})'|[^,'()]{1,200}|\([^()]{0,200}\))\s{0,9}"
)

_CALL = lazy_pattern(
    r"""(?:mysqli|pdo|wifi\.begin|jwt\.(?:sign|encode|verify|decode)|fernet|aes\.new|hmac\.new|cipher|connect|connection|log_?in|sign_?in|auth|authenticate|credentials?|client|bot|api|session
         |basic_?auth|digest_?auth|set_?user|password_?authentication|with_?basic|create_?user
         |add_?user|password\w{0,24}token)(?:\s{0,2}=?\s{0,2}\(|\s{0,2}[:=]\s{0,2}\[)(?P<inside>[^()\[\]\n]{3,400})[)\]]""",
    re.VERBOSE,
)
_CALL_TRIGGERS = (
    "connect",
    "log",
    "sign",
    "auth",
    "credential",
    "client(",
    "bot(",
    "api(",
    "user",
    "mysqli",
    "pdo(",
    "wifi.begin",
    "jwt.",
    "fernet(",
    "aes.",
    "hmac.",
    "cipher(",
    "passwordauth",
)
_TEXT_ARGUMENT = lazy_pattern(
    r"""(?<![\w=:.])\s?[bru]?(?:"(?P<a>[^"]{0,256})"|'(?P<b>[^']{0,256})')\s?(?![\w=:.])"""
)
# A connection string is judged part by part elsewhere.
_PAIRS = lazy_pattern(r"\w=[^;]{0,200};")
_LEAST, _LEAST_KEY = 4, 16

# PuTTY tells how many lines of the key follow.
_PUTTY = lazy_pattern(
    r"Private-Lines:[ \t]{0,9}[0-9]{1,4}\r?\n(?=[A-Za-z0-9+/=]{16,100}[ \t\r]{0,3}$)", re.MULTILINE
)
_PUTTY_LINE = lazy_pattern(r"[A-Za-z0-9+/=]{4,100}[ \t\r]{0,3}(?:\n|\Z)")

# A token cut by the end of a line: how it begins, and a rest that is alone on its line.
_CUT = lazy_pattern(
    r"""(?<![A-Za-z0-9])(?P<head>(?:gh[pousr]_|github_pat_|gl[a-z]{2,5}-|AKIA|ASIA|LTAI|AKID|AIza|sk-|[sr]k_(?:live|test)_|xox[a-z]-
          |xapp-|npm_|pypi-|hf_|SG\.|eyJ|dapi|shp[a-z]{2}_|hv[sbr]\.|do[por]_v1_|gsk_|glsa_|ntn_|figd_
          |lin_api_|whsec_|rk_|ya29\.|GOCSPX-|dckr_pat_|AGE-SECRET-KEY-)[\w.=+/-]{0,400})
        [ \t]{0,4}\\?\r?\n[ \t>|]{0,20}(?P<rest>[\w.=+/-]{4,400})""",
    re.VERBOSE | re.ASCII,
)
_CUT_TRIGGERS = (
    "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- glcbt- glptt- akia asia ltai akid aiza sk- sk_ rk_ xox xapp- npm_ pypi-"
    " hf_ sg. eyj dapi shpat_ shpss_ shpca_ shppa_ hvs. hvb. hvr. _v1_ gsk_ ntn_ figd_ lin_api_ whsec_ ya29. gocspx- dckr_pat_"
    " age-secret-key-"
).split(" ")


def layout_findings(view: View) -> Iterator[Finding]:
    """Yield the secrets that a table, an INSERT, a call or two lines give away."""
    if "\n" in view.text:
        yield from _table_findings(view.text)
        yield from _csv_findings(view.text)
        yield from _cut_findings(view)
        yield from _putty_findings(view)
    yield from _insert_findings(view)
    yield from _call_findings(view)


# ---------------------------------------------------------------------------- tables


def _table_findings(text: str) -> Iterator[Finding]:
    if not any(edge in text for edge in _TABLE_EDGES):
        return
    done = 0
    for rule in _TABLE_RULE.finditer(text):
        if rule.start() < done:
            continue
        head = text[max(0, rule.start() - _MOST_LINE) : max(0, rule.start() - 1)]
        columns = _secret_columns(
            head[head.rfind("\n") + 1 :].strip(" \t>\r").strip("|").split("|")
        )
        if columns:
            done = _table_end(text, rule.end() + 1)
            yield from _cells(text, rule.end() + 1, columns)


def _table_end(text: str, position: int) -> int:
    """Return where the first line without a column begins, or the one after so many."""
    for _ in range(_MOST_ROWS):
        end = text.find("\n", position)
        if "|" not in text[position : end if end >= 0 else len(text)]:
            return position
        if end < 0:
            return len(text)
        position = end + 1
    return position


def _cells(text: str, position: int, columns: Sequence[tuple[int, int]]) -> Iterator[Finding]:
    for _ in range(_MOST_ROWS):
        end = text.find("\n", position, position + _MOST_LINE)
        line = text[position : end if end >= 0 else position + _MOST_LINE]
        if "|" not in line:
            return
        first = position + len(line) - len(line.lstrip(" \t>|"))
        starts = [first]
        starts += [
            position + match.end()
            for match in re.finditer(r"\|", line)
            if position + match.end() > first
        ]
        for number, promise in columns:
            if number < len(starts):
                stop = starts[number + 1] - 1 if number + 1 < len(starts) else position + len(line)
                yield from _judged(text, starts[number], stop, promise)
        if end < 0:
            return
        position = end + 1


def _csv_findings(text: str) -> Iterator[Finding]:
    for head in _CSV_HEAD.finditer(text):
        sign = head["sign"]
        names = head["head"].split(sign)
        columns = _secret_columns(names)
        position = head.end()
        while columns:
            end = text.find("\n", position, position + _MOST_LINE)
            line = text[position : end if end >= 0 else position + _MOST_LINE]
            fields = line.split(sign)
            if len(fields) != len(names):
                break
            for number, promise in columns:
                start = position + sum(len(field) + 1 for field in fields[:number])
                yield from _judged(text, start, start + len(fields[number]), promise)
            if end < 0:
                break
            position = end + 1


def _secret_columns(names: Sequence[str]) -> list[tuple[int, int]]:
    """Return the number and the promise of each column whose name promises a secret."""
    promises = [
        PASSWORD if _COLUMN_ZH.search(name) else words.promise_of(name.strip(_CELL_EDGE))
        for name in names
    ]
    return [(number, promise) for number, promise in enumerate(promises) if promise > HINT]


def _judged(text: str, start: int, stop: int, promise: int) -> Iterator[Finding]:
    """Yield what stands between the places, less its edges, if it is a secret."""
    cell = text[start:stop]
    value = cell.strip(_CELL_EDGE + "\r")
    start += len(cell) - len(cell.lstrip(_CELL_EDGE))
    told = (
        words.is_spoken_password(value)
        if promise == PASSWORD
        else words.is_secret(value, promise, quoted=False)
    )
    if told and " " not in value:
        yield Finding(start, start + len(value), "password" if promise == PASSWORD else "secret")


# ---------------------------------------------------------------------------- code


def _insert_findings(view: View) -> Iterator[Finding]:
    if "insert" not in view.lowered:
        return
    for insert in _INSERT.finditer(view.text):
        columns = dict(_secret_columns(insert["names"].split(",")))
        position, number = insert.end(), 0
        while columns and (value := _SQL_VALUE.match(view.text, position)):
            if value["text"] is not None and number in columns:
                start = value.start("text")
                yield from _judged(view.text, start, value.end("text"), columns[number])
            position = value.end()
            after = view.text[position : position + 1]
            number = 0 if after == ")" else number + 1
            if after == ")":
                following = re.compile(r"\)\s{0,9},\s{0,9}\(").match(view.text, position)
                if not following:
                    break
                position = following.end()
            else:
                position += 1


def _call_findings(view: View) -> Iterator[Finding]:
    for span in windows(view, _CALL_TRIGGERS):
        for call in _CALL.finditer(view.lowered, *span):
            start, stop = call.span("inside")
            for number, value in enumerate(_TEXT_ARGUMENT.finditer(view.text, start, stop)):
                group = "a" if value["a"] is not None else "b"
                if _is_argument(value[group], alone=number == 0):
                    yield Finding(*value.span(group), "password")


def _is_argument(value: str, *, alone: bool) -> bool:
    """Tell whether a text among the arguments is a secret; the first is one only if random."""
    if (
        len(value) < _LEAST
        or " " in value
        or "/" in value[:8]
        or _PAIRS.search(value)
        or words.is_placeholder(value)
    ):
        return False
    if alone or words.is_random(value, _LEAST_KEY):
        return words.is_random(value, _LEAST_KEY)
    return words.is_human_password(value) or (
        words.is_spoken_password(value) and not words.is_wordy(value) and "-" not in value
    )


# ---------------------------------------------------------------------------- lines


def _cut_findings(view: View) -> Iterator[Finding]:
    for span in windows(view, _CUT_TRIGGERS):
        for match in _CUT.finditer(view.text, *span):
            head, rest = match["head"], match["rest"]
            if not words.is_wordy(rest) and is_token(head + rest):
                yield Finding(*match.span("head"), "token")
                yield Finding(*match.span("rest"), "token")


def _putty_findings(view: View) -> Iterator[Finding]:
    if "private-lines:" not in view.lowered:
        return
    for head in _PUTTY.finditer(view.text):
        position = head.end()
        while line := _PUTTY_LINE.match(view.text, position):
            position = line.end()
        yield Finding(head.end(), position, "private_key")
