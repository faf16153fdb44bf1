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
    assert section_text.said(text) == SAID
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
    assert section_text.content(told) == section_text.content(told._replace(number=7, digest="x"))
