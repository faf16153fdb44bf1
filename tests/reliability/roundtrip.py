"""What is saved comes back to the character, whatever it is made of."""

# ruff: noqa: E501  # a list of texts reads best in few lines

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daily_memory import Memory
from daily_memory.core.format import section_text
from daily_memory.core.format.session_json import parse_session
from tests.reliability.store import DAY, MEMORIES, NOW

_HARD = (
    "## Session 9 - 00:00:00", "### 主题", "---", "```", "~~~~", "````md", "<!-- memory {} -->", "- ", "  - x",
    "\\# x", "&#x0D;", "&amp;", "<<<<<<< HEAD", "=======", "\t", "\r", "\x00", "\x1b[2J", "\u2028", "\ufeff",
    "缓存 过期", "😀👩‍👩‍👧", "e\u0301", "#标签", "    code", "> quote", "1. one", "|a|b|", "\n", "\n\n", " ",
)  # fmt: skip
_TEXT = st.lists(
    st.one_of(st.sampled_from(_HARD), st.text(st.characters(codec="utf-8"), max_size=12)),
    max_size=6,
).map("".join)
_LIST = st.lists(_TEXT, max_size=3)
SESSIONS = st.fixed_dictionaries(
    {
        "topic": _TEXT.map(lambda text: f"t {text}"),
        "summary": _TEXT,
        "key_points": _LIST,
        "decisions": _LIST,
        "open_questions": _LIST,
        "next_steps": _LIST,
        "files": _LIST,
        "code": st.lists(
            st.fixed_dictionaries({"language": st.just("sh"), "text": _TEXT}), max_size=2
        ),
        "tags": st.just(["redis", "缓存"]),
        "date": st.just(DAY),
        "time": st.just("10:30:45"),
    }
)


def round_trips(folder: Path, examples: int) -> int:
    """Save that many sessions among others; fails at the first that comes back as another."""
    memories = folder / "app" / MEMORIES
    memories.mkdir(parents=True)
    own = folder / "home" / MEMORIES
    own.mkdir(parents=True)
    # What looks like a secret to a rule is another matter: here it is about the characters.
    (own / "config.json").write_text('{"recording": {"sanitize_sensitive": false}}')
    moment = datetime.fromisoformat(NOW)
    memory = Memory(folder / "app", home=folder / "home", clock=lambda: moment, environment={})
    day = memories / "daily" / f"{DAY}.md"
    tried = 0

    @settings(
        max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None
    )
    @given(st.lists(SESSIONS, min_size=1, max_size=3))
    def check(several: list[dict[str, Any]]) -> None:
        nonlocal tried
        tried += 1
        day.unlink(missing_ok=True)
        saved = [memory.save(one).id for one in several]
        wanted = [section_text.comparable(parse_session(one, moment).session) for one in several]
        found = [section_text.comparable(memory.get(name).session) for name in saved]
        assert found == wanted
        assert [one.session.id for one in memory.sessions()] == [
            memory.get(name).session.id for name in saved
        ]

    check()
    return tried
