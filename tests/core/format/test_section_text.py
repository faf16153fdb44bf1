"""What a section says: the digest of it that was written down must be found again."""

from __future__ import annotations

from datetime import date

import pytest

from daily_memory.core.format import section_text
from daily_memory.model import Session

SAID = "### Topic\nredis 缓存\n\n<!-- a person's -->\n- TTL"
SECTION = f'## Session 1 - 10:30\n<!-- memory {{"conversation":"c"}} -->\n\n{SAID}\n'


@pytest.mark.parametrize("text", [SECTION, SECTION.replace("\n", "\r\n"), f"## 会话 2\n{SAID}"])
def test_heading_comment_and_line_ends_say_nothing(text: str) -> None:
    assert section_text.body_of(text) == SAID
    assert section_text.text_digest(text) == "57bf5d35f6120cd7"


def test_only_the_section_of_a_conversation_has_its_digest() -> None:
    own = Session(date(2026, 1, 29), 1, topic="redis")
    told = own._replace(conversation="c")

    texts = [
        section_text.format_signed(each, language="en", open_fences="") for each in (own, told)
    ]

    assert "digest" not in texts[0]
    digest = section_text.text_digest(texts[1])
    assert f'"digest":"{digest}"' in texts[1]
    assert digest in section_text.digests(told)
    assert len(set(section_text.digests(told))) == 2


def test_what_a_session_says_is_the_same_wherever_it_stands() -> None:
    told = Session(date(2026, 1, 29), 1, topic="redis", conversation="c")
    other = told._replace(number=7, copy=2, digest="x", continues="2026-01-28#1", origin="import")

    assert section_text.comparable(other) == section_text.comparable(told)
    assert section_text.comparable(other._replace(topic="缓存")) != section_text.comparable(told)


def test_a_section_that_we_change_is_signed_again_if_it_was_signed() -> None:
    told = Session(date(2026, 1, 29), 1, topic="half: \ud83d", conversation="c")
    ours = section_text.format_signed(told, language="zh", open_fences="")
    edited = ours.replace("half", "by hand")

    changed = section_text.renew_signature(ours, ours.replace("half", "new"))

    assert [section_text.is_signed(text) for text in (ours, edited, changed)] == [True, False, True]
    assert section_text.renew_signature(edited, f"{edited}\nmore") == f"{edited}\nmore"
