"""Values that their names reveal: `password = …`, "the token is …", 密码：…"""

from __future__ import annotations

import re
from collections.abc import Iterator

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.redaction import words
from daily_memory.core.redaction.view import MARK, Redaction, View, has_any, joined
from daily_memory.core.redaction.words import HINT, NOTHING, PASSWORD
from daily_memory.core.triggers import Search
from daily_memory.named_tuples import NamedTuple

# The stems of names; a look at the whole name decides (`promise_of`).
# Each alternative begins with a letter, never with a look behind it: that makes the search quick.
_STEMS = (
    *("pass", "pwd", "psw", "psk", "secret", "token", "key", "cred", "auth", "cookie", "bearer"),
    *("mnemonic", "webhook", "sess", "kennwort", "jwt", "signature", "bindpw", "rootpw"),
)
_SHORT_STEMS = (
    *("pw", "ak", "sk", "pin", "otp", "sid", "sig", "seed", "cvv", "dsn", "pat", "salt", "nonce"),
)
_STEM_HINTS = (*_STEMS, *_SHORT_STEMS)
_STEM = lazy_pattern(
    "|".join(
        (
            "pass (?:word|phrase|code)",
            *_STEMS,
            *[rf"{stem}(?<![a-z]{stem})(?![a-z])" for stem in _SHORT_STEMS],
        )
    )
)
_STEM_ZH = lazy_pattern(
    r"""
      密\s?码|密\s?碼|口\s?令|[密私秘金]\s?[钥鑰匙]|令牌|权杖|凭[证据]|憑證|助记词|暗号
    | 授权码|验证码|校验码|动态码|提取码|访问码|激活码|安全码|注册码|邀请码|兑换码|恢复码|解锁码
    | 解压码|取件码|门禁码|序列号|卡密|パスワード|暗証番号|비밀번호
    """,
    re.VERBOSE,
)
# One of these is in each: most texts have none, and need not wait for the pattern.
_HINTS_ZH = (
    *tuple("码碼令钥鑰匙杖凭憑"),
    *("助记词", "暗号", "序列号", "卡密", "パスワード", "暗証番号", "비밀번호"),
)
_NAME_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_AFTER_OTHERS = frozenset("/:")
_NAME_REST = lazy_pattern("(?:[A-Za-z0-9_-]{0,63}[A-Za-z0-9_])?")
# So much of a value shows whether it is random.
_MOST_RANDOM = 40
_MOST_NAME = 64
# These before a name are no part of it, unlike those in `useToken`.
_VERBS = frozenset(("use", "show", "enable", "disable", "hide"))
_MARK_BEGIN = "[REDACTED:"

# Between a name and its value, the clearest forms first.
_SIGN = r"""\\*(?:["'`\])*]{0,3}|%22|&quot;|&\#34;)[?!]?
        (?:[ ]?[(（][^)）\n]{1,30}[)）]|[ ]for[ ]\S{1,100}(?=[:：]))?[ \t]{0,20}
                                                          # "x": …
        (?:[:!=]==?|=>|->|:=|\?=|\+=|[:=：＝]|%3[ad]|&\#(?:58|61);)\**[ \t]{0,20}
        (?:(?:[|>][+-]?[ \t]{0,9})?\r?\n[ \t]{1,40})?(?:[bBrRuUfFN]{1,2}(?=["']))?"""
