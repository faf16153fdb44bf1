"""Secrets that only their surroundings tell: `password = …`, headers, URLs, commands, prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from daily_memory.core import secret_words as words
from daily_memory.core.finding import Finding, View, windows
from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.secret_contexts import context_findings, decoded
from daily_memory.core.secret_rules import token_findings
from daily_memory.core.secret_words import HINT, NOTHING, PASSWORD

# ---------------------------------------------------------------------------- names and values

# The stems of names; a look at the whole name decides (`promise_of`).
_STEM = lazy_pattern(
    r"""
    pass|pwd|psw|secret|token|key|cred|auth(?!or[^i])|cookie|bearer|mnemonic|webhook
    |(?<![a-z])(?:pw|ak|sk|pin|otp|sid|sig|seed|cvv|dsn|pat|salt|nonce)(?![a-z])|sess|kennwort|jwt|signature|license
    """,
    re.VERBOSE,
)
_STEM_ZH = lazy_pattern(
    r"""
    (?:密\s?码|密\s?碼|口\s?令|密\s?钥|密\s?鑰|密匙|秘钥|私钥|私鑰|金钥|金鑰|令牌|权杖|授权码|验证码|校验码|动态码|凭证|凭据|憑證
      |提取码|访问码|激活码|安全码|暗号|助记词|パスワード|비밀번호|пароль|contraseña|senha|mot\ de\ passe)
    """,
    re.VERBOSE,
)
_NAME_LEFT = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_NAME_RIGHT = lazy_pattern(r"[A-Za-z0-9_-]{0,64}")
_MOST_NAME = 64

# What stands between a name and its value, the more telling forms first.
_BETWEEN = lazy_pattern(
    r"""
      (?P<pair>["']?\s{0,9},?\s{0,9}(?:-\s)?["']?\bvalue["']?\s{0,3}[:=]\s{0,3}(?=["'\w]))   # name: X, value: "…"
    | (?P<typed>[?!]?\s?:\s?[A-Za-z_][A-Za-z0-9_.\[\]|?<> ]{0,40}?\s?=\s?(?=["'`]))          # x: str = "…"
    | (?P<sign>\\*["'`\])*]{0,3}[?!]?[ \t]{0,20}
        (?:[:!=]==?|=>|->|:=|\?=|\+=|[:=：＝]|%3[ad])\**[ \t]{0,20}(?:\r?\n[ \t]{1,40})?
        (?:[bBrRuUfF]{1,2}(?=["']))?)                                                        # "x": …
    | (?P<next>\\*["']\s{0,3},\s{0,3}(?=\\*["']))                                            # ("x", "…")
    | (?P<tag>["']?>[ \t]{0,9}(?=[^<\s]))                                                    # <x>…</x>
    | (?P<cell>[`*]{0,2}[ \t]{0,9}\|[ \t]{0,9})                                              # | x | … |
    | (?P<prose>["'`]?(?:[ ](?:for|of|on|to|in|at|used\ by|from)[ ][^\n.,;:=]{1,40}?)?
        [ ](?:is|was|are|has\ been|will\ be|becomes|now|=)
        (?:[ ](?:now|still|currently|just|set\ to|changed\ to|reset\ to|going\ to\ be))?[ ]?:?[ ]?)
    | (?P<to>[ ](?:(?:changed|set|reset|updated|switched|equal)[ ])?to[ ])
    | (?P<blank>[ \t]{1,4})
    """,
    re.VERBOSE | re.IGNORECASE,
)
_BETWEEN_ZH = lazy_pattern(
    r"""
    (?P<filler>[^\n，。；,;!?！？:：=A-Za-z0-9]{0,12}?(?:[(（\[【][^)）\]】\n]{0,20}[)）\]】])?)
    (?P<sign>[*`"']{0,2}\s?(?:[:：=|]|->|=>)\**\s{0,4}
     |(?:是|为|為|成|到|叫|用|填|给你|如下|发你|:)了?\s{0,3}[:：]?\s{0,3}
     |[ \t]{1,3}|(?=[“"'`「『（(]))
    """,
    re.VERBOSE,
)
_ABOUT_ZH = lazy_pattern(
    "哈希|摘要|加密|规则|策略|长度|位数|强度|正则|格式|算法|类型|字段|参数|文件|路径|链接|页面|错误|校验|名称|变量"
)

_QUOTES = {"“": "”", "‘": "’", "「": "」", "『": "』", "《": "》", "（": "）", "(": ")", "【": "】"}
_QUOTED = lazy_pattern(
    r"""
      "(?P<a>(?:[^"\\\n]|\\.){0,8000})" | '(?P<b>(?:[^'\\\n]|\\.){0,8000})' | `(?P<c>[^`\n]{0,8000})`
    | (?P<slash>\\+["'])(?P<d>[^\n]{0,8000}?)(?P=slash)
    """,
    re.VERBOSE,
)
# ASCII without blanks, quotes and the signs that end a value in every language at hand.
_BARE = lazy_pattern(
    r"""
    (?: [!#$%&()*+\-./0-9:=?@A-Z\[\]^_a-z{|}~]
      | ,(?=[A-Za-z0-9!@\#$%^&*])(?![A-Za-z_][A-Za-z0-9_]*[=:])
      | \\(?![nrt"'\\])
    ){1,256}
    """,
    re.VERBOSE,
)
_MARK_HERE = lazy_pattern(r"\[REDACTED:[a-z0-9_]+\]")
_LEAD = "*`"


# A value is judged by so much of it; the rest of a longer one is hidden with it.
_MOST_JUDGED = 256
_REST = lazy_pattern(r"[!#$%&*+\-./0-9:=?@A-Z^_a-z~|]*")
# So many names without a blank between them are no text that anybody wrote.
_MOST_NAMES = 16


class Value(NamedTuple):
    """A candidate: where it stands, its text, whether quotes told its ends, what led to it."""

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
    yield from context_findings(view)
    yield from _cookie_findings(view)
    yield from _pem_findings(view)
    yield from _encoded_findings(view)


def _named_values(view: View) -> Iterator[Finding]:
    position, run_end, names = 0, -1, 0
    while stem := _STEM.search(view.lowered, position):
        start, end = _name_around(view.text, stem)
        promise = words.promise_of(view.text[start:end]) if end - start <= _MOST_NAME else NOTHING
        value = _value_after(view, start, end) if promise else None
        position = max(end, stem.end())
        if value is None:
            continue
        names = names + 1 if start < run_end else 0
        run_end = value.end if value.form == "sign" else -1
        if names > _MOST_NAMES or _is_told(view.text, start, value, promise):
            stop = value.end if value.quoted else _rest_end(view.text, value)
            yield Finding(value.start, stop, _kind(view.text[start:end], promise))
            position = max(stop, end)


def _rest_end(text: str, value: Value) -> int:
    if len(value.text) < _MOST_JUDGED - len(words.TRAILING):
        return value.end
    rest = _REST.match(text, value.end)
    return rest.end() if rest else value.end


def _name_around(text: str, stem: re.Match[str]) -> tuple[int, int]:
    left = text[max(0, stem.start() - _MOST_NAME) : stem.start()]
    start = stem.start() - (len(left) - len(left.rstrip(_NAME_LEFT)))
    right = _NAME_RIGHT.match(text, stem.end())
    end = right.end() if right else stem.end()
    # A blank may stand in the name: "API key", "access key".
    if (
        text[start:end].lower() in ("key", "token", "phrase", "code")
        and text[start - 1 : start] == " "
    ):
        before = text[max(0, start - 24) : start - 1]
        start -= 1 + len(before) - len(before.rstrip(_NAME_LEFT))
    return start, len(text[:end].rstrip("-")) if text[end - 1 : end] == "-" else end


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
    between = _BETWEEN.match(view.text, end)
    if not between:
        return None
    value = _value_at(view.text, between.end(), in_url=_in_url(view.text, start))
    if value is None or _is_lookalike(view.text, value):
        return None
    return value._replace(form=str(between.lastgroup))


def _is_told(text: str, start: int, value: Value, promise: int) -> bool:
    """Tell whether the value is the secret that the name at `start` promises."""
    if value.form in ("sign", "typed", "pair") or _is_flag(text, start):
        return words.is_secret(value.text, promise, quoted=value.quoted)
    if value.form == "blank":
        return _is_bare_neighbour(value.text, promise)
    return _is_spoken(value, promise)


def _is_flag(text: str, start: int) -> bool:
    return text[start : start + 2] == "--"


def _is_lookalike(text: str, value: Value) -> bool:
    """Tell whether what follows the value makes it a call or a key of its own."""
    after = text[value.end : value.end + 1]
    return not value.quoted and (after == "(" or value.text.endswith(("(", "[")))


def _is_spoken(value: Value, promise: int) -> bool:
    if promise == PASSWORD:
        return words.is_spoken_password(value.text) and " " not in value.text
    return words.is_secret(value.text, promise, quoted=value.quoted) and (
        promise != HINT or words.is_random(value.text, 20)
    )


def _is_bare_neighbour(text: str, promise: int) -> bool:
    """Tell whether the word behind a name and a blank can be nothing but a secret."""
    if words.is_placeholder(text) or words.is_code(text) or promise == HINT:
        return False
    symbols = re.search(r"[A-Za-z0-9][!@#$%^&*+=]", text)
    mixed = any(map(str.isdigit, text)) and any(map(str.isalpha, text))
    if promise == PASSWORD and symbols and mixed and len(text) >= 6:
        return True
    return words.is_random(text, 10)


def _value_at(text: str, start: int, *, in_url: bool = False) -> Value | None:
    """Return the literal that begins here, in quotes or bare; None where there is none."""
    quoted = _quoted_at(text, start)
    if quoted is not None:
        return quoted if quoted.text else None
    while text[start : start + 1] and text[start] in "\"'`*\\" and text[start : start + 1]:
        start += 1
    mark = _MARK_HERE.match(text, start)
    if mark:
        return Value(start, mark.group(), quoted=True)
    bare = _BARE.match(text, start)
    if not bare:
        return None
    value = bare.group()
    if in_url:
        value = re.split("[&#]", value, maxsplit=1)[0]
    return Value(start, words.trimmed(value) or value, quoted=False)


def _quoted_at(text: str, start: int) -> Value | None:
    close = _QUOTES.get(text[start : start + 1])
    if close:
        end = text.find(close, start, start + 200)
        if end > start and "\n" not in text[start:end]:
            return Value(start + 1, text[start + 1 : end], quoted=True)
        return None
    match = _QUOTED.match(text, start)
    if not match:
        return None
    group = next(name for name in "abcd" if match[name] is not None)
    return Value(match.start(group), match[group], quoted=True)


def _in_url(text: str, start: int) -> bool:
    return text[start - 1 : start] in ("?", "&", ";") and start > 0


def _named_values_zh(view: View) -> Iterator[Finding]:
    position = 0
    while stem := _STEM_ZH.search(view.lowered, position):
        position = stem.end()
        between = _BETWEEN_ZH.match(view.text, stem.end())
        if not between or _ABOUT_ZH.search(between["filler"]):
            continue
        value = _value_at(view.text, between.end())
        if value is not None and _is_spoken_zh(value):
            yield Finding(value.start, value.end, "password")
            position = value.end


def _is_spoken_zh(value: Value) -> bool:
    text = value.text
    if len(text) == 4 and not text.isdigit():
        # 提取码: a1b2
        return text.isalnum() and any(map(str.isdigit, text)) and any(map(str.isalpha, text))
    if text.isdigit():
        return 4 <= len(text) <= 32 and not words.is_placeholder(text)
    return words.is_spoken_password(text)


# ---------------------------------------------------------------------------- cookies

_COOKIE = lazy_pattern(
    r"\b(?:set-)?cookies?\\?[\"']?\s{0,4}[:=]\s{0,4}\\?[\"'`]?(?P<v>[^\n\"'`]{3,8000})",
    re.IGNORECASE | re.ASCII,
)
_COOKIE_PAIR = lazy_pattern(r"(?P<name>[\w.%-]{1,128})=(?P<v>[^\s;,\"'，。；]{6,4000})", re.ASCII)
_COOKIE_NAME = lazy_pattern(
    r"sess|sid|token|auth|jwt|csrf|xsrf|remember|login|user|uid|id$|key|ticket|sso", re.IGNORECASE
)


def _cookie_findings(view: View) -> Iterator[Finding]:
    for span in windows(view, ("cookie",)):
        yield from _cookies(view.text, span)


def _cookies(text: str, span: tuple[int, int]) -> Iterator[Finding]:
    for header in _COOKIE.finditer(text, *span):
        for pair in _COOKIE_PAIR.finditer(text, *header.span("v")):
            value = pair["v"]
            named = (
                _COOKIE_NAME.search(pair["name"])
                and any(map(str.isdigit, value))
                and len(value) >= 8
            )
            if not words.is_placeholder(value) and (named or words.is_random(value, 16)):
                yield Finding(*pair.span("v"), "cookie")


# ---------------------------------------------------------------------------- keys in PEM

_PEM_BEGIN = lazy_pattern(r"-----\s?BEGIN[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?\s?-----")
_PEM_END = lazy_pattern(r"-----\s?END[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?\s?-----")
_PEM_BODY = lazy_pattern(
    r"""(?:[ \t>|\#*+"'\\]{0,20}(?:\\[nr])?
        (?:(?:Proc-Type|DEK-Info|Version|Comment|Hash)[^\n]{0,200}|[A-Za-z0-9+/=\\]{0,4000})
        [ \t"',+\\]{0,8}\r?\n){0,500}[ \t>|\#*+"'\\]{0,20}[A-Za-z0-9+/=\\]{16,}""",
    re.VERBOSE,
)
_PEM_MOST = 20_000


def _pem_findings(view: View) -> Iterator[Finding]:
    """Yield each private key; one without an end goes on as long as its lines look like one."""
    if "private key" not in view.lowered:
        return
    position, end_at, end_after = 0, -1, -1
    ends = [match.span() for match in _PEM_END.finditer(view.text)][::-1]
    while begin := _PEM_BEGIN.search(view.text, position):
        while ends and ends[-1][0] < begin.end():
            ends.pop()
        end_at, end_after = ends[-1] if ends else (-1, -1)
        position = begin.end()
        if 0 <= end_at <= begin.end() + _PEM_MOST and _is_pem_body(view.text[begin.end() : end_at]):
            yield Finding(begin.start(), end_after, "private_key")
            position = end_after
        elif body := _PEM_BODY.match(view.text, begin.end()):
            yield Finding(begin.start(), body.end(), "private_key")
            position = body.end()


def _is_pem_body(text: str) -> bool:
    """Tell whether a key stands between the two lines, and not a sentence."""
    return "-----" not in text and len(re.sub(r"[^A-Za-z0-9+/=]", "", text)) >= 16


# ---------------------------------------------------------------------------- encoded text

_BASE64 = lazy_pattern(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{24,}={0,2}")
_TELLING = lazy_pattern(r"pass|secret|token|private key|://|akia|ghp_|sk-", re.IGNORECASE)


def _encoded_findings(view: View) -> Iterator[Finding]:
    """Yield base64 of text in which a secret stands."""
    for match in _BASE64.finditer(view.text):
        inner = decoded(match.group())
        if inner and _TELLING.search(inner) and _holds_secret(inner):
            yield Finding(*match.span(), "encoded_secret")


def _holds_secret(text: str) -> bool:
    inner = View(text, text.lower())
    searches = (_named_values, context_findings, _pem_findings, token_findings)
    return any(True for search in searches for _ in search(inner))
