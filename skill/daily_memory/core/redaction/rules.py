"""A table of patterns, each searched only near its triggers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from daily_memory.core.redaction.view import View, around, joined
from daily_memory.core.triggers import Batch

Rows = list[tuple[int, list[str]]]


class Rules:
    """Rows of triggers, in lower case, and a pattern that is compiled when it is first needed."""

    def __init__(
        self,
        rows: Sequence[tuple[Sequence[str], str]],
        flags: int,
        *,
        before: str = "",
        parts: Sequence[tuple[str, str]] = (),
    ) -> None:
        self._rows = rows
        self._flags = flags
        self._before = before
        self._parts = parts
        self._compiled: dict[int, re.Pattern[str]] = {}
        self._numbers: dict[str, list[int]] = {}
        for number, (triggers, _) in enumerate(rows):
            for trigger in triggers:
                self._numbers.setdefault(trigger, []).append(number)
        self.triggers = tuple(self._numbers)

    def __len__(self) -> int:
        return len(self._rows)

    def compiled(self, number: int) -> re.Pattern[str]:
        if number not in self._compiled:
            source = self._rows[number][1]
            for name, part in self._parts:
                source = source.replace(name, part)
            self._compiled[number] = re.compile(f"{self._before}(?:{source})", self._flags)
        return self._compiled[number]

    def present(self, batch: Batch, number: int = 0) -> Rows:
        """Return the number of each row that has triggers in a text of a batch, with these."""
        return self._rows_with(batch.found(self.triggers).get(number, ()))

    def matches(self, view: View) -> Iterator[tuple[int, re.Match[str]]]:
        """Yield what each pattern matches near its triggers, with the number of its row."""
        # Many rows share a trigger.
        spans = {trigger: around(view, trigger) for trigger in view.found(self.triggers)}
        for number, triggers in self._rows_with(spans) if spans else ():
            for span in joined([span for trigger in triggers for span in spans[trigger]]):
                for match in self.compiled(number).finditer(view.text, *span):
                    yield number, match

    def _rows_with(self, triggers: Iterable[str]) -> Rows:
        rows: dict[int, list[str]] = {}
        for trigger in triggers:
            for number in self._numbers[trigger]:
                rows.setdefault(number, []).append(trigger)
        return sorted(rows.items())
