"""Deleting and marking: one section moves, what others wrote meanwhile and beside it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from daily_memory import BackendError, ConflictError, InvalidInputError, Memory, NotFoundError
from daily_memory.storage import days, journal, observations
from daily_memory.storage.fs import files
from daily_memory.storage.fs import replace as overlays
from daily_memory.storage.index import indexer

DAY = """# 2026-01-29 对话记忆

手写的开头

## Session 1 - 09:00
### Topic
one

---

## Session 2 - 10:00
### 主题
缓存方案

### 标签
#redis

---

## Session 4 - 11:00
### Topic
four

---

trailing words"""


def topics(memory: Memory) -> list[tuple[str, str]]:
    """Return what the sections are about, without what a person wrote outside of them."""
    found = (one.session for one in memory.sessions())
    return [(str(session.id), session.topic) for session in found if session.number]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_others_keep_their_numbers_and_their_bytes(memory, day_file, newline):
    text = DAY.replace("\n", newline)
    first, rest = text.split(f"## Session 2{''}", 1)
    rest = rest[rest.index("## Session 4") :]
    day_file(text)

    edited = memory.delete(["2026-01-29#2"])

    assert [str(one.session.id) for one in edited.sections] == ["2026-01-29#2"]
    assert edited.warnings == ()
    assert day_file().read_bytes().decode() == first + rest
    assert topics(memory) == [("2026-01-29#1", "one"), ("2026-01-29#4", "four")]
    assert memory.search("缓存方案").hits == ()


def test_several_days_and_doubled_numbers_at_once(memory, day_file):
    day_file("## Session 1\n### Topic\na\n\n---\n\n## Session 1\n### Topic\nb\n\n---\n")
    day_file("## Session 7\n### Topic\nc\n", "2026-01-28.md")

    memory.delete(["2026-01-29#1", "2026-01-28#7", "2026-01-29#1~2", "2026-01-29#1"])

    assert topics(memory) == []


def test_all_are_there_or_none_goes(memory, day_file):
    path = day_file(DAY)
    for wrong, error in (("2026-01-29#3", NotFoundError), ("../x", InvalidInputError)):
        with pytest.raises(error):
            memory.delete(["2026-01-29#1", wrong])
    with pytest.raises(InvalidInputError, match="no id given"):
        memory.delete([])

    assert path.read_text() == DAY


def test_a_dry_run_changes_nothing(memory, day_file):
    path = day_file(DAY)

    edited = memory.delete(["2026-01-29#1"], dry_run=True)

    assert [one.session.topic for one in edited.sections] == ["one"]
    assert path.read_text() == DAY


def test_what_was_deleted_counts_as_no_loss(memory):
    saved = memory.save({"topic": "缓存方案", "key_points": ["TTL 300 秒"]})
    memory.delete([saved.id])

    [*_, record] = journal.load_records(memory.workspace.project_root)
    assert (record.id, record.text) == (saved.id, "")
    [report] = memory.doctor(restore=True).values()
    assert (report.remarks, report.mended, report.sessions) == ((), (), 0)
    # Nobody who knows the old id shall find another session under it.
    assert memory.save({"topic": "next"}).id == "2026-01-29#2"


def test_what_a_person_saves_meanwhile_is_kept(memory, day_file, monkeypatch):
    path = day_file(DAY)
    real = files.replace
    edits = iter(["a line by hand", ""])

    def replace(target, data, modes, *, expected=None):
        line = next(edits, "") if target == str(path) else ""
        if line:
            path.write_text(f"{path.read_text()}\n{line}")
        real(target, data, modes, expected=expected)

    monkeypatch.setattr(files, "replace", replace)

    memory.delete(["2026-01-29#1"])

    assert path.read_text().endswith("trailing words\na line by hand")
    assert [id_ for id_, _ in topics(memory)] == ["2026-01-29#2", "2026-01-29#4"]


def test_a_section_that_a_person_changes_meanwhile_stays(memory, day_file, monkeypatch):
    path = day_file(DAY)
    real = days.outline

    def outline(data, day, name):
        made = real(data, day, name)
        path.write_text(path.read_text().replace("缓存方案", "另一个方案"))
        return made

    found = memory.get("2026-01-29#2")
    monkeypatch.setattr(days, "outline", outline)
    with pytest.raises(ConflictError, match="2026-01-29#2 changed"):
        memory.delete([str(found.session.id)])

    assert "另一个方案" in path.read_text()


def test_an_index_that_can_not_be_written_is_a_warning(memory, day_file, monkeypatch):
    day_file(DAY)

    def update(root):
        raise ConflictError("no room")

    monkeypatch.setattr(indexer, "update", update)

    warning = "done, but the index was not brought up to date: no room"
    assert memory.delete(["2026-01-29#1"]).warnings == (warning,)


# ---------------------------------------------------------------------------- marks


def test_marks_come_and_go_and_only_the_line_of_tags_moves(memory, day_file):
    path = day_file(DAY)

    marked = memory.mark(["2026-01-29#2"], {"important": True, "outdated": False})

    assert path.read_text() == DAY.replace("#redis", "#redis #important")
    assert [str(one.session.id) for one in marked.sections] == ["2026-01-29#2"]
    assert memory.get("2026-01-29#2").session.is_important

    memory.mark(["2026-01-29#2"], dict.fromkeys(("important", "outdated", "private"), False))

    assert path.read_text() == DAY


def test_a_section_without_tags_gets_them_under_a_heading_in_its_language(memory, day_file):
    path = day_file(DAY)

    memory.mark(["2026-01-29#1"], {"private": True})

    assert path.read_text() == DAY.replace("one\n\n---", "one\n\n### Tags\n#private\n\n---")
    assert memory.search("one").hits == ()


def test_the_language_of_a_day_comes_before_that_of_its_text(memory, day_file):
    for language, heading in (("zh", "标签"), ("en", "Tags"), ("fr", "Tags")):
        path = day_file(f"---\nlanguage: {language}\n---\n## Session 1\n### Topic\none\n\n---\n")

        memory.mark(["2026-01-29#1"], {"outdated": True})

        assert f"### {heading}\n#outdated\n" in path.read_text(encoding="utf-8")


def test_what_is_so_already_is_not_written_again(memory, day_file):
    path = day_file(DAY)
    stamp = files.stamp(str(path))

    assert memory.mark(["2026-01-29#1"], {"important": False}).sections == ()
    assert files.stamp(str(path)) == stamp


@pytest.mark.parametrize("flags", [{}, {"urgent": True}])
def test_only_the_three_flags_can_be_set(memory, day_file, flags):
    day_file(DAY)

    with pytest.raises(InvalidInputError):
        memory.mark(["2026-01-29#1"], flags)


def test_a_mark_is_known_to_the_journal(memory):
    saved = memory.save({"topic": "缓存方案", "tags": ["redis"]})

    memory.mark([saved.id], {"important": True})

    [*_, record] = journal.load_records(memory.workspace.project_root)
    assert "#important" in record.text
    assert next(iter(memory.doctor().values())).remarks == ()


def test_what_the_user_refuses_leaves_nothing_of_what_was_marked(memory):
    saved = memory.save({"topic": "缓存方案"})
    for is_set in (True, False):
        memory.mark([saved.id], {"important": is_set})

    journal.forget_texts(memory.workspace.project_root, {saved.id})

    assert {record.text for record in journal.load_records(memory.workspace.project_root)} == {""}


def test_a_marked_section_of_others_stays_theirs(memory, day_file):
    day_file('## Session 1\n<!-- memory {"origin":"import"} -->\n### Topic\nx\n\n---\n')

    memory.mark(["2026-01-29#1"], {"outdated": True})

    assert journal.load_records(memory.workspace.project_root)[-1].text == ""
    assert memory.get("2026-01-29#1").origin == "import"


# ---------------------------------------------------------------------------- what was observed


def test_a_conversation_that_goes_on_meanwhile_is_deleted_as_it_is_then(memory, ended):
    shown = tuple(memory.sessions())
    memory.log("云工开物 API", kind="decision", conversation="c")
    memory.end("c")
    (now,) = memory.sessions()
    assert now.session != shown[0].session

    memory.deletion.delete(shown)

    assert not any(memory.sessions())
    memory.undo()
    assert list(memory.sessions()) == [now]


def test_a_conversation_that_goes_on_after_it_was_marked_has_one_section(memory, ended):
    memory.mark([ended], {"important": True})
    memory.log("云工开物 API", kind="decision", conversation="c")
    memory.end("c")

    (now,) = memory.sessions()
    assert now.session.is_important
    assert "云工开物 API" in now.session.decisions

    memory.mark([ended], {"important": False})
    memory.log("zone 7", kind="decision", conversation="c")
    memory.end("c")

    (now,) = memory.sessions()
    assert not now.session.is_important
    assert "zone 7" in now.session.decisions


def test_a_conversation_that_goes_on_after_a_mark_was_undone_has_one_section(memory, ended):
    memory.mark([ended], {"important": True})
    for said in ("云工开物 API", "zone 7"):
        memory.log(said, kind="decision", conversation="c")
        memory.end("c")
        if said != "zone 7":
            memory.undo()

    (now,) = memory.sessions()
    assert not now.session.is_important
    assert now.session.decisions[-2:] == ("云工开物 API", "zone 7")


@pytest.mark.parametrize("flag", ["important", "outdated"])
def test_what_somebody_saves_later_leaves_a_marked_section_and_has_no_such_mark(memory, flag):
    memory.save({"topic": "first 第一", "conversation": "c"})
    (first,) = memory.sessions()
    memory.mark([str(first.session.id)], {flag: True})

    memory.save({"topic": "later 后来", "conversation": "c"})

    marked, later = (one.session for one in memory.sessions())
    assert (marked.topic, later.topic) == ("first 第一", "later 后来")
    assert flag in marked.tags
    assert flag not in later.tags


def test_a_mark_leaves_what_was_edited_by_hand_to_the_person(memory, ended):
    (shown,) = memory.sessions()
    path = Path(shown.path)
    path.write_text(path.read_text(encoding="utf-8").replace("xylophonezz", "by hand"), "utf-8")

    memory.mark([ended], {"important": True})
    memory.log("云工开物 API", kind="decision", conversation="c")
    memory.end("c")

    by_hand, later = memory.sessions()
    assert (by_hand.session.is_important, later.session.is_important) == (True, False)
    assert "by hand" in path.read_text(encoding="utf-8")


def test_a_conversation_that_goes_on_meanwhile_and_is_edited_stays(memory, ended):
    shown = tuple(memory.sessions())
    memory.log("云工开物 API", kind="decision", conversation="c")
    memory.end("c")
    path = Path(shown[0].path)
    path.write_text(path.read_text(encoding="utf-8").replace("云工开物", "by hand"), "utf-8")

    with pytest.raises(ConflictError, match="changed while"):
        memory.deletion.delete(shown)

    assert "by hand" in path.read_text(encoding="utf-8")


@pytest.fixture(params=[False, True])
def ended(request, memory) -> str:
    """The section of a live session, with the mirror off and on."""
    memory.setup.init()
    memory.config.set("mirror.enabled", request.param)
    memory.start("c", meta={"branch": "zebra/斑马"})
    memory.log("the codeword is xylophonezz 木琴", kind="decision", conversation="c")
    memory.log("Redis TTL 300 秒", kind="decision", conversation="c")
    return str(memory.end("c").id)


def found(memory, question: str) -> list[str]:
    return [hit.record.id for hit in memory.observations.search(question).hits]


def on_disk(memory) -> bytes:
    """Return all that the mirror and the live sessions hold, as bytes."""
    root = Path(memory.workspace.save_root().path)
    paths = [*root.glob("index/mirror*"), *root.glob("observations/*/*")]
    return b"".join(path.read_bytes() for path in paths)


def test_with_a_section_go_the_observations_that_it_was_made_of(memory, ended):
    assert found(memory, "xylophonezz") == [ended, "2026-01-29/c:2"]

    memory.delete([ended])

    for word in ("xylophonezz", "木琴"):
        assert found(memory, word) == []
        assert word.encode() not in on_disk(memory)
    assert memory.observations.get(["2026-01-29/c:2"]) == ()
    (report,) = memory.doctor(scope="project").values()
    assert report.faults == ()


def test_a_conversation_goes_on_after_its_section_was_deleted(memory, ended):
    memory.delete([ended])
    added = memory.log("云工开物 API", kind="decision", conversation="c")

    again = memory.end("c")

    assert added.id == "2026-01-29/c:6"
    assert found(memory, "云工开物") == [again.id, added.id]
    assert found(memory, "xylophonezz Redis 木琴") == []


def test_a_deleted_section_leaves_other_conversations_alone(memory, ended):
    memory.start("d")
    kept = memory.log("the codeword is xylophonezz 木琴", conversation="d").id
    by_hand = memory.save({"topic": "redis"})
    memory.delete([str(by_hand.id)])

    assert "2026-01-29/c:2" in found(memory, "xylophonezz")

    memory.delete([ended], dry_run=True)
    assert "2026-01-29/c:2" in found(memory, "xylophonezz")

    memory.delete([ended])
    assert found(memory, "xylophonezz") == [kept]


def test_what_is_marked_private_is_so_in_its_observations_too(memory, ended):
    memory.mark([ended], {"private": True})

    for word in ("xylophonezz", "木琴"):
        assert found(memory, word) == []
        assert word.encode() not in b"".join(
            path.read_bytes()
            for path in Path(memory.workspace.save_root().path).glob("index/mirror*")
        )
    (record,) = memory.observations.get(["2026-01-29/c:2"])
    assert (record.text, record.private, record.tags) == ("[PRIVATE]", True, ())

    memory.log("and xylophonezz again", kind="decision", conversation="c")
    memory.end("c")
    assert found(memory, "xylophonezz") == []
    assert len(list(memory.sessions())) == 1

    memory.mark([ended], {"private": False})
    assert "2026-01-29/c:2" in found(memory, "木琴")


def renumbered(path: Path, old: int, new: int) -> str:
    """Give a section another number, as a merge does; return its id."""
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(f"## Session {old} ", f"## Session {new} "), encoding="utf-8")
    return f"{path.stem}#{new}"


def test_what_was_observed_goes_with_a_section_to_which_a_merge_gave_another_number(
    memory, ended, day_file
):
    new = renumbered(day_file(), 1, 7)
    # Its number is that of another section by now.
    memory.import_sessions([{"topic": "other", "date": "2026-01-29", "session": 1}])

    memory.mark([ended], {"private": True})
    assert "2026-01-29/c:2" in found(memory, "xylophonezz")
    memory.delete([ended])
    assert "2026-01-29/c:2" in found(memory, "xylophonezz")

    memory.mark([new], {"private": True})
    assert found(memory, "xylophonezz") == []
    memory.undo()
    assert "2026-01-29/c:2" in found(memory, "xylophonezz")
    memory.delete([new])
    assert found(memory, "xylophonezz") == []
    assert b"xylophonezz" not in on_disk(memory)
    memory.undo()
    assert "2026-01-29/c:2" in found(memory, "xylophonezz")


def test_a_further_section_of_a_conversation_leaves_what_the_first_one_holds(memory, ended):
    memory.mark([ended], {"important": True})
    further = memory.save({"topic": "more", "conversation": "c"}).id
    assert further != ended

    memory.delete([further])

    assert "2026-01-29/c:2" in found(memory, "xylophonezz")


def test_a_mark_hides_what_a_tag_written_by_hand_left_open(memory, ended, day_file):
    memory.mark([ended], {"important": True})
    path = day_file()
    path.write_text(path.read_text(encoding="utf-8").replace("#important", "#private"), "utf-8")
    assert found(memory, "木琴") == ["2026-01-29/c:2"]

    for _ in range(2):
        assert memory.mark([ended], {"private": True}).sections == ()
        assert found(memory, "木琴") == []


def test_what_was_not_private_is_not_shown_by_taking_that_mark_away(memory, ended):
    memory.mark([ended], {"private": True, "important": True})
    path = memory.observations.live("c").path
    other = str(memory.save({"topic": "another one", "conversation": "c"}).id)
    with open(path, "a", encoding="utf-8") as file:
        file.write(observations.format_line(digested=other))

    memory.mark([other], {"private": False, "important": True})

    assert memory.observations.live("c").private
    memory.mark([ended], {"private": False})
    assert not memory.observations.live("c").private


def test_what_an_edit_makes_private_is_so_in_its_observations_too(memory, ended):
    memory.mark([ended], {"important": True})
    text = memory.open(ended).text
    assert "2026-01-29/c:2" in found(memory, "木琴")

    memory.edit(ended, text.replace("#important", "#private"))
    assert found(memory, "木琴") == []

    memory.edit(ended, text)
    assert "2026-01-29/c:2" in found(memory, "木琴")


def test_observations_that_can_not_be_read_are_told_of(memory, ended, monkeypatch):
    def refuse(*_: object) -> list[str]:
        raise BackendError("the system refused")

    monkeypatch.setattr(observations, "digested_files", refuse)

    edited = memory.delete([ended])

    assert edited.warnings == ("done, but what was observed stays as it is: the system refused",)


def test_observations_that_can_not_be_written_are_told_of(memory, ended, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise BackendError("the system refused")

    monkeypatch.setattr(overlays, "blank_out", refuse)

    edited = memory.delete([ended])

    assert edited.warnings == ("done, but what was observed stays as it is: the system refused",)
