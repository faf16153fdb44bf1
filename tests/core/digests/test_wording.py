"""How a sentence is cut, and how it is found again as it was written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from daily_memory.core.digests.wording import as_written, simplified


@given(st.text("發後端請處理abc，。 ", max_size=40))
def test_simplified_characters_stand_one_for_one(text: str) -> None:
    assert len(simplified(text)) == len(text)
    said = " ".join(text.split())
    assert as_written(simplified(said), text) == said


def test_a_text_that_was_not_said_stays_as_it_is() -> None:
    assert as_written("`npm test` 通过", "後端的測試") == "`npm test` 通过"
