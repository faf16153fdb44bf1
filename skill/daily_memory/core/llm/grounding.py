"""Checks that a source supports a statement.

Each name, number, path and quotation must be in the source, a number next to a word that it counts,
and a claim that something works must be there too. Text comparison can't show more, such as whether
A broke B or B broke A. Rejecting a right statement costs a line, accepting an invented one trust.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
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
_QUOTE = re.compile(r"[“「『\"]([^”」』\"\n]{1,80})[”」』\"]")
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
# `三百` and `二〇二六` are figures; `七八个` and `一一` are turns of phrase.
_HAN_FIGURE = re.compile(
    "(?=[零〇一二两三四五六七八九]{4}|[零〇一二两三四五六七八九]*[十百千万亿])"
    "[零〇一二两三四五六七八九十][零〇一二两三四五六七八九十百千万亿]+"
)


class Passage(NamedTuple):
    """A sentence of the source: its words, and the words near each number."""

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
    """Return a text prepared for `is_supported`."""
    folded = _folded(text)
    passages = tuple(_passage(part) for part in _PASSAGE.split(text) if part.strip())
    return SourceText(
        folded, frozenset(_WORD.findall(folded)), frozenset(texts.terms(text)), passages
    )


def is_supported(statement: str, source: SourceText) -> bool:
    """Tell whether a source has all that a statement names, and says of it what that says.

    >>> source = source_of("TTL 定为 300 秒，见 config/redis.yml。")
    >>> is_supported("Redis 的 TTL 定为 600 秒", source)
    False
    >>> is_supported("TTL 定为三百秒（config/redis.yml）", source)
    True
    """
    plain = unicodedata.normalize("NFKC", statement)
    rest = _with_figures(_CODE_QUOTE.sub(" ", plain))
    terms = frozenset(texts.terms(plain))
    # Some put the comma of the sentence inside the quotation.
    quotes = chain(_CODE_QUOTE.findall(plain), _QUOTE.findall(plain))
    quoted = (_folded(quote).strip(" ,.;:!?") for quote in quotes)
    return (
        len(terms & source.terms) >= _LEAST_SHARED * len(terms)
        and all(name in source.text for name in chain(quoted, _BY.findall(rest)))
        and all(_is_known(run, _passage(rest), source) for run in _RUN.finditer(rest))
        and all(_has_compound(match, source) for match in _COMPOUND.finditer(rest))
        and _is_borne_out(rest, source)
    )


def _is_borne_out(statement: str, source: SourceText) -> bool:
    """Tell whether a claim that something works is in the source, in a sentence about it.

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
    """Yield each number of a text with its neighbouring words."""
    tokens = _TOKEN.findall(folded)
    for place, token in enumerate(tokens):
        if token[0].isdigit():
            words: list[str] = []
            for side in (tokens[place + 1 :], tokens[:place][::-1]):
                plain = (word for word in side if not word[0].isdigit())
                words += [_stem(word) for word in plain if not texts.is_stop_word(word)][:_NEAR]
            for number in {_plain_number(token), *map(_plain_number, token.split(","))}:
                yield number, frozenset(words)


def _stem(word: str) -> str:
    return word if not word.isascii() else word[: max(4, len(word) - 3)]


def _has_number(number: str, own: Passage, source: SourceText) -> bool:
    """Tell whether a passage has a number next to one of the same words."""
    terms = frozenset(term for term in own.terms if not term.isdigit())
    words = own.near.get(number, frozenset())
    return any(
        not words or words & passage.near[number] or len(terms & passage.terms) > _SAME * len(terms)
        for passage in source.passages
        if number in passage.near
    )


def _plain_number(number: str) -> str:
    """Return a number without separators of thousands and leading zeros.

    >>> _plain_number("1,024"), _plain_number("007"), _plain_number("0.5")
    ('1024', '7', '0.5')
    """
    bare = number.replace(",", "") if _GROUPED.fullmatch(number) else number.replace(",", ".")
    return re.sub(r"^0+(?=\d)", "", bare)


def _with_figures(text: str) -> str:
    """Return a text with its figures in Chinese characters as digits.

    >>> _with_figures("三百个，一万二千个，七八个，二〇二六年")
    ' 300 个， 12000 个，七八个， 2026 年'
    """
    return _HAN_FIGURE.sub(lambda match: f" {_han_value(match[0])} ", text)


def _han_value(number: str) -> int:
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


def _is_known(run: re.Match[str], own: Passage, source: SourceText) -> bool:
    """Tell whether the source has a number or name."""
    figure = _FIGURE.fullmatch(run[0])
    if figure:
        numbers = [_plain_number(part) for part in re.split("[:/-]", figure[1])]
        if all(_has_number(number, own, source) for number in numbers):
            return True
    if _IDENTIFIER.search(run[0]):
        return not (figure and run[0][0].isdigit()) and _is_known_name(_folded(run[0]), source)
    # A capital at the beginning of a sentence shows a name where a verb follows.
    starts = _SENTENCE_START.search(run.string[: run.start()])
    is_sentence = starts and not _SUBJECT.match(run.string, run.end())
    is_chinese = language_of(run.string) == "zh"
    # `Redis-backed` has a name in it, `Re-run` has none.
    first, *others = run[0].split("-")
    is_word = is_sentence and (not others or len(first) < _SHORTEST_NAME)
    titles = others if is_word else [first, *others]
    return all(
        _is_word_of(word, source)
        or not (is_chinese or word.isupper() or (word in titles and word[0].isupper()))
        for word in (first, *others)
    )


def _is_known_name(folded: str, source: SourceText) -> bool:
    whole = rf"(?<![a-z0-9_]){re.escape(folded)}(?![a-z0-9_])"
    if folded in _ABBREVIATIONS or re.search(whole, source.text):
        return True
    # `read/write` is two words; a path has more to it.
    words = folded.split("/")
    return all(word in source.words or texts.is_stop_word(word) for word in words)


def _is_word_of(word: str, source: SourceText) -> bool:
    folded = word.casefold()
    forms = {folded, f"{folded}s", folded.removesuffix("s"), folded.removesuffix("es")}
    return len(word) < 2 or not forms.isdisjoint(source.words)


def _has_compound(compound: re.Match[str], source: SourceText) -> bool:
    name, stem = compound[1].casefold(), _stem(compound[2])
    return texts.is_stop_word(compound[2]) or any(
        name in passage.text and stem in passage.text for passage in source.passages
    )