_BETWEEN = lazy_pattern(
    r"""
      (?P<pair>["']?\s{0,9},?\s{0,9}(?:-\s)?["']?
        \b(?:value|content|default)["']?\s{0,3}[:=]\s{0,3}(?=["'\w]))
                                                          # name: X, value: "…"
    | (?P<default>"\s{0,3}\{[^{}]{0,300}?\bdefault\s{0,9}=\s{0,3}(?="))
                                                          # variable "x" { default = "…"
    | (?P<typed>(?:[?!]?\s?:\s?|\ (?=string|\[\]byte))[A-Za-z_\[][A-Za-z0-9_.\[\]|?<>\ ]{0,40}?
        \s?=\s?(?=["'`]))                                # x: str = "…", x string = "…"
    | (?P<list>["']?\s?[:=]\s?(?:\[\s?(?=["'])              # x: ["…", "…"], "x": {"…"}
        |(?:\[\]string)?\{\s?(?=(?:"[^"\n]{0,4000}"|'[^'\n]{0,4000}')\s?[,}])))
    | (?P<dash>["'`*]{0,2}[ ]?(?:→|—{1,2}|–|-{1,2})[ ])         # x — …
    | (?P<heading>[:：*\#`\]]{0,4}[ \t]{0,4}\r?\n(?:(?![ \t])|[ \t]{0,4}\r?\n[ \t]{0,4})
        (?:```\w{0,12}\r?\n)?(?:[-*>][ ])?(?=[^\s:：=]{4,256}[ \t]{0,9}(?:\r?\n|\Z)))
                                                          # a line of its own
    | (?P<sign><between>)
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
    | (?P<mark>[ ]?(?=[“‘「『《【（]))                       # token「…」
    | (?P<blank>[ \t]{1,4})
    """.replace("<between>", _SIGN),
    re.VERBOSE | re.IGNORECASE,
)
_BETWEEN_ZH = lazy_pattern(
    r"""
    (?P<filler>[^\n，。；,;!?！？:：=A-Za-z0-9]{0,12}?(?:[(（\[【][^)）\]】\n]{0,20}[)）\]】])?)
    (?P<sign>[:：*`]{0,4}[ \t]{0,4}\r?\n[ \t]{0,4}(?:\r?\n)?(?:```\w{0,12}\r?\n)?(?:[-*>][ ])?
       (?=[^\s:：=，。]{4,256}[ \t]{0,9}(?:\r?\n|\Z))        # a line of its own
     |[*`"']{0,2}\s?(?:->|=>|→|[—–-]{1,2}(?=\s)|[:：=|])\**\s{0,4}
     |(?:是|为|為|成|到|叫|用|填|给你|如下|发你|:)了?\s{0,3}[:：]?\s{0,3}
     |[ \t]{1,3}|(?=[“‘"'`「『《【（(])|(?P<none>(?=[!-~])))
    """,
    re.VERBOSE,
)
_ABOUT_ZH = (
    "哈希 摘要 加密 规则 策略 长度 位数 强度 正则 格式 算法 类型 字段 参数 文件 路径 链接 页面"
    " 错误 校验 名称 变量 管理 时间 过期 有效期 次数 数量 周期 间隔 限制 上限 超时 接口 版本 桶"
).split()
# What makes the digits before it an amount.
_UNIT_ZH = lazy_pattern(r"\s?(?:[位次个秒分天条字种年月日人元页行小]|[kKmM]?[sSbB]\b|qps|%|[./])")

_QUOTES = dict(zip("“‘「『《（(【", "”’」』》）)】", strict=True))
_QUOTED = lazy_pattern(
    r"""
      "(?P<a>(?:[^"\\\n]|\\.){0,8000})"
    | '(?P<b>(?:[^'\\\n]|\\.){0,8000})'
    | `(?P<c>[^`\n]{0,8000})`
    | (?P<slash>\\+["']|%22|&quot;|&\#34;)(?P<d>[^\n]{0,8000}?)(?P=slash)
    """,
    re.VERBOSE,
)
# The ids of sessions behind a line of a summary. Elsewhere such a text may be a password.
_IDS = lazy_pattern(r"\(20[0-9]{2}-[0-9]{2}-[0-9]{2}#[0-9]{1,4}(?:~[0-9]+)?[),;]")
_LIST_END = lazy_pattern(r"[\]}]")
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
# Nobody writes more names of which each is the value of the one before: all that go on so are
# hidden, with the value of the last, as to judge each of them would take too long.
_MOST_NAMES = 6
_MORE_NAMES = lazy_pattern(
    rf"""(?: {_SIGN} (?P<last> (?:[\[({{"'`]{{0,3}}|%22|&quot;|&\#34;) [\w.-]{{1,64}} ))*""",
    re.VERBOSE | re.IGNORECASE,
)
_MOST_HEADING = 32
# What mail services hand out for other programs: so many small letters.
_MAIL_CODE = 16
_ASCII = lazy_pattern("[!-~]")
# Where the next parameter of a URL, or of a form, begins.
_URL_PART = lazy_pattern("[&#]")
_FORM_PART = lazy_pattern("&(?=[A-Za-z_]{2,40}=)")
# `type=password id=pw2`: the next attribute.
_SET = lazy_pattern(r"[A-Za-z][\w-]*=[^=]")
_ASSIGNED = frozenset(("sign", "typed", "pair", "default"))


_PLAIN_WORD = lazy_pattern(
    r" (?!(?:is|was|should|must|are|has|will|becomes|now|to|changed|set|reset|updated|switched"
    r"|equal|for|of|on|in|at|used|from|string|byte)\b)[A-Za-z][a-z]{1,40}[ \n]"
)


