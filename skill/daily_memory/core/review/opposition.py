"""Statements that can't both hold: with different values, or one of them with a "never".

"Logs are kept for 30 days" and "… for 90 days"; "deploy on Fridays" and "周五不要部署". Without
number and negation, most words of the two must be the same. This takes no list of what can be set
or forbidden, in either language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from math import ceil

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.search import text
from daily_memory.named_tuples import NamedTuple

# Longer ones say more than one thing.
_LONGEST = 160
# How many of the words of the shorter statement the other one has, beside a value or a negation;
# at least `_FEWEST`, if that is not all that both have.
_LEAST_SHARED = 0.6
_LEAST_SHARED_NEGATED = 0.8
_FEWEST = 2

_DENIALS = r"never|no longer|must not|do not|don['’]t|cannot|avoid"
_CHINESE_DENIALS = "不再|不要|不能|不得|不准|不许|不可以|不可|不用|禁止|严禁|切勿|请勿|别再|别|勿"
_NEGATION = lazy_pattern(rf"\b(?:{_DENIALS})\b|{_CHINESE_DENIALS}", re.IGNORECASE)
# Of lower-case text: without a `\b` in front, the search skips to the next first letter.
_MAY_DENY = lazy_pattern(f"{_DENIALS}|{_CHINESE_DENIALS}")
# Without a unit a number is a value where something is set: "port 8080" is a name.
_VALUE = lazy_pattern(
    r"(?P<set>\b(?i:from|to|is|at|now)\s|(?<!\d)[=:：]\s?|[为是成到从由]\s?)?"
    r"(?<![A-Za-z0-9_.#/:-])(?P<number>\d{1,9}(?:\.\d{1,3})?)"
    r"(?:\s?(?P<unit>%|(?i:[kmg]i?b|ms|s|secs?|seconds?|min|minutes?|h|hours?|d|days?|weeks?|months?|years?"
    r"|times|retries)\b|毫秒|秒钟?|分钟?|小时|天|周|星期|个月|年|次)|(?![\w.%/-]))"
)
_DIGIT = re.compile(r"\d")
_UNITS = {
    unit: (base, factor)
    for base, factor, units in (
        ("s", 0.001, "ms 毫秒"),
        ("s", 1.0, "s sec secs second seconds 秒 秒钟"),
        ("s", 60.0, "min minute minutes 分钟 分"),
        ("s", 3600.0, "h hour hours 小时"),
        ("s", 86400.0, "d day days 天"),
        ("s", 7 * 86400.0, "week weeks 周 星期"),
        ("B", 1024.0, "kb kib"),
        ("B", 1024.0**2, "mb mib"),
        ("B", 1024.0**3, "gb gib"),
    )
    for unit in units.split()
}
# Words that only say that something is settled, or was something else before.
_FILLER = lazy_pattern(
    r"\b(?:decided|decision|now|always|must|should|set|changed|raised|lowered|from|to|is|are|can"
    r"|may)\b"
    r"|改为|改成|改到|改|调整|可以|允许|现在|目前|已经|决定|统一|一律|总是|必须|应该|设为|定为|调整为|调到"
    r"|由|从|到|为|是|了|每|都"
    r"|^- ",
    re.IGNORECASE,
)

_WORD = lazy_pattern(r"[a-z0-9_][a-z0-9_.+#-]*|[\u3400-\u9fff]")

# "Node 1" is not "node 2", nor is service A service B.
_NAME = lazy_pattern(r"(?<![A-Za-z0-9_.])(?:[A-Za-z]*\d[\w.]*|(?!A\s+[a-z]|I\b)[A-Z](?![\w'’]))")
# Its digit or its letter: nearly all lines have neither.
_OF_NAME = lazy_pattern(r"[\dA-Z](?:(?<=\d)|(?![\w'’]))")


# The terms of a word that is no filler.
_TELLING = text.Memo(
    lambda word: tuple(term for term in text.terms(_FILLER.sub(" ", word)) if len(term) > 1)
)


class Statement(NamedTuple):
    """What a statement says: its words, whether it denies them, and the value.

    The value is in seconds or bytes, or else in its `unit`. `names` are its numbers that are no
    value, and its single letters; where it has a value, `plain` is the text around that.
    """

    words: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    is_negated: bool = False
    value: float | None = None
    unit: str = ""
    plain: str = ""


# See `group`.
Group = tuple[str, frozenset[str], bool, bool]


def opposed_pairs(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of lines that are opposed, in their order.

    A value opposes another value, a negation may oppose any line: most lines need not be read.
    """
    short = [at for at, line in enumerate(lines) if len(line) <= _LONGEST]
    valued = {at for at in short if _values_in(lines[at])}
    denials = {at: parse_statement(lines[at]) for at in short if _NEGATION.search(lines[at])}
    groups: dict[Group, list[tuple[int, Statement]]] = {}
    for at in short:
        if at not in denials and not (at in valued and len(valued) > 1):
            lowered = lines[at].lower()
            if not any(_may_be_denied(lowered, denial.words) for denial in denials.values()):
                continue
        statement = denials.get(at) or parse_statement(lines[at])
        for before, other in groups.get(group_of_partners(statement), ()):
            if are_opposed(other, statement):
                yield before, at
        groups.setdefault(group(statement), []).append((at, statement))


