"""Does a statement say more than its source?

Each name, number, path and quotation must be in the source, a number beside a word of what it
counts, and what is said to work must be said to work there. The two texts alone show no more: not
whether A broke B or B broke A. To refuse a right statement costs a line of a digest; to let a
made-up one through is worse.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from daily_memory.core.format.markdown import language_of
from daily_memory.core.search import text as texts

# A statement that shares less of its words with the source is about something else.
_LEAST_SHARED = 0.3
# A passage that shares more of them says the same, wherever its numbers are.
_SAME = 0.5
# So many words on each side of a number may say what it counts.
_NEAR = 2
_SHORTEST_NAME = 4

_LETTER = r"0-9A-Za-z_\u00c0-\u024f"
_RUN = re.compile(
    rf"(?:(?<![{_LETTER}-])--?(?=[A-Za-z]))?[{_LETTER}](?:[{_LETTER}./\\:@#+~-]*[{_LETTER}])?"
)
_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_FIGURE = re.compile(r"v?(\d+(?:[.,:/-]\d+)*)(?:[A-Za-z]{1,3})?", re.IGNORECASE)
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_IDENTIFIER = re.compile(r"[0-9_./\\:@#+~]|[a-z][A-Z]|^-")
_CODE_QUOTE = re.compile(r"`([^`\n]{1,200})`")
_QUOTE = re.compile(r"“([^”\n]{1,80})”|「([^」\n]{1,80})」|『([^』\n]{1,80})』|\"([^\"\n]{1,80})\"")
_SENTENCE_START = re.compile(r"(?:^|[.!?。！？;；:：]|-\s)[\s\"“'(*]*$")
# Lines that are wrapped go on with a small letter.
_PASSAGE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])\s*|\n(?![a-z])")
_TOKEN = re.compile(r"[a-z\u00c0-\u024f]{2,}|[\u4e00-\u9fff]{2}|\d+(?:[.,]\d+)*")
# "MIT licence": a short name with its noun, not with a verb.
_COMPOUND = re.compile(r"\b([A-Z]{2,})\ ([a-z]{4,}(?<!s)(?<!ed)(?<!ing))\b")
_WORKS = re.compile(
    r"\b(?:works?|working|fixed|resolved|succeed(?:s|ed)|successful(?:ly)?|pass(?:es|ed))\b"
    r"|通过|修复|修好|成功|解决了|正常",
    re.IGNORECASE,
)
_DOES_NOT = re.compile(
    r"\b(?:not|no|never|without|fail\w*|broken|un(?:resolved|fixed))\b|n['’]t\b|[不没未]|失败",
    re.IGNORECASE,
)
_ABBREVIATIONS = frozenset({"e.g", "i.e", "etc", "vs", "a.m", "p.m"})
# A name at the beginning of a statement, where an ordinary word looks the same.
_SUBJECT = re.compile(r"\s+(?:said|says|wants?|\w+(?:ed|es))\b")
# Who does it: a person or a team.
_BY = re.compile(r"由([\u4e00-\u9fff]{2,4}?)(?=负责|建议|提出|反馈|确认|决定)")
_LONG_HAN_DIGITS = 4
_HAN_NUMBER = re.compile("[零〇一二两三四五六七八九十][零〇一二两三四五六七八九十百千万亿]+")


class Passage(NamedTuple):
    """A sentence of a source: its words, and with each number the words near it."""

    text: str
    terms: frozenset[str]
    near: dict[str, frozenset[str]]


class SourceText(NamedTuple):
    """A text that statements are checked against."""

    text: str
    words: frozenset[str]
    terms: frozenset[str]
    passages: tuple[Passage, ...]


def source_of(text: str) -> SourceText:
    """Return a text as `unsupported` looks things up in it."""
    folded = _folded(text)
    passages = tuple(_passage(part) for part in _PASSAGE.split(text) if part.strip())
    return SourceText(
        folded, frozenset(_WORD.findall(folded)), frozenset(texts.terms(text)), passages
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
    rest = _CODE_QUOTE.sub(" ", plain)
    unknown = next(chain(_unknown_quotes(plain, source), _unknown_names(rest, source)), "")
    terms = frozenset(texts.terms(plain))
    is_foreign = len(terms & source.terms) < _LEAST_SHARED * len(terms)
    return unknown or (statement if is_foreign or not _is_borne_out(rest, source) else "")


def _unknown_quotes(statement: str, source: SourceText) -> Iterator[str]:
    for quoted in chain(_groups(_CODE_QUOTE, statement), _groups(_QUOTE, statement)):
        # Some put the comma of the sentence inside the quotation.
        if _folded(quoted).strip(" ,.;:!?") not in source.text:
            yield quoted


def _unknown_names(statement: str, source: SourceText) -> Iterator[str]:
    """Yield the numbers and names that the source does not have, or has of something else."""
    for figure in _HAN_NUMBER.findall(statement):
        # `七八个` and `一一` are turns of phrase; `三百` and `二〇二六` are figures.
        is_figure = len(figure) >= _LONG_HAN_DIGITS or bool(set("十百千万亿") & set(figure))
        if is_figure and not _has_number(str(_han_value(figure)), statement, source):
            yield figure
    yield from (name for name in _BY.findall(statement) if name not in source.text)
    is_chinese = language_of(statement) == "zh"
    for run in _RUN.finditer(statement):
        # A capital at the beginning of a sentence shows a name where a verb follows.
        may_start = _SENTENCE_START.search(statement[: run.start()])
        starts = bool(may_start) and not _SUBJECT.match(statement, run.end())
        if not _is_known(run[0], statement, source, starts=starts, is_chinese=is_chinese):
            yield run[0]
    for match in _COMPOUND.finditer(statement):
        name, stem = match[1].casefold(), _stem(match[2])
        is_noun = not texts.is_stop_word(match[2])
        if is_noun and not any(name in p.text and stem in p.text for p in source.passages):
            yield match[0]


def _is_borne_out(statement: str, source: SourceText) -> bool:
    """Tell whether what is said to work is said to work in the source, in a sentence about it.

    Who says so may name the thing in the sentence before.
    """
    own = _passage(_WORKS.sub(" ", statement))
    about = frozenset(term for term in own.terms if not term.isdigit())
    if not about or not _says_works(statement):
        return True
    earlier = (Passage("", frozenset(), {}), *source.passages)
    return any(
        _says_works(now.text)
        and about & (now.terms | before.terms)
        and own.near.keys() <= (now.near.keys() | before.near.keys())
        for before, now in zip(earlier, source.passages, strict=False)
    )


def _says_works(text: str) -> bool:
    return bool(_WORKS.search(text)) and not _DOES_NOT.search(text)


def _groups(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    """Yield of each match the group that matched."""
    for match in pattern.finditer(text):
        yield next(group for group in match.groups() if group)


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold().replace("\\", "/")
    return " ".join(plain.split())


# ---------------------------------------------------------------------------- numbers


def _passage(text: str) -> Passage:
    folded = _with_figures(_folded(text))
    near: dict[str, frozenset[str]] = {}
    for number, words in _near_numbers(folded):
        parts = number.split(".")
        # Of `3.11.7` also `3` and `3.11`, as people shorten it.
        for count in range(1, len(parts) + 1):
            short = ".".join(parts[:count])
            near[short] = near.get(short, frozenset()) | words
    return Passage(folded, frozenset(texts.terms(text)), near)


def _near_numbers(folded: str) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield each number of a text with the words next to it on both sides."""
    tokens = [match[0] for match in _TOKEN.finditer(folded)]
    for place, token in enumerate(tokens):
        if token[0].isdigit():
            sides = (tokens[place + 1 :], tokens[:place][::-1])
            words = {_stem(word) for side in sides for word in _first_words(side)}
            for number in {_plain_number(token), *map(_plain_number, token.split(","))}:
                yield number, frozenset(words)