class Value(NamedTuple):
    """A candidate: its place, its text, whether it was in quotes, what came before it.

    There may be one for each word of a text: made by places it takes a third of the time.
    """

    start: int
    text: str
    quoted: bool
    form: str = ""

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def _named(view: View) -> Iterator[Redaction]:
    text = view.text
    position = run_end = names = 0
    while stem := _STEM.search(view.lowered, position):
        start, end = _name_around(text, stem)
        name, position = text[start:end], end
        promise = _promise(text, start, name)
        value = _value_after(text, start, end) if promise else None
        # Cookies are judged one by one.
        if not value or ("=" in value.text and name.lower().endswith("cookie")):
            continue
        names = names + 1 if start < run_end else 0
        run_end = value.end if value.form == "sign" else 0
        is_run = names > _MOST_NAMES
        if value.form == "list":
            for place in _listed(text, value, promise):
                yield Redaction(*place, _kind(name, promise))
        else:
            readings = (
                each
                for each in _readings(text, value)
                if is_run or _is_secret(text, start, name, each, promise)
            )
            value = next(readings, None)
            if not value:
                continue
            position = stop = _whole_end(text, value)
            if is_run:
                stop = _run_end(text, stop)
                # The last value may be a name, whose value follows in another form.
                position = max(value.start, stop - _MOST_NAME)
            yield Redaction(value.start, stop, _kind(name, promise))


def _whole_end(text: str, value: Value) -> int:
    is_cut = not value.quoted and len(value.text) >= _MOST_JUDGED - len(words.TRAILING)
    return _end(_REST, text, value.end) if is_cut else value.end


def _run_end(text: str, start: int) -> int:
    """Return where the names that go on here end, with the value of the last."""
    more = _MORE_NAMES.match(text, start)
    if not more or not more["last"]:
        return start
    last = _value_at(text, more.start("last"))
    return max(more.end(), _whole_end(text, last)) if last else more.end()


def _end(pattern: re.Pattern[str], text: str, start: int) -> int:
    """Return where the match of a pattern that may match nothing ends."""
    return pattern.match(text, start).end()  # type: ignore[union-attr]  # there is always a match


def _name_around(text: str, stem: re.Match[str]) -> tuple[int, int]:
    """Return where the name with the stem begins and ends."""
    start, end = stem.span()
    start -= len(_tail(text[max(0, start - _MOST_NAME) : start]))
    end = _end(_NAME_REST, text, end)
    # A blank may be in the name: "API key", "access key".
    if text[start - 1 : start] == " " and text[start:end].lower() in ("key", "token"):
        word = _tail(text[max(0, start - 24) : start - 1])
        start -= 0 if word.lower() in _VERBS else 1 + len(word)
    return start, end


def _tail(text: str) -> str:
    return text[len(text.rstrip(_NAME_LETTERS)) :]


def _promise(text: str, start: int, name: str) -> int:
    is_other = (
        len(name) > _MOST_NAME
        # What test runners print: "--- PASS: TestBuildDAGs (0.00s)".
        or text.startswith("-- PASS: ", start - 3)
        or (text[start - 1 : start] in _AFTER_OTHERS and _is_part(text, start))
    )
    return NOTHING if is_other else words.promise_of(name)


def _is_part(text: str, start: int) -> bool:
    """Tell whether the name that begins at `start` is part of a URL, of a mark or of an ARN."""
    before = text[max(0, start - _MOST_NAME) : start]
    # The user of a URL is judged with the host; in arn:aws:secretsmanager:…:secret:… follows
    # the name of a secret.
    return before.endswith(("://", _MARK_BEGIN)) or (
        before.endswith(":") and ":secretsmanager:" in before
    )


def _kind(name: str, promise: int) -> str:
    if promise == PASSWORD:
        return "password"
    kinds = (("token", "token"), ("key", "api_key"), ("cookie", "cookie"))
    return next((kind for word, kind in kinds if word in name.lower()), "secret")


def _value_after(text: str, start: int, end: int) -> Value | None:
    """Return the value behind the name at start..end, if there is one."""
    # Most often a word follows, which quotes or a sign would have to make a value. At the end of
    # the text nothing does, and the forms take 2 ms to compile.
    if end == len(text) or _PLAIN_WORD.match(text, end):
        return None
    between = _BETWEEN.match(text, end)
    if not between:
        return None
    if between.lastgroup == "cell" and text[between.end() - 1] == "|":
        line = text.rfind("\n", max(0, start - _MOST_NAME), start) + 1
        value = text[between.end() : between.end() + _MOST_RANDOM].partition("|")[0]
        # `pass|fail|skip` is no row of a table.
        if text[line] != "|" and not words.is_random(value):
            return None
    in_url = text[start - 1 : start] in ("?", "&")
    return _value_at(text, between.end(), str(between.lastgroup), in_url=in_url)