def _may_be_denied(lowered: str, words: frozenset[str]) -> bool:
    """Tell whether a line has enough of a denial's words (stems)."""
    return sum(word.rstrip("i") in lowered for word in words) >= len(words) / 2


def parse_statement(line: str) -> Statement:
    """Return a parsed statement; without words if it is a question or too long.

    >>> parse_statement("日志保留 30 天").value
    2592000.0
    >>> parse_statement("never deploy on Fridays").is_negated
    True
    """
    folded = text.fold(line)
    if len(folded) > _LONGEST or "?" in folded:
        return Statement()
    values = _values_in(folded)
    plain = _VALUE.sub(_without_value, folded) if values else folded
    negations = 0
    if _MAY_DENY.search(plain.lower()):
        plain, negations = _NEGATION.subn("", plain)
    names = frozenset(_NAME.findall(plain) if _OF_NAME.search(plain) else ())
    value, unit = _stated(values)
    if plain.isascii():  # filler is left out word by word
        words = frozenset(chain.from_iterable(map(_TELLING.__getitem__, text.folded_tokens(plain))))
        plain = _FILLER.sub(" ", plain) if value is not None else ""
    else:
        plain = _FILLER.sub("", plain)
        terms = text.terms_of(text.folded_tokens(plain))
        words = frozenset(term for term in terms if len(term) > 1)
    plain = plain.lower() if value is not None else ""
    return Statement(words, names, negations % 2 == 1, value, unit, plain)


def states_value(line: str) -> bool:
    """Tell whether `parse_statement` would find a value, four times as fast."""
    folded = text.fold(line)
    is_read = len(folded) <= _LONGEST and "?" not in folded
    return is_read and _stated(_values_in(folded))[0] is not None


def _stated(values: Sequence[tuple[float, str]]) -> tuple[float | None, str]:
    """Return the value that holds: the last of "from 30 to 90 days", none of "12 s for 300 MB"."""
    units = {unit for _, unit in values if unit}
    return values[-1] if values and len(units) <= 1 else (None, "")


def _values_in(line: str) -> list[tuple[float, str]]:
    """Return the values in a line with units; times in seconds, sizes in bytes."""
    values: list[tuple[float, str]] = []
    # A look for a digit saves most of the search for a value.
    for match in _VALUE.finditer(line) if _DIGIT.search(line) else ():
        if match["unit"] or match["set"]:
            unit = (match["unit"] or "").lower()
            base, factor = _UNITS.get(unit, (text.stem(unit), 1.0))
            values.append((float(match["number"]) * factor, base))
    return values


def _without_value(match: re.Match[str]) -> str:
    is_value = match["unit"] or match["set"]
    return f"{match['set'] or ''} " if is_value else match[0]


def group(statement: Statement) -> Group:
    """Return a key: statements about the same thing have equal keys."""
    is_value = statement.value is not None
    return statement.unit, statement.names, is_value, statement.is_negated and not is_value


def group_of_partners(statement: Statement) -> Group:
    """Return the key of statements that may oppose this one.

    A value only opposes another one, and what has none what denies it, or what it denies.
    """
    unit, names, is_value, denies = group(statement)
    return unit, names, is_value, not is_value and not denies


def least_shared(statement: Statement) -> int:
    """Return how many words a statement about the same thing shares at least."""
    few = min(_FEWEST, len(statement.words))
    is_value = statement.value is not None
    return few if is_value else max(few, ceil(_LEAST_SHARED * len(statement.words)))


def are_opposed(one: Statement, other: Statement) -> bool:
    """Tell whether only one of two statements can hold.

    >>> are_opposed(parse_statement("每周五部署"), parse_statement("周五不要部署"))
    True
    >>> logs, builds = map(parse_statement, ("Logs are kept for 30 days", "Builds for 90 days"))
    >>> are_opposed(logs, builds)
    False
    """
    if not is_on_same(one, other):
        return False
    return one.is_negated != other.is_negated or one.value != other.value


def is_on_same(one: Statement, other: Statement) -> bool:
    """Tell whether two statements are about the same thing, with values or a "never".

    >>> same = map(parse_statement, ("Logs are kept for 30 days", "logs are kept for 30 days"))
    >>> is_on_same(*same)
    True
    """
    words, others = one.words, other.words
    shared, fewest, most = len(words & others), len(words), len(others)
    if fewest > most:
        fewest, most = most, fewest
    # First, as nearly all others end here.
    if shared < _LEAST_SHARED * fewest:
        return False
    if shared < min(_FEWEST, most) or (one.unit, one.names) != (other.unit, other.names):
        return False
    if one.is_negated != other.is_negated:
        is_near = shared >= _LEAST_SHARED_NEGATED * fewest and shared >= _LEAST_SHARED * most
        return is_near and one.value == other.value
    is_value = one.value is not None and other.value is not None
    return is_value and not _is_of_another(one.plain, other.plain)


def _is_of_another(plain: str, other: str) -> bool:
    """Tell whether two texts differ in a word at one place.

    "The limit of the login" is not "the limit of the download", however much else is the same.
    """
    from difflib import SequenceMatcher  # few pairs come so far, and a hook compares some

    words, others = ([text.stem(word) for word in _WORD.findall(each)] for each in (plain, other))
    edits = SequenceMatcher(None, words, others, autojunk=False).get_opcodes()
    return any(tag == "replace" for tag, *_ in edits)