def _first_words(tokens: Iterable[str]) -> list[str]:
    words = [word for word in tokens if not word[0].isdigit() and not texts.is_stop_word(word)]
    return words[:_NEAR]


def _stem(word: str) -> str:
    return word if not word.isascii() else word[: max(4, len(word) - 3)]


def _with_figures(text: str) -> str:
    """Return a text with its numbers in Chinese characters as digits."""
    return _HAN_NUMBER.sub(lambda match: f" {_han_value(match[0])} ", text)


def _has_number(number: str, statement: str, source: SourceText) -> bool:
    """Tell whether a passage has a number beside a word that the statement has beside it."""
    folded = _with_figures(_folded(statement))
    terms = frozenset(term for term in texts.terms(statement) if not term.isdigit())
    beside = [words for other, words in _near_numbers(folded) if other == number]
    words_beside = frozenset[str]().union(*beside)
    for passage in source.passages:
        if number in passage.near:
            is_same = len(terms & passage.terms) > _SAME * len(terms)
            if is_same or not words_beside or not words_beside.isdisjoint(passage.near[number]):
                return True
    return False


def _plain_number(number: str) -> str:
    """Return a number without separators of thousands and leading zeros.

    >>> _plain_number("1,024"), _plain_number("007"), _plain_number("0.5")
    ('1024', '7', '0.5')
    """
    bare = number.replace(",", "") if _GROUPED.fullmatch(number) else number.replace(",", ".")
    return re.sub(r"^0+(?=\d)", "", bare)