def _value_at(text: str, start: int, form: str = "", *, in_url: bool = False) -> Value | None:
    """Return the literal that begins here, in quotes or bare; None where there is none."""
    if text[start : start + 1] in _OPENING:
        if _IDS.match(text, start):
            return None
        if text.startswith(('"""', "'''"), start):
            start += 2
        quoted = _quoted_at(text, start, form)
        if quoted:
            return quoted if quoted.text else None
        start = _end(_LEAD, text, start)
    return _bare_at(text, start, form, in_url=in_url)


def _bare_at(text: str, start: int, form: str, *, in_url: bool = False) -> Value | None:
    bare = None if MARK.match(text, start) else _BARE.match(text, start)
    if not bare:
        return None
    value = (_URL_PART if in_url else _FORM_PART).split(bare.group())[0] or bare.group()
    return Value(start, words.trimmed(value) or value, False, form)


def _readings(text: str, value: Value) -> Iterator[Value]:
    """Yield a value, and its first word if the mark before it may belong to a later partner.

    In `密钥【k3J&x9q 之后改【配置】` the first 【 has no end, and what is behind it is shown
    unless it is read without.
    """
    yield value
    if value.quoted and text[value.start - 1] in _QUOTES:
        bare = _bare_at(text, value.start, value.form)
        if bare and bare.end < value.end:
            yield bare


def _quoted_at(text: str, start: int, form: str) -> Value | None:
    close = _QUOTES.get(text[start : start + 1])
    if close:
        end = text.find(close, start, start + 200)
        inner = text[start + 1 : max(end, start)]
        # In brackets of code there is an expression.
        is_code = close == ")" and (" " in inner or "(" in inner)
        if inner and not is_code and inner[0] not in "\"'" and "\n" not in inner:
            return Value(start + 1, inner, True, form)
        return None
    match = _QUOTED.match(text, start)
    if not match:
        return None
    group = next(name for name in "abcd" if match[name] is not None)
    return Value(match.start(group), match[group], True, form)


def _listed(text: str, value: Value, promise: int) -> Iterator[tuple[int, int]]:
    """Yield where the secrets are in a list of texts in quotes, of which `value` is the first."""
    close = _LIST_END.search(text, value.end, value.start + 2_000)
    end = close.start() if close else value.end + 1
    for match in _QUOTED.finditer(text, value.start - 1, end):
        for group in "ab":
            if match[group] and words.is_secret(match[group], promise, quoted=True):
                yield match.span(group)


def _is_secret(text: str, start: int, name: str, value: Value, promise: int) -> bool:
    """Tell whether the value is the secret that the name at `start` promises."""
    if value.form in _ASSIGNED or name.startswith("-"):
        return _is_assigned(name, value, promise)
    if value.form == "heading":
        # What follows a long line is not its heading's text.
        is_short = start < _MOST_HEADING or "\n" in text[start - _MOST_HEADING : start]
        return is_short and _is_spoken(value, promise)
    if value.form == "blank":
        return _is_bare_neighbour(value.text, promise) or _is_directive(
            text, start, name, value, promise
        )
    if value.quoted and "phrase" in name.lower() and words.is_passphrase(value.text):
        return True
    return _is_spoken(value, promise, text[value.end : value.end + 2])


def _is_assigned(name: str, value: Value, promise: int) -> bool:
    lowered, text = name.lower(), value.text
    if lowered.strip("-") == "pass":
        return words.is_spoken_password(text)
    if lowered.endswith("key") and words.is_slug(text):
        return False
    return (
        words.is_secret(text, promise, quoted=value.quoted)
        or (lowered.endswith(("secret", "secrets")) and words.is_worded_secret(text))
        or (promise == PASSWORD and "phrase" in lowered and words.is_passphrase(text))
        or (
            words.is_constant(name)
            and (
                (promise == PASSWORD and words.is_weak_password(text))
                or (name.endswith("_AUTH") and words.is_spoken_password(text))
            )
        )
    )


