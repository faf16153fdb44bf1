"""Does a statement say more than its source? Each name, number and path must be in the source.

That is what the two texts alone can show. Whether what is said about a name is true they can't
show, nor that a word in lower case ("redis" in an English sentence) is a name. To refuse a right
statement costs a line of a digest; to let a made-up one through is worse.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from daily_memory.core.format.markdown import language_of
from daily_memory.core.search import text as texts

# A statement that shares less of its words with the source is about something else.
_LEAST_SHARED = 0.3

_LETTER = r"0-9A-Za-z_\u00c0-\u024f"
_RUN = re.compile(
    rf"(?:(?<![{_LETTER}-])--?(?=[A-Za-z]))?[{_LETTER}](?:[{_LETTER}./\\:@#+~-]*[{_LETTER}])?"
)
_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_FIGURE = re.compile(r"v?(\d+(?:[.,:/-]\d+)*)(?:[A-Za-z]{1,3})?", re.IGNORECASE)
_FIGURE_PART = re.compile(r"[:/-]")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_IDENTIFIER = re.compile(r"[0-9_./\\:@#+~]|[a-z][A-Z]|^-")
_CODE_QUOTE = re.compile(r"`([^`\n]{1,200})`")
_QUOTE = re.compile(r"“([^”\n]{1,80})”|「([^」\n]{1,80})」|『([^』\n]{1,80})』|\"([^\"\n]{1,80})\"")
_SENTENCE_START = re.compile(r"(?:^|[.!?。！？;；:：]|-\s)[\s\"“'(*]*$")
_ORDINARY_END = re.compile(r"(?:ed|ing|ly|tion)$")
_ABBREVIATIONS = frozenset({"e.g", "i.e", "etc", "vs", "a.m", "p.m"})
# Words that statements begin with; a name at that place looks the same.
_OPENERS = frozenset(
    "add adjust agree allow apply ask avoid both bug build cache change check choose chose "
    "clean code compare configure confirm consider convert create cut debug decide define "
    "delete deploy developer discuss document drop each enable ensure error expand explain "
    "file find fix follow found gave get goal handle help identify implement improve include "
    "install introduce issue keep kept look made make measure merge migrate move need new "
    "next no none note now old one open plan prepare prevent problem provide pull push "
    "question ran read rebuild reduce release remove rename replace report request resolve "
    "restart restore result retry return review revert rewrite risk run save saw send set "
    "ship show simplify split start still store support switch task test tests three took "
    "track tried try tune two understand update upgrade use user users verify wait want watch "
    "work write wrote yet".split()
)

_SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾萧肖田董袁潘蔡蒋余杜叶程苏魏吕"
    "丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃"
    "武戴莫孔向汤"
)
_BEFORE_PERSON = r"(?:^|(?<=[由和与跟给请让@，。；、：\s]))"
_PERSON = re.compile(
    rf"{_BEFORE_PERSON}([{_SURNAMES}][\u4e00-\u9fff]{{1,2}}?)"
    r"(?=负责|建议|提出|认为|同意|确认|反馈|要求|决定|汇报|说)"
    rf"|{_BEFORE_PERSON}([{_SURNAMES}](?:工(?!具|程|作)|总(?!结|体|数|是|共)|老师|经理|主管|同学))"
)
# Words that begin like a name.
_NOT_PERSONS = frozenset(
    "方案 方法 方面 任务 程序 时间 文档 应用 项目 金额 高层 任何 万一 向量 何时 范围 余额 段落 "
    "顾问 周期 周一 周二 周三 周四 周五 周六 周日 马上 高级 白板 方便 任意".split()
)

_HAN_DIGITS = dict(zip("零一二三四五六七八九〇两", (*range(10), 0, 2), strict=True))
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
_HAN_MYRIADS = {"万": 10**4, "亿": 10**8}
_HAN_UNIT = frozenset("十百千万亿")
_LONG_HAN_DIGITS = 4
_HAN_NUMBER = re.compile("[零〇一二两三四五六七八九十][零〇一二两三四五六七八九十百千万亿]+")


class SourceText(NamedTuple):
    """A text that statements are checked against."""

    text: str
    words: frozenset[str]
    numbers: frozenset[str]
    terms: frozenset[str]


def source_of(text: str) -> SourceText:
    """Return a text as `unsupported` looks things up in it."""
    folded = _folded(text)
    return SourceText(
        folded,
        frozenset(_WORD.findall(folded)),
        frozenset(_numbers(folded)),
        frozenset(texts.terms(text)),
    )


def unsupported(statement: str, source: SourceText) -> str:
    """Return the first thing in a statement that its source does not have; "" if it has all.

    >>> source = source_of("TTL 定为 300 秒，见 config/redis.yml。")
    >>> unsupported("Redis 的 TTL 定为 600 秒", source)
    '600'
    >>> unsupported("TTL 定为 300 秒（config/redis.yml）", source)
    ''
    """
    plain = unicodedata.normalize("NFKC", statement)
    for quoted in _quoted(plain):
        # Some put the comma of the sentence inside the quotation.
        if _folded(quoted).strip(" ,.;:!?") not in source.text:
            return quoted
    rest = _CODE_QUOTE.sub(" ", plain)
    is_chinese = language_of(plain) == "zh"
    for figure in _figures(rest):
        if figure not in source.text and str(_han_value(figure)) not in source.numbers:
            return figure
    for match in _PERSON.finditer(rest):
        name = match[1] or match[2]
        if name not in _NOT_PERSONS and name not in source.text:
            return name
    for run in _RUN.finditer(rest):
        starts = bool(_SENTENCE_START.search(rest[: run.start()]))
        if not _is_known(run[0], source, starts=starts, is_chinese=is_chinese):
            return run[0]
    return "" if _shares_enough(statement, source) else statement


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold().replace("\\", "/")
    return " ".join(plain.split())


def _quoted(statement: str) -> Iterator[str]:
    for match in _CODE_QUOTE.finditer(statement):
        yield match[1]
    for match in _QUOTE.finditer(statement):
        yield next(group for group in match.groups() if group)


# ---------------------------------------------------------------------------- numbers


def _numbers(folded: str) -> Iterator[str]:
    """Return every number of a text; of `3.11.7` also `3` and `3.11`, as people shorten it."""
    for match in _NUMBER.finditer(folded):
        parts = _plain_number(match[0]).split(".")
        for count in range(1, len(parts) + 1):
            yield ".".join(parts[:count])
        if "," in match[0]:
            yield from map(_plain_number, match[0].split(","))
    for match in _HAN_NUMBER.finditer(folded):
        yield str(_han_value(match[0]))


def _plain_number(number: str) -> str:
    """Return a number without separators of thousands and leading zeros.

    >>> _plain_number("1,024"), _plain_number("007"), _plain_number("0.5")
    ('1024', '7', '0.5')
    """
    bare = number.replace(",", "") if _GROUPED.fullmatch(number) else number.replace(",", ".")
    return re.sub(r"^0+(?=\d)", "", bare)


def _figures(statement: str) -> Iterator[str]:
    for match in _HAN_NUMBER.finditer(statement):
        # `七八个` and `一一` are turns of phrase; `三百` and `二〇二六` are figures.
        if len(match[0]) >= _LONG_HAN_DIGITS or not _HAN_UNIT.isdisjoint(match[0]):
            yield match[0]


def _han_value(number: str) -> int:
    """Return the value of a number in Chinese characters.

    >>> _han_value("三百"), _han_value("十二"), _han_value("一万二千"), _han_value("二〇二六")
    (300, 12, 12000, 2026)
    """
    if all(character in _HAN_DIGITS for character in number):
        return int("".join(str(_HAN_DIGITS[character]) for character in number))
    total = part = digit = 0
    for character in number:
        if character in _HAN_DIGITS:
            digit = _HAN_DIGITS[character]
        elif character in _HAN_UNITS:
            part += (digit or 1) * _HAN_UNITS[character]
            digit = 0
        else:
            total += (part + digit) * _HAN_MYRIADS[character]
            part = digit = 0
    return total + part + digit


# ---------------------------------------------------------------------------- names


def _is_known(run: str, source: SourceText, *, starts: bool, is_chinese: bool) -> bool:
    figure = _FIGURE.fullmatch(run)
    if figure:
        parts = _FIGURE_PART.split(figure[1])
        if all(_plain_number(part) in source.numbers for part in parts):
            return True
    if _IDENTIFIER.search(run):
        return _is_known_identifier(run, source)
    # `Redis-backed` has a name in it, `re-run` has none.
    first, *others = run.split("-")
    return _is_known_word(first, source, starts=starts, is_chinese=is_chinese) and all(
        _is_known_word(word, source, starts=False, is_chinese=is_chinese) for word in others
    )


def _is_known_identifier(run: str, source: SourceText) -> bool:
    folded = _folded(run)
    if folded in _ABBREVIATIONS or _stands_in(folded, source.text):
        return True
    # `read/write` is two words; a path has more to it.
    words = folded.split("/")
    return all(word in source.words or texts.is_stop_word(word) for word in words)


def _stands_in(name: str, text: str) -> bool:
    """Tell whether a name stands in a text as a whole."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not _joins(text[at - 1 : at], name[0]) and not _joins(text[end : end + 1], name[-1]):
            return True
        at = text.find(name, at + 1)
    return False


