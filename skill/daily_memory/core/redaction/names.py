"""Secrets that only their surroundings tell: `password = …`, headers, URLs, commands, prose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.redaction import words
from daily_memory.core.redaction.contexts import context_findings, decoded
from daily_memory.core.redaction.layouts import layout_findings
from daily_memory.core.redaction.tokens import token_findings
from daily_memory.core.redaction.view import MARK, Finding, View, has_any, view_of
from daily_memory.core.redaction.words import HINT, NOTHING, PASSWORD
from daily_memory.named_tuples import NamedTuple

# ---------------------------------------------------------------------------- names and values

# The stems of names; a look at the whole name decides (`promise_of`).
# Each alternative begins with a letter, never with a look behind it: that makes the search quick.
_SHORT_STEMS = (
    "pw",
    "ak",
    "sk",
    "pin",
    "otp",
    "sid",
    "sig",
    "seed",
    "cvv",
    "dsn",
    "pat",
    "salt",
    "nonce",
)
_STEM_HINTS = (
    *("pass", "pwd", "psw", "psk", "secret", "token", "key", "cred", "auth", "cookie", "bearer"),
    *("mnemonic", "webhook", "sess", "kennwort", "jwt", "signature", "bindpw", "rootpw"),
    *_SHORT_STEMS,
)
_STEM = lazy_pattern(
    r"pass|pwd|psw|psk|secret|token|key|cred|auth(?!or[^i])|cookie|bearer|mnemonic|webhook|sess"
    r"|kennwort|jwt|signature|bindpw|rootpw|"
    + "|".join(rf"{stem}(?<![a-z]{stem})(?![a-z])" for stem in _SHORT_STEMS)
)
_STEM_ZH = lazy_pattern(
    r"""
      密\s?码|密\s?碼|口\s?令|密\s?[钥鑰匙]|私\s?[钥鑰匙]|秘\s?[钥鑰匙]|金\s?[钥鑰匙]|令牌|权杖
    | 凭[证据]|憑證|助记词|暗号|授权码|验证码|校验码|动态码|提取码|访问码|激活码|安全码|注册码
    | 邀请码|兑换码|恢复码|解锁码|解压码|取件码|门禁码|序列号|卡密|パスワード|暗証番号|비밀번호
    """,
    re.VERBOSE,
)
# One of these stands in each: most texts have none, and need not wait for the pattern.
_HINTS_ZH = (
    *"码碼令钥鑰匙杖凭憑",
    "助记词",
    "暗号",
    "序列号",
    "卡密",
    "パスワード",
    "暗証番号",
    "비밀번호",
)
_NAME_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
# What most often stands around a name; to look no further is quicker.
_NAME_ENDS = frozenset(("", " ", "\n", ":", "=", '"', "'"))
_MOST_NAME = 64
_MARK_BEGIN = "[REDACTED:"

# What stands between a name and its value, the more telling forms first.
_BETWEEN = lazy_pattern(
    r"""
      (?P<pair>["']?\s{0,9},?\s{0,9}(?:-\s)?["']?
        \b(?:value|content|default)["']?\s{0,3}[:=]\s{0,3}(?=["'\w]))
                                                          # name: X, value: "…"
    | (?P<default>"\s{0,3}\{\s{0,9}
        (?:(?:type|description|sensitive)\s{0,9}=[^\n]{0,120}\n\s{0,9}){0,4}
        default\s{0,9}=\s{0,3}(?="))                      # variable "x" { default = "…"
    | (?P<typed>[?!]?\s?:\s?[A-Za-z_][A-Za-z0-9_.\[\]|?<>\ ]{0,40}?\s?=\s?(?=["'`]))
                                                          # x: str = "…"
    | (?P<go>\ (?:string|\[\]byte)\s?=\s?(?=["`]))
    | (?P<list>["']?\s?[:=]\s?(?:\[\s?(?=["'])              # x: ["…", "…"], "x": {"…"}
        |(?:\[\]string)?\{\s?(?=(?:"[^"\n]{0,4000}"|'[^'\n]{0,4000}')\s?[,}])))
    | (?P<dash>["'`*]{0,2}[ ]?(?:→|—{1,2}|–|-{1,2})[ ])         # x — …
    | (?P<heading>[:：*\#`\]]{0,4}[ \t]{0,4}\r?\n(?:(?![ \t])|[ \t]{0,4}\r?\n[ \t]{0,4})
        (?:```\w{0,12}\r?\n)?(?:[-*>][ ])?(?=[^\s:：=]{4,256}[ \t]{0,9}(?:\r?\n|\Z)))
                                                          # a line of its own
    | (?P<sign>\\*(?:["'`\])*]{0,3}|%22|&quot;|&\#34;)[?!]?
        (?:[ ]?[(（][^)）\n]{1,30}[)）]|[ ]for[ ][\w.@'-]{1,40}(?=[:：]))?[ \t]{0,20}
                                                          # "x": …
        (?:[:!=]==?|=>|->|:=|\?=|\+=|[:=：＝]|%3[ad]|&\#(?:58|61);)\**[ \t]{0,20}
        (?:(?:[|>][+-]?[ \t]{0,9})?\r?\n[ \t]{1,40})?(?:[bBrRuUfFN]{1,2}(?=["']))?)
    | (?P<next>\\*["']\s{0,3},\s{0,3}(?=\\*["']))         # ("x", "…")
    | (?P<call>\(\s?(?=["'`]))                            # setX("…")
    | (?P<tag>["']?>[ \t]{0,9}(?:<!\[CDATA\[)?(?=[^<\s]))                 # <x>…</x>
    | (?P<cell>[`*]{0,2}[ \t]{0,9}\|[ \t]{0,9})            # | x | … |
    | (?P<prose>(?:['’]s(?=[ ])
        |["'`]?(?:[ ](?:for|of|on|to|in|at|used\ by|from)[ ][^\n.,;:=]{1,40}?)?
        (?:[ ][(（][^)）\n]{1,30}[)）])?,?
        [ ](?:is|was|are|has\ been|(?:will|should|must)\ be|becomes|now|=|it's)
        )(?:[ ](?:now|still|currently|just|set\ to|changed\ to|reset\ to|going\ to\ be))?
        [ ]?:?[ ]?)
    | (?P<zh>[ ]?(?:是|为|改成|改为|设为|用|填)[ ]?)          # token 是 …
    | (?P<to>[ ](?:(?:changed|set|reset|updated|switched|equal)[ ])?to[ ])
    | (?P<blank>[ \t]{1,4})
    """,
    re.VERBOSE | re.IGNORECASE,
)
_BETWEEN_ZH = lazy_pattern(
    r"""
    (?P<filler>[^\n，。；,;!?！？:：=A-Za-z0-9]{0,12}?(?:[(（\[【][^)）\]】\n]{0,20}[)）\]】])?)
    (?P<sign>[:：*`]{0,4}[ \t]{0,4}\r?\n[ \t]{0,4}(?:\r?\n)?(?:```\w{0,12}\r?\n)?(?:[-*>][ ])?
       (?=[^\s:：=，。]{4,256}[ \t]{0,9}(?:\r?\n|\Z))        # a line of its own
     |[*`"']{0,2}\s?(?:->|=>|→|[—–-]{1,2}(?=\s)|[:：=|])\**\s{0,4}
     |(?:是|为|為|成|到|叫|用|填|给你|如下|发你|:)了?\s{0,3}[:：]?\s{0,3}
     |[ \t]{1,3}|(?=[“"'`「『（(])|(?P<none>(?=[!-~])))
    """,
    re.VERBOSE,
)
_ABOUT_ZH = lazy_pattern(
    "哈希|摘要|加密|规则|策略|长度|位数|强度|正则|格式|算法|类型|字段|参数|文件|路径"
    "|链接|页面|错误|校验|名称|变量|管理|时间|过期|有效期|次数|数量|周期|间隔|限制|上限|超时"
    "|接口|版本|桶"
)
# What makes the digits before it an amount.
_UNIT_ZH = lazy_pattern(r"\s?(?:[位次个秒分天条字种年月日人元页行小]|[kKmM]?[sSbB]\b|qps|%|[./])")

_QUOTES = {"“": "”", "‘": "’", "「": "」", "『": "』", "《": "》", "（": "）", "(": ")", "【": "】"}
_QUOTED = lazy_pattern(
    r"""
      "(?P<a>(?:[^"\\\n]|\\.){0,8000})"
    | '(?P<b>(?:[^'\\\n]|\\.){0,8000})'
    | `(?P<c>[^`\n]{0,8000})`
    | (?P<slash>\\+["']|%22|&quot;|&\#34;)(?P<d>[^\n]{0,8000}?)(?P=slash)
    """,
    re.VERBOSE,
)
# ASCII without blanks, quotes and the signs that end a value in every language at hand.
_BARE = lazy_pattern(
    r"""
    (?: [!#$%&()*+\-./0-9:=?@A-Z\[\]^_a-z{|}~]
      | ,(?=[A-Za-z0-9!@\#$%^&*])(?![A-Za-z_][A-Za-z0-9_]{0,64}[=:])
      | \\(?![nrt"'\\])
    ){1,256}
    """,
    re.VERBOSE,
)
# What is left before a value whose quotes have no end.
_LEAD = lazy_pattern(r"[\"'`*\\“‘「『《（(【]*")
_OPENING = frozenset("\"'`*\\%&").union(_QUOTES)


# A value is judged by so much of it; the rest of a longer one is hidden with it.
_MOST_JUDGED = 256
_REST = lazy_pattern(r"[!#$%&*+\-./0-9:=?@A-Z^_a-z~|]*")
# So many names without a blank between them are no text that anybody wrote.
_MOST_NAMES = 6


_PLAIN_WORD = lazy_pattern(
    r" (?!(?:is|was|should|must|are|has|will|becomes|now|to|changed|set|reset|updated|switched"
    r"|equal|for|of|on|in|at|used|from|string|byte)\b)[A-Za-z][a-z]{1,40}[ \n]"
)


class Value(NamedTuple):
    """A candidate: where it stands, its text, whether quotes told its ends, what led to it.

    There may be one for each word of a text: made by places it takes a third of the time.
    """

    start: int
    text: str
    quoted: bool
    form: str = ""

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def credential_findings(view: View) -> Iterator[Finding]:
    """Yield the secrets that a name, a header, a URL, a command or a sentence gives away."""
    yield from _named_values(view)
    yield from _named_values_zh(view)
    yield from _near_values(view)
    yield from context_findings(view)
    yield from layout_findings(view)
    if "\n" in view.text:  # where none ends, no command has printed: most prompts need not load it
        from daily_memory.core.redaction.command_output import output_findings

        yield from output_findings(view)
    yield from _cookie_findings(view)
    yield from _pem_findings(view)
    yield from _encoded_findings(view)


def _named_values(view: View) -> Iterator[Finding]:
    position, run_end, names = 0, -1, 0
    hints = view.batch.present(_STEM_HINTS)
    # Test runners print "8 passed", and no secret is named so.
    if not hints or not has_any(view.lowered.replace("passed", ""), hints):
        return
    while stem := _STEM.search(view.lowered, position):
        start, end = _name_around(view.text, stem)
        promise = _promise(view.text, start, end)
        value = _value_after(view, start, end) if promise else None
        position = max(end, stem.end())
        if value is None or _is_cookie_line(view.text, start, end, value):
            continue
        names = names + 1 if start < run_end else 0
        run_end = value.end if value.form == "sign" else -1
        name = view.text[start:end]
        if value.form == "list":
            yield from _listed(view.text, value, _kind(name, promise), promise)
        elif names > _MOST_NAMES or _is_told(view.text, start, name, value, promise):
            stop = value.end if value.quoted else _rest_end(view.text, value)
            yield Finding(value.start, stop, _kind(name, promise))
            position = max(stop, end)


def _listed(text: str, value: Value, kind: str, promise: int) -> Iterator[Finding]:
    """Yield the secrets of a list of texts in quotes, of which `value` is the first."""
    ends = [text.find(end, value.end, value.start + 2_000) for end in "]}"]
    end = min((place for place in ends if place >= 0), default=-1)
    for match in _QUOTED.finditer(text, value.start - 1, max(end, value.end + 1)):
        for group in "ab":
            if match[group] and words.is_secret(match[group], promise, quoted=True):
                yield Finding(*match.span(group), kind)


def _is_cookie_line(text: str, start: int, end: int, value: Value) -> bool:
    """Tell whether a value is a list of cookies, which are judged one by one."""
    return "=" in value.text and text[start:end].lower().endswith(("cookie", "cookies"))


def _promise(text: str, start: int, end: int) -> int:
    """Return what the name at start..end promises; the kind in a mark of ours promises nothing."""
    # The user of a URL; what follows is judged with the host.
    if text.startswith("://", max(0, start - 3)):
        return NOTHING
    if end - start > _MOST_NAME or text.startswith(_MARK_BEGIN, max(0, start - len(_MARK_BEGIN))):
        return NOTHING
    # What test runners print: "--- PASS: TestBuildDAGs (0.00s)".
    if text.startswith("PASS: ", start) and text.startswith("-- ", max(0, start - 3)):
        return NOTHING
    # What follows in arn:aws:secretsmanager:…:secret: is the name of a secret.
    if text[start - 1 : start] == ":" and ":secretsmanager:" in text[max(0, start - 60) : start]:
        return NOTHING
    return words.promise_of(text[start:end])


def _rest_end(text: str, value: Value) -> int:
    if len(value.text) < _MOST_JUDGED - len(words.TRAILING):
        return value.end
    return value.end + len(_REST.match(text, value.end).group())  # type: ignore[union-attr]  # may be empty


def _name_around(text: str, stem: re.Match[str]) -> tuple[int, int]:
    """Return where the name begins and ends in which the stem stands."""
    start, end = stem.span()
    if text[start - 1 : start] not in _NAME_ENDS:
        start -= len(_tail(text[max(0, start - _MOST_NAME) : start]))
    if text[end : end + 1] not in _NAME_ENDS:
        right = text[end : end + _MOST_NAME]
        end += len(right[: len(right) - len(right.lstrip(_NAME_LETTERS))].rstrip("-"))
    # A blank may stand in the name: "API key", "access key".
    if text[start - 1 : start] == " " and text[start:end].lower() in ("key", "token"):
        start -= 1 + len(_tail(text[max(0, start - 24) : start - 1]))
    return start, end


def _tail(text: str) -> str:
    """Return the letters of a name at the end of a text."""
    return text[len(text.rstrip(_NAME_LETTERS)) :]


def _kind(name: str, promise: int) -> str:
    lowered = name.lower()
    if promise == PASSWORD:
        return "password"
    for word, kind in (("token", "token"), ("key", "api_key"), ("cookie", "cookie")):
        if word in lowered:
            return kind
    return "secret"


def _value_after(view: View, start: int, end: int) -> Value | None:
    """Return the value that stands behind the name at start..end, if one does."""
    if end == len(view.text):
        return None  # the forms below take 2 ms to compile
    # Most often a word follows, which quotes or a sign would have to make a value.
    between = None if _PLAIN_WORD.match(view.text, end) else _BETWEEN.match(view.text, end)
    if not between:
        return None
    return _value_at(
        view.text, between.end(), str(between.lastgroup), in_url=_in_url(view.text, start)
    )


def _is_told(text: str, start: int, name: str, value: Value, promise: int) -> bool:
    """Tell whether the value is the secret that the name at `start` promises."""
    if value.form in _ASSIGNED or _is_flag(name):
        return _is_assigned(name, value, promise)
    if value.form == "heading":
        return _is_short_line(text, start) and _is_spoken(value, promise)
    if value.form == "blank":
        return _is_bare_neighbour(value.text, promise) or (
            promise > HINT and _is_directive(text, start, name, value, promise)
        )
    if value.quoted and "phrase" in name.lower() and words.is_passphrase(value.text):
        return True
    return _is_spoken(value, promise, text[value.end : value.end + 2])


_ASSIGNED = frozenset(("sign", "typed", "go", "pair", "default"))


def _is_assigned(name: str, value: Value, promise: int) -> bool:
    lowered = name.lower()
    if lowered.strip("-") == "pass":
        return words.is_spoken_password(value.text)
    if lowered.endswith("key") and words.is_slug(value.text):
        return False
    if lowered.endswith(("secret", "secrets")) and words.is_worded_secret(value.text):
        return True
    if promise == PASSWORD and "phrase" in lowered and words.is_passphrase(value.text):
        return True
    if promise == PASSWORD and words.is_constant(name) and words.is_weak_password(value.text):
        return True
    if name.endswith("_AUTH") and words.is_constant(name) and words.is_spoken_password(value.text):
        return True
    return words.is_secret(value.text, promise, quoted=value.quoted)


def _is_flag(name: str) -> bool:
    return name.startswith("-") and len(name.strip("-")) > 3


def _is_directive(text: str, start: int, name: str, value: Value, promise: int) -> bool:
    """Tell whether name and value are all of a line, or name a variable: `bindpw x`, `ENV X y`."""
    if words.is_constant(name):
        return words.is_secret(value.text, promise, quoted=value.quoted)
    line = text[text.rfind("\n", max(0, start - _MOST_NAME), start) + 1 : start]
    rest = text[value.end : value.end + 2].strip("\"' \t")
    return not line.strip(" \t-") and rest[:1] in ("", "\n") and _is_spoken(value, promise)


def _is_short_line(text: str, start: int) -> bool:
    """Tell whether a line is so short until `start` that what follows may be its heading's text."""
    return start < _MOST_HEADING or "\n" in text[start - _MOST_HEADING : start]


_MOST_HEADING = 32


def _is_spoken(value: Value, promise: int, after: str = "x") -> bool:
    if promise == PASSWORD:
        if (
            value.form == "prose"
            and len(value.text) > 7
            and words.is_lone_password(value.text, after)
        ):
            return True
        return words.is_spoken_password(value.text) and " " not in value.text
    return words.is_secret(value.text, promise, quoted=value.quoted) and (
        promise != HINT or words.is_random(value.text, 20)
    )


# `type=password id=pw2`: the next attribute.
_SET = lazy_pattern(r"[A-Za-z][\w-]*=[^=]")


def _is_bare_neighbour(text: str, promise: int) -> bool:
    """Tell whether the word behind a name and a blank can be nothing but a secret."""
    # Most often it is the next word of a sentence.
    if text.isalpha() and (text[1:].islower() or text.isupper()):
        return False
    if words.is_placeholder(text) or words.is_code(text) or _SET.match(text):
        return False
    if promise == HINT:
        return len(text) >= 24 and text.isalnum() and words.is_mixed(text)
    symbols = re.search(r"[A-Za-z0-9][!@#$%^&*+=]", text)
    mixed = any(map(str.isdigit, text)) and any(map(str.isalpha, text))
    if promise == PASSWORD and symbols and len(text) >= 6 and (mixed or len(text) >= 10):
        return True
    return words.is_random(text, 10)


def _value_at(text: str, start: int, form: str = "", *, in_url: bool = False) -> Value | None:
    """Return the literal that begins here, in quotes or bare; None where there is none."""
    if text[start : start + 1] in _OPENING:
        if text.startswith(('"""', "'''"), start):
            start += 2
        quoted = _quoted_at(text, start, form)
        if quoted:
            return quoted if quoted.text else None
        start += len(_LEAD.match(text, start).group())  # type: ignore[union-attr]  # may be empty
    if text.startswith(_MARK_BEGIN, start) and (mark := MARK.match(text, start)):
        return Value(start, mark.group(), True, form)
    bare = _BARE.match(text, start)
    if not bare:
        return None
    value = bare.group()
    if in_url or "&" in value:
        value = (_URL_PART if in_url else _FORM_PART).split(value, maxsplit=1)[0] or value
    return Value(start, words.trimmed(value) or value, False, form)


# Where the next parameter of a URL, or of a form, begins.
_URL_PART = lazy_pattern("[&#]")
_FORM_PART = lazy_pattern("&(?=[A-Za-z_]{2,40}=)")


def _quoted_at(text: str, start: int, form: str) -> Value | None:
    close = _QUOTES.get(text[start : start + 1])
    if close:
        end = text.find(close, start, start + 200)
        inner = text[start + 1 : max(end, start)]
        # In brackets of code stands an expression.
        is_code = close == ")" and (" " in inner or "(" in inner)
        if inner and not is_code and inner[0] not in "\"'" and "\n" not in inner:
            return Value(start + 1, text[start + 1 : end], True, form)
        return None
    match = _QUOTED.match(text, start)
    if not match:
        return None
    group = next(name for name in "abcd" if match[name] is not None)
    return Value(match.start(group), match[group], True, form)


def _in_url(text: str, start: int) -> bool:
    return start > 0 and text[start - 1] in "?&"


_ASCII = lazy_pattern("[!-~]")


def _named_values_zh(view: View) -> Iterator[Finding]:
    position = 0
    if not view.has(_HINTS_ZH):
        return
    while stem := _STEM_ZH.search(view.lowered, position):
        position = stem.end()
        # A value is written in ASCII; most often Chinese goes on, and names far before can wait.
        ascii_at = _ASCII.search(view.text, position)
        if not ascii_at:
            return
        if ascii_at.start() > position + _NEAR_AFTER:
            position = ascii_at.start() - _NEAR_AFTER
            continue
        between = _BETWEEN_ZH.match(view.text, position)
        if not between or _ABOUT_ZH.search(between["filler"]):
            continue
        value = _value_at(view.text, between.end())
        if value is None or (
            value.text.isdigit() and _UNIT_ZH.match(view.text, value.end) is not None
        ):
            continue
        glued = between["none"] is not None
        told = (
            words.is_glued_password(value.text)
            if glued
            else _is_spoken_zh(value, stem.group())
            or (
                bool(between["sign"].strip())
                and stem.group() in ("密码", "密碼", "口令")
                and words.is_lone_password(value.text, view.text[value.end : value.end + 2])
            )
        )
        if told:
            yield Finding(value.start, value.end, "password")
            position = value.end


def _is_spoken_zh(value: Value, name: str) -> bool:
    text = value.text
    if name == "授权码" and len(text) == _MAIL_CODE and text.isalpha() and text.islower():
        return True
    if len(text) == 4 and not text.isdigit():
        # 提取码: a1b2
        return text.isalnum() and any(map(str.isdigit, text)) and any(map(str.isalpha, text))
    if text.isdigit():
        return 4 <= len(text) <= 32 and not words.is_placeholder(text)
    return text.isascii() and words.is_spoken_password(text)


# ---------------------------------------------------------------------------- near a word

# So far from a word such as “password” a word that can be nothing else is one.
_NEAR_BEFORE, _NEAR_AFTER = 32, 48
_NEAR_STEMS = (
    *("password", "passwd", "passphrase", "pwd", "login", "log in", "sign in", "signed in"),
    *("credential", "creds", "wifi", "wi-fi", "密码", "密碼", "口令", "登录", "登陆", "账号"),
    *("帐号", "账密", "后台", "服务器"),
)
_NEAR_STEM = lazy_pattern("|".join(_NEAR_STEMS))
_DIGIT = lazy_pattern("[0-9]")
_NEAR_WORD = lazy_pattern(
    r"(?<![A-Za-z0-9])[^\s\"'`，。；、！？：:,;|/\\（）「」“”【】()<>{}\[\]]{6,64}"
)


def _near_values(view: View) -> Iterator[Finding]:
    """Yield words near such a name that look like a password and like nothing else."""
    text, position, judged = view.text, 0, 0
    if not view.has(_NEAR_STEMS):
        return
    while stem := _NEAR_STEM.search(view.lowered, position):
        position = stem.end()
        first = max(judged, stem.start() - _NEAR_BEFORE)
        first = max(first, text.rfind("\n", first, position) + 1)
        line_end = text.find("\n", position, position + _NEAR_AFTER)
        last = line_end if line_end >= 0 else min(len(text), position + _NEAR_AFTER)
        if _is_in_mark(text, stem.start()):
            continue
        end = min(len(text), last + 64)
        # Without a digit no word is one: most sentences have none.
        words_near = (
            _NEAR_WORD.finditer(text, first, end) if _DIGIT.search(text, first, end) else ()
        )
        for match in words_near:
            start = match.start()
            if start >= last:
                break
            value = words.trimmed(match.group())
            if words.is_strong_password(value):
                yield Finding(start, start + len(value), "password")
        # The next name half-way on covers what the ones between would.
        judged, position = last, max(position, last - _NEAR_AFTER // 2)


def _is_in_mark(text: str, place: int) -> bool:
    begin = text.rfind(_MARK_BEGIN, max(0, place - _MOST_NAME), place)
    return begin >= 0 and "]" not in text[begin:place]


# What mail services hand out for other programs: so many small letters.
_MAIL_CODE = 16

# ---------------------------------------------------------------------------- cookies

_COOKIE = lazy_pattern(
    r"""(?:\b(?:set-)?cookies?\\?["']?\s{0,4}[:=]\s{0,4}\\?|(?<=-)(?:cookie|b)\s)["'`]?
        (?P<v>[^\n"'`]{3,8000})""",
    re.IGNORECASE | re.ASCII | re.VERBOSE,
)
_COOKIE_PAIR = lazy_pattern(
    r"""(?P<name>[\w.%-]{1,128})=(?P<v>[^\s;,"'，。；]{6,4000})""", re.ASCII | re.VERBOSE
)
_COOKIE_NAME = lazy_pattern(
    r"sess|sid|token|auth|jwt|csrf|xsrf|remember|login|user|uid|id$|key|ticket|sso", re.IGNORECASE
)


_LEAST_COOKIE = 8


def _cookie_findings(view: View) -> Iterator[Finding]:
    for span in view.near(("cookie", "curl")):
        yield from _cookies(view.text, span)


def _cookies(text: str, span: tuple[int, int]) -> Iterator[Finding]:
    for header in _COOKIE.finditer(text, *span):
        for pair in _COOKIE_PAIR.finditer(text, *header.span("v")):
            if _is_cookie(pair["name"], pair["v"]):
                yield Finding(*pair.span("v"), "cookie")


def _is_cookie(name: str, value: str) -> bool:
    """Tell whether a cookie lets somebody in, and not only says `theme=dark`."""
    if len(value) < _LEAST_COOKIE or words.is_placeholder(value):
        return False
    named = _COOKIE_NAME.search(name) and any(map(str.isdigit, value))
    return bool(named) or words.is_random(value)


# ---------------------------------------------------------------------------- keys in PEM

_PEM_BEGIN = lazy_pattern(r"-----\s?BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?\s?-----")
_PEM_END = lazy_pattern(r"-----\s?END[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?\s?-----")
# A line of a key; in JSON a whole key may be one line, with `\\n` for its ends.
_PEM_LINE = lazy_pattern(
    r"[A-Za-z0-9+/=\\]{0,4000}|(?:Proc-Type|DEK-Info|Version|Comment|Hash):[^\n]{0,200}"
)
# What a quotation or a list in code puts around a line.
_PEM_AROUND = " \t\r>|#*+\"',\\"
_PEM_LEAST = 16
_PEM_LINES = 500
_PEM_MOST = 20_000


def _pem_findings(view: View) -> Iterator[Finding]:
    """Yield each private key; one without an end goes on as long as its lines look like one."""
    if "private key" not in view.lowered:
        return
    ends = [match.span() for match in _PEM_END.finditer(view.text)][::-1]
    position = 0
    while begin := _PEM_BEGIN.search(view.text, position):
        while ends and ends[-1][0] < begin.end():
            ends.pop()
        position = _pem_end(view.text, begin.end(), ends)
        if position > begin.end():
            yield Finding(begin.start(), position, "private_key")


def _pem_end(text: str, start: int, ends: Sequence[tuple[int, int]]) -> int:
    """Return where the key ends whose first line ended at `start`; `start` if there is none."""
    if ends and ends[-1][0] <= start + _PEM_MOST and _is_pem_body(text[start : ends[-1][0]]):
        return ends[-1][1]
    return _pem_body_end(text, start)


def _pem_body_end(text: str, start: int) -> int:
    """Return the end of the last line that belongs to a key; `start` if none does."""
    end, position = start, start
    for _ in range(_PEM_LINES):
        stop = text.find("\n", position)
        stop = len(text) if stop < 0 else stop
        line = text[position : min(stop, position + _PEM_MOST)].strip(_PEM_AROUND)
        if not _PEM_LINE.fullmatch(line):
            break
        end = stop if len(line) >= _PEM_LEAST else end
        position = stop + 1
        if stop == len(text):
            break
    return end


def _is_pem_body(text: str) -> bool:
    """Tell whether a key stands between the two lines, and not a sentence."""
    return "-----" not in text and len(re.sub(r"[^A-Za-z0-9+/=]", "", text)) >= _PEM_LEAST


# ---------------------------------------------------------------------------- encoded text

# Of letters, digits and signs; a hash has other bytes among so many.
_HEX_TEXT = lazy_pattern(r"(?:[2-6][0-9a-f]|7[0-9a-e]|0[ad]){16,4000}")
_BASE64 = lazy_pattern(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_TELLING = lazy_pattern(
    r"pass|pwd|secret|token|api.?key|private key|://|akia|ghp_|sk-|密码|口令|密钥|令牌",
    re.IGNORECASE,
)


def _encoded_findings(view: View) -> Iterator[Finding]:
    """Yield base64 of text in which a secret stands."""
    for match in _BASE64.finditer(view.text):
        inner = decoded(match.group())
        if not inner and _HEX_TEXT.fullmatch(match.group()):
            inner = bytes.fromhex(match.group()).decode("ascii")
        if inner and _TELLING.search(inner) and _holds_secret(inner):
            yield Finding(*match.span(), "encoded_secret")


def _holds_secret(text: str) -> bool:
    inner = view_of(text)
    searches = (_named_values, _named_values_zh, context_findings, _pem_findings, token_findings)
    return any(True for search in searches for _ in search(inner))
