"""What many texts lack, found out once for all of them: most rules can then be passed over.

A search that can find something only where one of its triggers stands asks for the triggers that
stand anywhere in a batch, and looks for no other one in its texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain, pairwise

# From this length on it pays to gather the words of texts.
_LONG = 4_000

# The number of a row of a table, and triggers of it.
Row = tuple[int, tuple[str, ...]]


# All words of some texts, in any order, and of long texts all three letters in a row, and two
# where one is beyond ASCII: in Chinese most words have two.
Grams = frozenset[tuple[str, ...]]
Words = tuple[str, Grams]
_NOT_YET: Words = ("", frozenset())

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    _T = TypeVar("_T")


class Batch:
    """Texts in lower case that are searched one after the other."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = texts
        self._words = _NOT_YET
        self._told: dict[Callable[[Words], object], object] = {}

    def once(self, look: Callable[[Words], _T]) -> _T:
        """Return what `look` says of the words of all texts; it is called once."""
        if look not in self._told:
            if self._words is _NOT_YET:
                self._words = words_of(self._texts)
            self._told[look] = look(self._words)
        return self._told[look]  # type: ignore[return-value]  # each tells of its own type


def words_of(texts: Iterable[str]) -> Words:
    """Return the words of texts in lower case."""
    text = "\n".join(texts)
    if len(text) < _LONG:
        return text, frozenset()
    words = set(text.split())
    text = "\n".join(("", *words, ""))
    wide = "\n".join(("", *[word for word in words if not word.isascii()], ""))
    return text, frozenset(chain(_threes_of(text), pairwise(wide)))


def _threes_of(text: str) -> Iterable[tuple[str, ...]]:
    return zip(text, text[1:], text[2:], strict=False)


def standing(triggers: Iterable[str], words: Words) -> tuple[str, ...]:
    """Return the triggers that may stand in texts of these words; no other one does.

    >>> standing(("sign in", "log in", "curl"), words_of(["curl", "sign in"]))
    ('sign in', 'curl')
    """
    text, grams = words
    if not grams:
        return tuple([trigger for trigger in triggers if trigger in text])
    # To look for letters among all of them is quicker than to search a long text.
    likely = [trigger for trigger in triggers if _grams(trigger) <= grams]
    return tuple([one for one in likely if all(piece in text for piece in _pieces(one))])


def standing_rows(rows: Sequence[Sequence[str]], words: Words) -> tuple[Row, ...]:
    """Return each row of triggers of which one may stand in texts of these words, less the others.

    >>> standing_rows((("curl", "wget"), ("mysql",), ("ssh", "curl")), words_of(["curl -u"]))
    ((0, ('curl',)), (2, ('curl',)))
    """
    text, grams = words
    if grams:
        found = set(standing({trigger for row in rows for trigger in row}, words))
        alive = [tuple([trigger for trigger in row if trigger in found]) for row in rows]
    else:
        alive = [tuple([trigger for trigger in row if trigger in text]) for row in rows]
    return tuple([(number, row) for number, row in enumerate(alive) if row])


@cache
def _pieces(trigger: str) -> tuple[str, ...]:
    """Return what stands among the words of a text that holds the trigger, each word on its line.

    >>> _pieces("log in"), _pieces(" test "), _pieces("curl")
    (('log\\n', '\\nin'), ('\\ntest\\n',), ('curl',))
    """
    words = [f"\n{word}\n" for word in trigger.split()]
    if words and not trigger[0].isspace():
        words[0] = words[0][1:]
    if words and not trigger[-1].isspace():
        words[-1] = words[-1][:-1]
    return tuple(words)


@cache
def _grams(trigger: str) -> Grams:
    pieces = _pieces(trigger)
    pairs = [tuple(piece) for piece in pieces if len(piece) == 2 and not piece.isascii()]
    return frozenset(chain(*map(_threes_of, pieces), pairs))