def _joins(outside: str, inside: str) -> bool:
    """Tell whether two neighbours belong to one name: `redis` and `_` do, `redis` and `缓` not."""
    both = outside + inside
    return bool(outside) and both.isascii() and both.replace("_", "x").isalnum()


def _is_known_word(word: str, source: SourceText, *, starts: bool, is_chinese: bool) -> bool:
    folded = word.casefold()
    if len(word) < 2 or _has_word(folded, source):
        return True
    if is_chinese or (word.isupper() and len(word) > 1):
        return False
    if not word[0].isupper():
        return True
    return starts and _is_ordinary(folded, source)


def _has_word(word: str, source: SourceText) -> bool:
    """Tell whether the source has a word, in the singular or the plural."""
    forms = {word, f"{word}s", word.removesuffix("s"), word.removesuffix("es")}
    return not forms.isdisjoint(source.words)


def _is_ordinary(word: str, source: SourceText) -> bool:
    if word in _OPENERS or texts.is_stop_word(word) or _ORDINARY_END.search(word):
        return True
    stem = word[: max(4, len(word) - 3)]
    return any(other.startswith(stem) for other in source.words)


def _shares_enough(statement: str, source: SourceText) -> bool:
    terms = frozenset(texts.terms(statement))
    return len(terms & source.terms) >= _LEAST_SHARED * len(terms)
