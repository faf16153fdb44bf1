"""Secrets that the layout of a text reveals: tables, INSERT, calls, cookies, cut tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.redaction import words
from daily_memory.core.redaction.tokens import RULES as TOKEN_RULES
from daily_memory.core.redaction.tokens import token_findings
from daily_memory.core.redaction.view import Redaction, View, has_any, view_of
from daily_memory.core.redaction.words import HINT, PASSWORD
from daily_memory.core.triggers import Search

# The names of columns in other languages.
_COLUMNS_ABROAD = (
    *("密码", "口令", "密钥", "秘钥", "令牌", "私钥", "提取码", "授权码", "パスワード", "비밀번호"),
    *words.ABROAD.split("  "),
)
_CELL_EDGE = " \t\r>`*\"'"
_MOST_ROWS = 500
_MOST_LINE = 2_000
# Where the rows of a table begin, the names of its columns, the sign between them, and how many
# cells a row has at least.
_Head = tuple[int, list[str], str, int]

# What a rule of a Markdown table has and other text seldom.
_TABLE_EDGES = ("|-", "| -", "|:-", "| :-", "-|", "- |", "+--")
_TABLE_RULE = lazy_pattern(
    r"^[ \t>]{0,8}[|+]?[ \t]{0,9}:?-{2,}[ :|+-]{0,400}(?:\r?\n|\Z)", re.MULTILINE
)
_CSV_HEAD = lazy_pattern(
    r"""^(?P<head>[A-Za-z_ ]{2,40}(?P<sign>[,;\t])[A-Za-z_ ]{2,40}
        (?:(?P=sign)[A-Za-z_ ]{2,40}){0,20})\r?\n""",
    re.MULTILINE | re.VERBOSE,
)

_INSERT = lazy_pattern(
    r"""insert\s{1,9}(?:ignore\s{1,9})?into\s{1,9}[\w.`"\[\]]{1,128}\s{0,9}
        \((?P<names>[^()]{1,2000})\)\s{0,9}values\s{0,9}\(""",
    re.IGNORECASE | re.ASCII | re.VERBOSE,
)
_SQL_VALUE = lazy_pattern(
    r"""\s{0,9}(?:'(?P<text>(?:[^'\\\n]|\\.|''){0,2000})'|[^,'()]{1,200}(?:\([^()]{0,200}\))?)
        \s{0,9}(?:,|(?P<next>\)\s{0,9},\s{0,9}\()|(?P<end>\)|\Z))""",
    re.VERBOSE,
)

# What takes a name and a password, or a key, in that order; and what takes a key in the clear
# beside the name of an algorithm.
_CALL = lazy_pattern(
    r"""(?:(?P<crypto>jwt\.(?:sign|encode|verify|decode)|create_?(?:hmac|(?:de)?cipher(?:iv)?
          |secretkey)|hash_hmac|hmac(?:\.(?:new|create)|sha[0-9]{1,3})|(?:hex|base64)?digest
          |secretkeyspec)
         |mysqli|pdo|wifi\.begin|fernet|aes\.new|cipher|connect|connection|log_?in|sign_?in|auth
         |authenticate|credentials?|client|bot|api|session|basic_?auth|digest_?auth|set_?user
         |password_?authentication|with_?basic|create_?user|add_?user|password\w{0,24}token)
        (?:\s{0,2}=?\s{0,2}\(|\s{0,2}[:=]\s{0,2}\[)""",
    re.VERBOSE,
)
_CALL_TRIGGERS = (
    *("connect", "log", "sign", "auth", "credential", "client(", "bot(", "api(", "user", "mysqli"),
    *("pdo(", "wifi.begin", "jwt.", "fernet(", " aes.", "hmac", "cipher", "secretkey"),
)
_LITERAL = lazy_pattern(
    r"""(?<![\w=:.])(?<!:\s)(?<!\w\[)\s?[bru]?(?P<q>["'])(?P<v>[^"'\n]{1,256})(?P=q)(?!\s?[\w=:])"""
)
_MOST_CALL, _MOST_DEPTH = 400, 8
_BRACKET = lazy_pattern(r"[()\[\]\n]")
# Of the names of encodings, those that might be passwords.
_ENCODINGS = frozenset(("latin1", "binary", "buffer"))
# Other rules judge the parts of a connection string.
_PAIRS = lazy_pattern(r"\w=[^;]{0,200};")
_LEAST_KEY = 16

# A token cut by the end of a line: how one begins, and the rest that begins the next line.
_CUT_HEADS = (
    *[trigger for trigger in TOKEN_RULES.triggers if len(trigger) > 3],
    *("sk-", "hf_", "xox", "sg.", "eyj"),
)
_MOST_PLACES, _LONGEST_PREFIX = 40, 16
_CUT = lazy_pattern(
    r"""(?<![A-Za-z0-9])(?P<head>[\w.=+/-]{3,400})[ \t]{0,4}\r?\n
        [ \t>|]{0,20}(?P<rest>[\w.=+/-]{4,400})""",
    re.VERBOSE | re.ASCII,
)


def _table_findings(view: View) -> Iterator[Redaction]:
    """Yield the secrets in the columns whose names promise one."""
    text = view.text
    for heads in (_markdown_heads(text), _csv_heads(text)):
        done = 0
        for place, names, sign, least in heads:
            columns = _secret_columns(names) if place >= done else []
            for start, cells in _rows(text, place, sign, least) if columns else ():
                done = start + 1
                for number, promise in columns:
                    if number < len(cells):
                        first = start + sum(len(cell) + 1 for cell in cells[:number])
                        yield from _judged(text, first, first + len(cells[number]), promise)


def _markdown_heads(text: str) -> Iterator[_Head]:
    at = text.find("--") if has_any(text, _TABLE_EDGES) else -1
    while at >= 0:
        rule = _TABLE_RULE.match(text, text.rfind("\n", 0, at) + 1)
        if rule:
            above = text[max(0, rule.start() - _MOST_LINE) : max(0, rule.start() - 1)]
            yield rule.end(), above[above.rfind("\n") + 1 :].split("|"), "|", 2
        end = text.find("\n", at)
        at = text.find("--", end) if end >= 0 else -1


def _csv_heads(text: str) -> Iterator[_Head]:
    for head in _CSV_HEAD.finditer(text) if has_any(text, ",;\t") else ():
        names = head["head"].split(head["sign"])
        yield head.end(), names, head["sign"], len(names)


def _rows(text: str, position: int, sign: str, least: int) -> Iterator[tuple[int, list[str]]]:
    """Yield where each line begins and its cells, up to the first with fewer than `least`."""
    for _ in range(_MOST_ROWS):
        end = text.find("\n", position, position + _MOST_LINE)
        end = end if end >= 0 else min(len(text), position + _MOST_LINE)
        cells = text[position:end].split(sign)
        if len(cells) < least:
            return
        yield position, cells
        position = end + 1


def _secret_columns(names: Sequence[str]) -> list[tuple[int, int]]:
    """Return the number and the promise of each column whose name promises a secret."""
    promises = [
        PASSWORD
        if has_any(name.lower(), _COLUMNS_ABROAD)
        else words.promise_of(name.strip(_CELL_EDGE))
        for name in names
    ]
    return [(number, promise) for number, promise in enumerate(promises) if promise > HINT]


def _judged(text: str, start: int, end: int, promise: int) -> Iterator[Redaction]:
    """Yield the text between the places, without its edges, if it is a secret."""
    cell = text[start:end]
    value = cell.strip(_CELL_EDGE)
    start += len(cell) - len(cell.lstrip(_CELL_EDGE))
    if " " in value:
        return
    if promise == PASSWORD and words.is_spoken_password(value):
        yield Redaction(start, start + len(value), "password")
    elif promise != PASSWORD and words.is_secret(value, promise, quoted=False):
        yield Redaction(start, start + len(value), "secret")


def _insert_findings(view: View) -> Iterator[Redaction]:
    for insert in _INSERT.finditer(view.text):
        columns = dict(_secret_columns(insert["names"].split(",")))
        position, number = insert.end(), 0
        while columns and (value := _SQL_VALUE.match(view.text, position)):
            if value["text"] is not None and number in columns:
                yield from _judged(view.text, *value.span("text"), columns[number])
            if value["end"] is not None:
                break
            position, number = value.end(), 0 if value["next"] else number + 1


def _call_findings(view: View) -> Iterator[Redaction]:
    # Most notes have such words without a bracket, and skip the pattern.
    for span in view.near(_CALL_TRIGGERS) if has_any(view.text, "([") else ():
        for call in _CALL.finditer(view.lowered, *span):
            depth = _MOST_DEPTH if call["crypto"] else 1
            end = _call_end(view.text, call.end(), depth)
            is_first = True
            for literal in _LITERAL.finditer(view.text, call.end(), end):
                value, place = literal["v"], literal.span("v")
                if call["crypto"] and _is_key(value):
                    yield Redaction(*place, "secret")
                    break
                if not call["crypto"] and _is_argument(value, first=is_first):
                    yield Redaction(*place, "password")
                is_first = False


def _call_end(text: str, start: int, most: int) -> int:
    """Return where the arguments end that begin at `start`; `start` if brackets are too deep."""
    depth, last = 1, min(len(text), start + _MOST_CALL)
    for sign in _BRACKET.finditer(text, start, last):
        depth += 1 if sign[0] in "([" else -1
        if depth > most:
            return start
        if not depth or sign[0] == "\n":
            return sign.start()
    return last


def _is_key(value: str) -> bool:
    return (
        value.lower() not in _ENCODINGS
        and not words.is_code(value)
        and not words.is_constant(value)
        and words.is_secret(value, PASSWORD, quoted=True)
    )


def _is_argument(value: str, *, first: bool) -> bool:
    """Tell whether a text among the arguments is a secret; the first is one only if random."""
    if " " in value or "/" in value[:8] or _PAIRS.search(value):
        return False
    if words.is_placeholder(value):
        return False
    if first or words.is_random(value, _LEAST_KEY):
        return words.is_random(value, _LEAST_KEY)
    return words.is_human_password(value) or (
        words.is_spoken_password(value) and not words.is_wordy(value) and "-" not in value
    )


def _cut_findings(view: View) -> Iterator[Redaction]:
    for span in view.near(_CUT_HEADS):
        for match in _CUT.finditer(view.text, *span):
            start = _token_start(match["head"].lower())
            head, rest = match["head"][start:], match["rest"]
            is_name = len(head) > _LONGEST_PREFIX and words.is_wordy(head)
            if start < 0 or is_name or words.is_wordy(rest):
                continue
            token = head + rest
            found = token_findings(view_of(token))
            if any((first, last) == (0, len(token)) for first, last, _ in found):
                yield Redaction(match.start("head") + start, match.end("head"), "token")
                yield Redaction(*match.span("rest"), "token")


def _token_start(head: str) -> int:
    """Return where a token begins in the last word of a line, in lower case; -1 for nowhere."""
    places = [0, *[place for place, letter in enumerate(head, 1) if not letter.isalnum()]]
    likely = places[:_MOST_PLACES]
    return next((place for place in likely if head.startswith(_CUT_HEADS, place)), -1)


_COOKIE = lazy_pattern(
    r"""(?:\b(?:set-)?cookies?\\?["']?\s{0,4}[:=]\s{0,4}\\?|(?<=-)(?:cookie|b)\s)["'`]?
        (?P<v>[^\n"'`]{3,8000})""",
    re.IGNORECASE | re.ASCII | re.VERBOSE,
)
_COOKIE_TRIGGERS = ("cookie", "curl")
_COOKIE_PAIR = lazy_pattern(
    r"""(?P<name>[\w.%-]{1,128})=(?P<v>[^\s;,"'，。；]{6,4000})""", re.ASCII | re.VERBOSE
)
_COOKIE_NAME = lazy_pattern(
    r"sess|sid|token|auth|jwt|csrf|xsrf|remember|login|user|uid|id$|key|ticket|sso", re.IGNORECASE
)


def _cookie_findings(view: View) -> Iterator[Redaction]:
    for span in view.near(_COOKIE_TRIGGERS):
        for header in _COOKIE.finditer(view.text, *span):
            for pair in _COOKIE_PAIR.finditer(view.text, *header.span("v")):
                if _is_cookie(pair["name"], pair["v"]):
                    yield Redaction(*pair.span("v"), "cookie")


def _is_cookie(name: str, value: str) -> bool:
    """Tell whether a cookie lets somebody in, and not only says `theme=dark`."""
    if len(value) < 8 or words.is_placeholder(value):
        return False
    named = _COOKIE_NAME.search(name) and any(map(str.isdigit, value))
    return bool(named) or words.is_random(value)


SEARCHES = (
    Search(_table_findings, several_lines=True),
    Search(_cut_findings, _CUT_HEADS, several_lines=True),
    Search(_insert_findings, ("insert",)),
    Search(_call_findings, _CALL_TRIGGERS),
    Search(_cookie_findings, _COOKIE_TRIGGERS),
)
