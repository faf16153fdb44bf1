"""Cuts text into terms: one way for what is stored and for what is asked.

Latin words become stems, identifiers are kept whole and in parts, and Chinese, Japanese and
Korean runs give every character and every adjacent pair, which needs no dictionary
(Nie, Gao, Zhang, Zhou 2000, "On the use of words and n-grams for Chinese information retrieval").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import chain, groupby
from operator import add

import Stemmer

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.search.characters import FOLDING
from daily_memory.core.search.stopwords import CHINESE, ENGLISH

# Goes up whenever the same text gives other terms: an index with other terms is made anew.
VERSION = 3
# Shorter words are neither corrected nor meant: most are names that the memory lacks, and all are
# like too many others. "git" is no "gift".
LEAST_LETTERS = 4

# Longer words are hashes, keys or binary data; their beginning is enough to find them.
_MAX_WORD = 64
MEMO_LIMIT = 50_000
FIRST_CJK = "々"  # the first of those that are letters

# A word, an identifier, a number such as 61,000, a version such as v3.11.7, or a run of Chinese.
# Of what is not ASCII, `\w` and a look at the characters do: to compile a class of all Chinese
# takes 4 ms.
_TOKEN = re.compile(r"\w+(?:\.(?<=[0-9A-Za-z_]\.)[0-9]+|,(?<=[0-9],)[0-9]{3}(?![0-9]))*")
# The parts of tokens that hold ASCII and Chinese only, and the bytes that UTF-8 has in such tokens:
# what lies between ASCII and U+3000 begins with C2 to E2.
_SCRIPT = lazy_pattern("[!-~]+|[^\x00-\x7f]+")
_ASCII_OR_CJK = bytes([*range(0xC2), *range(0xE3, 0x100)])
# The first bytes of characters from U+4000 to U+9FFF, and of letters below U+0250.
_FIRST_OF_CHINESE = bytes(range(0xE4, 0xEA))
_FIRST_OF_LATIN = bytes([*range(0x41, 0x5B), *range(0x61, 0x7B), *range(0xC3, 0xCA)])
_PART = lazy_pattern(
    r"""
    [A-Z]+ (?= [A-Z][a-z] )  # HTTP of HTTPServer
    | [A-Z]? [a-z]+
    | [A-Z]+
    | [0-9]+
    """,
    re.VERBOSE,
)
_CONTRACTION = lazy_pattern(r"(?<=[A-Za-z])['’](?:s|t|d|m|ll|re|ve)\b", re.IGNORECASE)
_SHARP = lazy_pattern(r"(?<![0-9A-Za-z_])([CcFf])#(?![0-9A-Za-z_])")
_PLUS_PLUS = lazy_pattern(r"(?<![0-9A-Za-z_])([CcGg])\+\+(?![0-9A-Za-z_])")
_DOT_NET = lazy_pattern(r"(?:(?<![0-9a-z])|(?<=asp))\.net\b", re.IGNORECASE)

# Names that are written with signs, as the words that they become.
SPELLINGS = {"cplusplus": "c++", "gplusplus": "g++", "csharp": "c#", "fsharp": "f#"} | {
    "dotnet": ".net"
}

# An accent that follows its letter, as in names of files on macOS, goes.
_FOLDED: dict[int, int | None] = {**FOLDING, **dict.fromkeys(range(0x300, 0x370))}

_stemmer = Stemmer.Stemmer("english", 0)


class Memo(dict[str, tuple[str, ...]]):
    """What a function gives for each word seen; all are forgotten before there are too many."""

    def __init__(self, function: Callable[[str], tuple[str, ...]]) -> None:
        self._function = function

    def __missing__(self, word: str) -> tuple[str, ...]:
        if len(self) >= MEMO_LIMIT:
            self.clear()
        self[word] = found = self._function(word)
        return found


def _word_terms(word: str) -> tuple[str, ...]:
    return tuple(map(stem, _word_parts(word)))


def _word_parts(word: str) -> tuple[str, ...]:
    if word.islower() and word.isalpha():
        return () if word in ENGLISH else (word,)
    if "." in word:
        return _version_parts(word.replace(",", ""))
    parts = split_identifier(word)
    whole = "".join(parts)
    if len(parts) < 2:
        return () if not whole or whole in ENGLISH else (whole,)
    # The letter of p99, v2 and 120s says nothing alone.
    said = (part for part in parts if part not in ENGLISH and (len(part) > 1 or part.isdigit()))
    return (whole, *said)


# The terms of a word that is not Chinese, and what they are the stems of: none of a stop word.
MEMO = Memo(_word_terms)
PARTS = Memo(_word_parts)


def terms(text: str) -> list[str]:
    """Return the terms of a text in reading order, repeated as often as they occur.

    >>> terms("The retryCount of 缓存")
    ['retrycount', 'retri', 'count', '缓', '存', '缓存']
    """
    return terms_of(tokens(text))


def terms_of(tokens: list[str]) -> list[str]:
    """Return the terms of the tokens of a text in reading order."""
    if max(tokens, default="") < FIRST_CJK:
        return list(chain.from_iterable(map(MEMO.__getitem__, tokens)))
    cut: list[str] = []
    for token in tokens:
        if token < FIRST_CJK:
            cut += MEMO[token]
        else:
            cut += token
            cut += map(add, token, token[1:])
    return cut


def tokens(text: str) -> list[str]:
    """Return words, identifiers and runs of Chinese as they are written, after `fold`."""
    return folded_tokens(fold(text))


def folded_tokens(folded: str) -> list[str]:
    """Return the tokens of a text that `fold` returned."""
    found: list[str] = _TOKEN.findall(folded)
    if folded.isascii():
        return found
    together = "\n".join(found)
    # To look at every character takes four times as long, and there seldom is anything else.
    if not together.encode().translate(None, _ASCII_OR_CJK):
        return _SCRIPT.findall(together)
    return [part for token in found for part in _scripts(token)]


def _scripts(token: str) -> Iterable[str]:
    """Return the parts of a token that are Chinese and those that are not, as they follow."""
    if max(token) < FIRST_CJK or min(token) >= FIRST_CJK:
        return (token,)
    return ["".join(part) for _, part in groupby(token, is_cjk)]


def is_stop_word(word: str) -> bool:
    return word in ENGLISH


def word_terms(word: str) -> tuple[str, ...]:
    """Return the terms of one token that is not Chinese: none for a stop word."""
    return MEMO[word]


def asked_terms(word: str) -> list[str]:
    """Return the terms to look for: a number within a word is not asked for alone.

    >>> asked_terms("k8s"), asked_terms("e2e"), asked_terms("p99")
    (['k8s'], ['e2e'], ['p99', '99'])
    """
    is_within = word[0].isalpha() and word[-1].isalpha()
    return [term for term in MEMO[word] if not (is_within and term.isdigit())]


def run_terms(run: str) -> list[str]:
    """Return every character and every adjacent pair of a run of Chinese."""
    return [*run, *run_pairs(run)]


def run_pairs(run: str) -> list[str]:
    """Return every adjacent pair of a run of Chinese."""
    return list(map(add, run, run[1:]))


def is_cjk(term: str) -> bool:
    """Tell whether a token or term is Chinese, Japanese or Korean."""
    return term >= FIRST_CJK


def is_grammar(term: str) -> bool:
    """Tell whether a Chinese term is a stop word.

    >>> is_grammar("什么"), is_grammar("了解")
    (True, False)
    """
    return CHINESE.issuperset(term)


def is_mainly_chinese(text: str) -> bool:
    """Tell whether a text is Chinese rather than Latin: a character says what three letters do.

    >>> is_mainly_chinese("把 timeout 改成三秒"), is_mainly_chinese("the timeout of 支付 is 3 s")
    (True, False)
    """
    if text.isascii():
        return False
    # By their first bytes: to look at each character takes a hundred times as long.
    data = text.encode("utf-8", "replace")
    characters = len(data) - len(data.translate(None, _FIRST_OF_CHINESE))
    letters = len(data) - len(data.translate(None, _FIRST_OF_LATIN))
    return characters > 0 and 3 * characters >= letters


def is_figure(term: str) -> bool:
    """Tell whether a term is a number, version or code: a text has it or not, wherever it is.

    >>> is_figure("88213"), is_figure("e4031"), is_figure("7"), is_figure("order")
    (True, True, False, False)
    """
    return len(term) > 1 and any("0" <= character <= "9" for character in term)


def fold(text: str) -> str:
    """Return the text with one spelling for what means the same; letter case stays."""
    if not text.isascii():
        text = text.translate(_FOLDED)
    if "'" in text or "’" in text:
        text = _CONTRACTION.sub("", text)
    if "#" in text:
        text = _SHARP.sub(r"\1sharp", text)
    if "++" in text:
        text = _PLUS_PLUS.sub(r"\1plusplus", text)
    if (".n" in text or ".N" in text) and ".net" in text.lower():
        text = _DOT_NET.sub(" dotnet", text)
    return text


def stem(word: str) -> str:
    """Return the Snowball English stem of a lower-cased word (Porter 2001)."""
    return str(_stemmer.stemWord(word[:_MAX_WORD]))


def split_identifier(word: str) -> list[str]:
    """Return the lower-cased parts of camelCase, snake_case and names with digits.

    >>> split_identifier("HTTPServer2_test")
    ['http', 'server', '2', 'test']
    """
    if word.isascii():
        return [part.lower() for part in _PART.findall(word)]
    return [part for part in word.lower().split("_") if part]


def _version_parts(word: str) -> tuple[str, ...]:
    """Return a version whole, its first two numbers, and the name that it hangs on."""
    head, *numbers = word.split(".")
    name = head.rstrip("0123456789")
    version = ".".join([head[len(name) :] or "0", *numbers])[:_MAX_WORD]
    short = ".".join(version.split(".")[:2])
    named = PARTS[name] if len(name) > 1 else ()
    return (*named, *dict.fromkeys((version, short)))