def _is_directive(text: str, start: int, name: str, value: Value, promise: int) -> bool:
    """Tell whether name and value are all of a line, or name a variable: `bindpw x`, `ENV X y`."""
    if words.is_constant(name):
        return words.is_secret(value.text, promise, quoted=value.quoted)
    if promise == HINT:
        return False  # `session 01JD4K7Q…` on a line names a conversation
    line = text[text.rfind("\n", max(0, start - _MOST_NAME), start) + 1 : start]
    rest = text[value.end : value.end + 2].strip("\"' \t")
    return not line.strip(" \t-") and rest[:1] in ("", "\n") and _is_spoken(value, promise)


def _is_spoken(value: Value, promise: int, after: str = "x") -> bool:
    if promise == PASSWORD:
        is_prose = value.form == "prose" and len(value.text) > 7
        return (is_prose and words.is_lone_password(value.text, after)) or (
            words.is_spoken_password(value.text) and " " not in value.text
        )
    return words.is_secret(value.text, promise, quoted=value.quoted) and (
        promise != HINT or words.is_random(value.text, 20)
    )


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
    mixed = words.has_both(text)
    if promise == PASSWORD and symbols and len(text) >= 6 and (mixed or len(text) >= 10):
        return True
    return words.is_random(text, 10)


def _named_zh(view: View) -> Iterator[Redaction]:
    text, position = view.text, 0
    while stem := _STEM_ZH.search(view.lowered, position):
        position = stem.end()
        # A value is written in ASCII; most often Chinese goes on, and names far before can wait.
        ascii_at = _ASCII.search(text, position)
        if not ascii_at:
            return
        if ascii_at.start() > position + _NEAR_AFTER:
            position = ascii_at.start() - _NEAR_AFTER
            continue
        between = _BETWEEN_ZH.match(text, position)
        if not between or has_any(between["filler"], _ABOUT_ZH):
            continue
        whole = _value_at(text, between.end())
        for value in _readings(text, whole) if whole else ():
            if _is_secret_zh(text, stem.group(), between, value):
                yield Redaction(value.start, value.end, "password")
                position = value.end
                break


def _is_secret_zh(text: str, name: str, between: re.Match[str], value: Value) -> bool:
    if value.text.isdigit() and _UNIT_ZH.match(text, value.end):
        return False
    if between["none"] is not None:
        if value.text.isdigit():
            return len(value.text) in (4, 6, 8)
        return len(value.text) > 5 and words.is_spoken_password(value.text)
    is_named = bool(between["sign"].strip()) and name in ("密码", "密碼", "口令")
    after = text[value.end : value.end + 2]
    return _is_spoken_zh(value.text, name) or (
        is_named and words.is_lone_password(value.text, after)
    )


def _is_spoken_zh(text: str, name: str) -> bool:
    if name == "授权码" and len(text) == _MAIL_CODE and text.isalpha() and text.islower():
        return True
    if text.isdigit():
        return 4 <= len(text) <= 32 and not words.is_placeholder(text)
    if len(text) == 4:
        return text.isalnum() and words.has_both(text)  # 提取码: a1b2
    return text.isascii() and words.is_spoken_password(text)


# How many characters around a word such as “password” are searched for one.
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


def _near(view: View) -> Iterator[Redaction]:
    """Yield words near such a name that look like a password and like nothing else."""
    text = view.text
    spans, position = [(0, 0)], 0
    while stem := _NEAR_STEM.search(view.lowered, position):
        spans.append(_line_around(text, *stem.span()))
        # A name half-way on covers what those between would.
        position = max(stem.end(), spans[-1][1] - _NEAR_AFTER // 2)
    for first, last in joined(spans):
        end = min(len(text), last + 64)
        # Without a digit no word is one: most sentences have none.
        for match in (
            _NEAR_WORD.finditer(text, first, end) if _DIGIT.search(text, first, end) else ()
        ):
            value = words.trimmed(match.group())
            if match.start() < last and words.is_strong_password(value):
                yield Redaction(match.start(), match.start() + len(value), "password")


def _line_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Return what is near a word on its line; nothing is near the kind in a mark."""
    begin = text.rfind(_MARK_BEGIN, max(0, start - _MOST_NAME), start)
    if begin >= 0 and "]" not in text[begin:start]:
        return start, start
    first = max(0, start - _NEAR_BEFORE)
    last = text.find("\n", end, end + _NEAR_AFTER)
    return (
        max(first, text.rfind("\n", first, end) + 1),
        last if last >= 0 else min(len(text), end + _NEAR_AFTER),
    )


# The secrets that a name before them, or a word near them, gives away.
SEARCHES = (
    Search(_named, _STEM_HINTS),
    Search(_named_zh, _HINTS_ZH),
    Search(_near, _NEAR_STEMS),
)