def _han_value(number: str) -> int:
    """Return the value of a number in Chinese characters.

    >>> _han_value("三百"), _han_value("一万二千"), _han_value("二〇二六")
    (300, 12000, 2026)
    """
    values = [int(unicodedata.numeric(character)) for character in number]
    if max(values) < 10:
        return int("".join(map(str, values)))
    total = part = digit = 0
    for value in values:
        if value < 10:
            digit = value
        elif value < 10_000:
            part, digit = part + (digit or 1) * value, 0
        else:
            total, part, digit = total + (part + digit) * value, 0, 0
    return total + part + digit


# ---------------------------------------------------------------------------- names


def _is_known(
    run: str, statement: str, source: SourceText, *, starts: bool, is_chinese: bool
) -> bool:
    figure = _FIGURE.fullmatch(run)
    if figure:
        parts = [_plain_number(part) for part in re.split("[:/-]", figure[1])]
        if len(parts) > 1:
            has_all = all(any(part in p.near for p in source.passages) for part in parts)
        else:
            has_all = _has_number(parts[0], statement, source)
        if has_all:
            return True
    if _IDENTIFIER.search(run):
        return not (figure and run.isascii() and run[0].isdigit()) and _is_known_name(run, source)
    # `Redis-backed` has a name in it, `Re-run` has none.
    first, *others = run.split("-")
    starts = starts and (not others or len(first) < _SHORTEST_NAME)
    return _is_known_word(first, source, starts=starts, is_chinese=is_chinese) and all(
        _is_known_word(word, source, starts=False, is_chinese=is_chinese) for word in others
    )


def _is_known_name(run: str, source: SourceText) -> bool:
    folded = _folded(run)
    whole = rf"(?<![a-z0-9_]){re.escape(folded)}(?![a-z0-9_])"
    if folded in _ABBREVIATIONS or re.search(whole, source.text):
        return True
    # `read/write` is two words; a path has more to it.
    words = folded.split("/")
    return all(word in source.words or texts.is_stop_word(word) for word in words)


def _is_known_word(word: str, source: SourceText, *, starts: bool, is_chinese: bool) -> bool:
    folded = word.casefold()
    forms = {folded, f"{folded}s", folded.removesuffix("s"), folded.removesuffix("es")}
    if len(word) < 2 or not forms.isdisjoint(source.words):
        return True
    if is_chinese or word.isupper():
        return False
    return not word[0].isupper() or starts
