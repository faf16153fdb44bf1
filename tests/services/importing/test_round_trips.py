"""What is exported and imported is the same, whatever it says and in whatever form it travels."""

from __future__ import annotations

import json
import tempfile
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daily_memory import Memory
from daily_memory.core.format import markdown, section_text
from daily_memory.model import Session
from tests.conftest import NOW
from tests.core.format.test_markdown import sessions


def memory_in(folder: Path) -> Memory:
    (folder / ".git").mkdir(parents=True)
    return Memory(folder, home=folder / "home", clock=lambda: NOW)


def write(memory: Memory, several: list[Session]) -> None:
    """Write day files as they might stand there, without passing the gate of a save."""
    assert memory.workspace.project_root
    daily = Path(memory.workspace.project_root.daily_folder)
    daily.mkdir(parents=True)
    silence(memory)
    for session in several:
        with (daily / f"{session.date}.md").open("a", encoding="utf-8", newline="") as file:
            language = "zh" if session.number % 2 else "en"
            file.write(markdown.format_section(session, language=language) + "\n")


def silence(memory: Memory) -> None:
    """Let texts pass that look like secrets by chance; what hides them is tested elsewhere."""
    assert memory.workspace.project_root
    config = Path(memory.workspace.project_root.config)
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('{"recording": {"sanitize_sensitive": false}}')


def with_short_tags(session: Session) -> Session:
    """Return the session without tags that are too long to be any: they are always hidden."""
    return session._replace(tags=tuple(tag for tag in session.tags if len(tag) <= 100))


def stored(memory: Memory) -> list[Session]:
    return [found.session for found in memory.sessions(scope="project")]


days = st.dates(date(2025, 12, 1), date(2025, 12, 3))


@settings(max_examples=25)
@given(st.lists(st.builds(Session._replace, sessions, date=days), max_size=5), st.data())
def test_an_export_gives_the_same_sessions_elsewhere_and_nothing_here(several, data):
    form = data.draw(st.sampled_from(["json", "jsonl", "days", "root"]))
    with tempfile.TemporaryDirectory() as folder:
        here, there = memory_in(Path(folder, "here")), memory_in(Path(folder, "there"))
        write(
            here,
            [with_short_tags(one)._replace(number=number) for number, one in enumerate(several, 1)],
        )
        before = stored(here)
        path = Path(folder, "export")
        if form in ("json", "jsonl"):
            path.write_text("".join(here.export(form)), encoding="utf-8", newline="")
        else:
            assert here.workspace.project_root
            path = Path(
                here.workspace.project_root.path
                if form == "root"
                else here.workspace.project_root.daily_folder
            )

        if before or form != "days":
            again = here.import_files(str(path))
            assert again.ids == ()
            silence(there)
            there = Memory(
                Path(folder, "there"), home=Path(folder, "there/home"), clock=lambda: NOW
            )
            there.import_files(str(path))

        found = stored(there)
        kept = [
            one if form == "root" else one._replace(origin=one.origin or "import") for one in before
        ]
        if form != "root":  # what says the same twice is taken once
            kept = list(
                {(one.date, section_text.comparable(one)): one for one in reversed(kept)}.values()
            )
            kept = sorted(kept, key=lambda one: (one.date, one.number))
        assert found == kept


def test_what_continues_another_names_it_by_its_new_number(memory, tmp_path):
    memory.import_sessions([{"topic": "mine", "date": "2026-01-28", "session": 1}])
    theirs = [
        {"topic": "一", "date": "2026-01-28", "session": 1, "conversation": "c"},
        {"topic": "二", "date": "2026-01-29", "session": 1, "continues": "2026-01-28#1"},
    ]

    result = memory.import_sessions(theirs)

    assert result.ids == ("2026-01-28#2", "2026-01-29#1")
    assert result.renumbered == (("2026-01-28#1", "2026-01-28#2"),)
    assert memory.get("2026-01-29#1").session.continues == "2026-01-28#2"
    again = memory.import_sessions(theirs)
    assert (again.ids, again.present) == ((), 2)


def test_an_id_that_does_not_fit_says_nothing(memory, tmp_path):
    path = tmp_path / "all.json"
    path.write_text('{"id": "2026-01-29#7~2", "session": 4, "date": "2026-01-29", "topic": "a"}')

    assert memory.import_files(str(path)).ids == ("2026-01-29#4",)


def test_copies_of_a_number_get_numbers_of_their_own(memory, day_file, tmp_path):
    day_file("## Session 1\n\n### Topic\na\n\n---\n\n## Session 1\n\n### Topic\nb\n\n---\n")
    path = tmp_path / "all.json"
    path.write_text("".join(memory.export()), encoding="utf-8")
    other = memory_in(tmp_path / "other")

    result = other.import_files(str(path))

    assert result.renumbered == (("2026-01-29#1~2", "2026-01-29#2"),)
    assert [(one.number, one.topic) for one in stored(other)] == [(1, "a"), (2, "b")]


@pytest.mark.parametrize("form", ["json", "jsonl", "md", "html"])
def test_only_what_was_chosen_is_exported(memory, form):
    memory.import_sessions(
        [
            {"topic": "old one", "date": "2026-01-01", "tags": ["redis"]},
            {"topic": "里面的", "date": "2026-01-10", "tags": ["Redis", "缓存"]},
            {"topic": "no tag", "date": "2026-01-10", "tags": ["other"]},
            {"topic": "late one", "date": "2026-01-20", "tags": ["redis"]},
        ]
    )

    text = "".join(
        memory.export(form, first=date(2026, 1, 2), last=date(2026, 1, 15), tags=["#redis"])
    )

    assert "里面的" in text
    assert not any(said in text for said in ("old one", "no tag", "late one"))
    if form == "json":
        assert len(json.loads(text)["sessions"]) == 1
    by_tag = "".join(memory.export(form, tags=["other"]))
    assert "no tag" in by_tag
    assert "里面的" not in by_tag


def test_private_sessions_are_in_every_form_but_the_page(memory):
    memory.import_sessions([{"topic": "私事", "private": True}, {"topic": "公开"}])

    assert "私事" in "".join(memory.export("json"))
    page = "".join(memory.export("html"))
    assert "私事" not in page
    assert "另有 1 个私密会话未导出" in page


def test_private_sessions_of_the_archive_are_not_on_the_page_either(memory):
    past = {"date": "2025-01-05", "key_points": ["说过 said"], "tags": ["旧"]}
    memory.import_sessions(
        [
            {**past, "topic": "私事 secretly", "private": True},
            {**past, "topic": "公开 public", "continues": "2025-01-05#1"},
            {**past, "date": "2025-01-06", "topic": "只有私事 alone", "private": True},
        ]
    )
    memory.archive.store(memory.archive.due(before=date(2026, 1, 1)))

    assert "secretly" in "".join(memory.export("jsonl", archived=True))
    page = "".join(memory.export("html", archived=True))
    assert "公开 public" in page
    assert not any(word in page for word in ("secretly", "私事", "alone", "2025-01-06"))
    assert "另有 2 个私密会话未导出" in page


def test_what_is_private_in_a_day_written_by_hand_is_not_on_the_page(memory, day_file):
    key = "AKIA" + "QWERTYUIOPASDFGH"
    said = f"用 <private>只给我 mine</private> {key}"
    day_file(f"## Session 1\n\n### Topic\n{said}\n\n### Key Points\n- {said}\n\n---\n")

    page = "".join(memory.export("html"))

    assert "用 " in page
    assert not any(word in page for word in ("只给我", "mine", key))
    assert key in "".join(memory.export("md"))
