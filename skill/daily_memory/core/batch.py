"""Which triggers occur in a batch of texts: rules whose triggers are absent are skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain, pairwise

# From this length on it pays to gather the words of the texts.
_LONG = 4_000

# All three letters in a row; two where one of them is not ASCII, as most Chinese words have two.
Grams = frozenset[tuple[str, ...]]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    _T = TypeVar("_T")


class Batch:
    """Texts in lower case that are searched one after the other."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = texts
        self._words: tuple[str, Grams] | None = None
        self._answers: dict[object, object] = {}

    def once(self, ask: Callable[[Batch], _T]) -> _T:
        """Return what `ask` returns for this batch; it is called once."""
        if ask not in self._answers:
            self._answers[ask] = ask(self)
        return self._answers[ask]  # type: ignore[return-value]  # each has a type of its own

    def present(self, triggers: tuple[str, ...]) -> tuple[str, ...]:
        """Return the triggers that may occur in a text; all others occur in none.

        >>> Batch(["curl", "sign in"]).present(("sign in", "log in", "curl"))
        ('sign in', 'curl')
        """
        if triggers not in self._answers:
            if self._words is None:
                self._words = _words_of("\n".join(self._texts))
            text, grams = self._words
            # To look for letters among all of them is quicker than to search a long text.
            self._answers[triggers] = tuple(
                [trigger for trigger in triggers if trigger in text]
                if not grams
                else [
                    trigger
                    for trigger in triggers
                    if _grams(trigger) <= grams and all(part in text for part in _parts(trigger))
                ]
            )
        return self._answers[triggers]  # type: ignore[return-value]  # of this key


def _words_of(text: str) -> tuple[str, Grams]:
    """Return the text; of a long one each word, on a line of its own, and its letters."""
    if len(text) < _LONG:
        return text, frozenset()
    words = set(text.split())
    text = "\n".join(("", *words, ""))
    wide = "\n".join(("", *[word for word in words if not word.isascii()], ""))
    return text, frozenset(chain(_threes_of(text), pairwise(wide)))


def _threes_of(text: str) -> Iterable[tuple[str, ...]]:
    return zip(text, text[1:], text[2:], strict=False)


@cache
def _parts(trigger: str) -> tuple[str, ...]:
    """Return what the words of a text hold, each on its line, if it holds the trigger.

    >>> _parts("log in"), _parts(" test "), _parts("curl")
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
    parts = _parts(trigger)
    pairs = [tuple(part) for part in parts if len(part) == 2 and not part.isascii()]
    return frozenset(chain(*map(_threes_of, parts), pairs))
