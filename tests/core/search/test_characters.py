"""Characters that are the same to a search."""

from __future__ import annotations

import pytest

from daily_memory.core.search.characters import FOLDING


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("ＡＺａｚ０９！～　", "AZaz09!~ "),
        ("ÀàÇçÉéÑñÖöÜüÝÿ", "AaCcEeNnOoUuYy"),
        ("資料庫發佈 魚麥黃誡閘", "资料库发布 鱼麦黄诫闸"),
        ("缓存 TTL, ok", "缓存 TTL, ok"),
    ],
)
def test_width_accents_and_the_form_of_a_character_do_not_count(written: str, read: str) -> None:
    assert written.translate(FOLDING) == read
