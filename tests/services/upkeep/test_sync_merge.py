"""Machines of one user that change their days apart: whatever they do, they end up alike."""

from __future__ import annotations

import random
from collections import Counter
from datetime import date
from typing import NamedTuple

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from daily_memory.core.format import markdown, move_sections
from daily_memory.core.format.exact import to_bytes, to_text
from daily_memory.core.format.section_text import text_digest
from daily_memory.core.settings import DEFAULTS
from daily_memory.model import Section, Session
from daily_memory.services.setup.redaction_policy import policy, strict
from daily_memory.services.upkeep import sync_merge
from daily_memory.services.upkeep.sync_merge import DaySides, WholeDay
from daily_memory.storage import days
from daily_memory.storage.deleted import Deleted

DAYS = (date(2026, 1, 29), date(2026, 1, 30))
POLICY = strict(policy(DEFAULTS))
SECRET = "tulip-Bridge-42"


class DayFiles(NamedTuple):
    daily: bytes = b""
    archived: bytes = b""


Files = dict[date, DayFiles]


class Shared(NamedTuple):
    """What has left the machines, at some moment."""

    days: dict[date, WholeDay]
    deleted: frozenset[Deleted]


NOTHING = Shared(dict.fromkeys(DAYS, WholeDay()), frozenset())


class Machine:
    """The days of one machine, and what it and the others had last."""

    def __init__(self) -> None:
        self.files: Files = dict.fromkeys(DAYS, DayFiles())
        self.deleted: set[Deleted] = set()
        self.base = NOTHING

    def here(self, day: date) -> WholeDay:
        return sync_merge.join_archive(*self.files[day], f"{day}.md")

    def sync(self, there: Shared) -> Shared:
        """Take over what is there; return what is to be there now."""
        base = self.base
        new = self.deleted - base.deleted, there.deleted - base.deleted
        purged = [sync_merge.purged_numbers(entries) for entries in new]
        sent, private = {}, []
        for day in DAYS:
            sides = DaySides(base.days[day], self.here(day), there.days[day])
            numbers = [by_day.get(day, ()) for by_day in purged]
            done = sync_merge.sync_day(sides, day, f"{day}.md", POLICY, *numbers)
            self.files[day] = DayFiles(*sync_merge.split_archive(done.written, f"{day}.md"))
            assert self.here(day) == done.written
            sent[day] = done.sent
            private += [(day, number) for number in done.private]
        had = {day: sync_merge.numbers_in(whole.data) for day, whole in base.days.items()}
        merged = sync_merge.merged_deletions(
            base.deleted, self.deleted, there.deleted, had, private
        )
        self.deleted = merged
        self.base = Shared(sent, frozenset(merged))
        return self.base


# ---------------------------------------------------------------------------- what people do


class History:
    """Random changes on machines, and what must come of them."""

    def __init__(self, machines: int, chance: random.Random) -> None:
        self.machines = [Machine() for _ in range(machines)]
        self.chance = chance
        self.there = NOTHING
        self.everything_sent: list[bytes] = []
        self.added: set[str] = set()
        self.words: dict[str, set[str]] = {}
        self.deleted: set[str] = set()
        self.purged: set[str] = set()
        self.private: dict[str, int] = {}
        # By hand, which nothing of ours does: changed elsewhere as well, they may be there twice.
        self.renumbered: set[str] = set()
        self.count = 0

    def name(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count:04}x"

    def step(self, at: int, action: str, day: date | None = None) -> None:
        if action == "sync":
            self.there = self.machines[at].sync(self.there)
            self.everything_sent += [whole.data for whole in self.there.days.values()]
        else:
            getattr(self, action)(self.machines[at], day or self.chance.choice(DAYS))

    def add(self, machine: Machine, day: date, tags: tuple[str, ...] = ("共享",)) -> str:
        files, mark = machine.files[day], self.name("m")
        numbers = [item.session.number for data in files for item in sections(data, day)]
        numbers += [int(e.id.partition("#")[2]) for e in machine.deleted if e.id[:10] == str(day)]
        time = f"10:{self.chance.randrange(60):02}:{self.count % 60:02}"
        session = Session(
            day,
            number=max([0, *numbers]) + 1,
            time=time,
            topic=f"话题 {mark}",
            key_points=("TTL 300 秒", "use FastAPI"),
            tags=tags,
        )
        text = markdown.format_section(session, language="zh")
        head = f"# {day} 对话记忆\n\n" if not files.daily else "\n"
        machine.files[day] = files._replace(daily=files.daily + (head + text).encode())
        self.added.add(mark)
        self.words[mark] = set()
        return mark

    def add_private(self, machine: Machine, day: date) -> None:
        mark = self.add(machine, day, ("private",))
        self.private[mark] = self.machines.index(machine)

    def add_secret(self, machine: Machine, day: date) -> None:
        mark = self.add(machine, day)
        self._edit(machine, day, mark, f"password = {SECRET}")

    def edit(self, machine: Machine, day: date) -> None:
        mark = self._some(machine, day)
        if mark:
            word = self.name("w")
            self.words[mark].add(word)
            self._edit(machine, day, mark, word)

    def _edit(self, machine: Machine, day: date, mark: str, line: str) -> None:
        daily = machine.files[day].daily
        for item in sections(daily, day):
            text = to_text(days.cut(daily, item.span))
            if mark in text:
                changed = text.replace("### 关键信息\n", f"### 关键信息\n- {line}\n", 1)
                daily = days.splice(daily, item.span, to_bytes(changed))
        machine.files[day] = machine.files[day]._replace(daily=daily)

    def delete(self, machine: Machine, day: date) -> None:
        mark = self._some(machine, day)
        if mark:
            self.deleted.add(mark)
            self._take_out(machine, day, mark, is_purged=False)

    def purge(self, machine: Machine, day: date) -> None:
        mark = self._some(machine, day)
        if mark:
            self.purged.add(mark)
            self._take_out(machine, day, mark, is_purged=True)

    def _take_out(self, machine: Machine, day: date, mark: str, *, is_purged: bool) -> None:
        files = []
        for data in machine.files[day]:
            for item in reversed(sections(data, day)):
                text = days.decode(days.cut(data, item.span))
                if mark in text:
                    digests = () if is_purged else (text_digest(text),)
                    at = self.name("2026-02-01T")
                    machine.deleted.add(
                        Deleted(at, str(item.session.id), "", digests, purged=is_purged)
                    )
                    data = days.splice(data, days.with_gap(data, item.span), b"")
            files.append(data)
        machine.files[day] = DayFiles(*files)

    def archive(self, machine: Machine, day: date) -> None:
        daily, archived = (to_text(data) for data in machine.files[day])
        places = range(len(sections(machine.files[day].daily, day)))
        some = [place for place in places if self.chance.random() < 0.8]
        if some:
            moved = move_sections.move(daily, archived or None, some, wins=True)
            assert moved
            machine.files[day] = DayFiles(to_bytes(moved.source or ""), to_bytes(moved.target))

    def restore(self, machine: Machine, day: date) -> None:
        daily, archived = (to_text(data) for data in machine.files[day])
        if archived:
            places = range(len(sections(machine.files[day].archived, day)))
            moved = move_sections.move(archived, daily or None, places, wins=False)
            assert moved
            machine.files[day] = DayFiles(to_bytes(moved.target), to_bytes(moved.source or ""))

    def renumber(self, machine: Machine, day: date) -> None:
        daily = machine.files[day].daily
        found = sections(daily, day)
        if found:
            item = self.chance.choice(found)
            numbers = [s.session.number for data in machine.files[day] for s in sections(data, day)]
            text = markdown.renumbered(to_text(days.cut(daily, item.span)), max(numbers) + 7)
            self.renumbered |= {mark for mark in self.added if mark in text}
            daily = days.splice(daily, item.span, to_bytes(text))
            machine.files[day] = machine.files[day]._replace(daily=daily)

    def hide(self, machine: Machine, day: date) -> None:
        mark = self._some(machine, day)
        if mark and mark not in self.private:
            self.private[mark] = self.machines.index(machine)
            daily = machine.files[day].daily
            for item in sections(daily, day):
                text = to_text(days.cut(daily, item.span))
                if mark in text:
                    daily = days.splice(
                        daily, item.span, to_bytes(text.replace("#共享", "#共享 #private"))
                    )
            machine.files[day] = machine.files[day]._replace(daily=daily)

    def _some(self, machine: Machine, day: date) -> str:
        """Return the mark of a section in the day file that nobody made private, "" for none."""
        text = to_text(machine.files[day].daily)
        marks = [m for m in sorted(self.added) if m in text and m not in self.private]
        return self.chance.choice(marks) if marks else ""

    def settle(self) -> None:
        """Let each machine sync until all have the same."""
        for _ in range(4):
            for at in self.chance.sample(range(len(self.machines)), len(self.machines)):
                self.step(at, "sync")


def sections(data: bytes, day: date) -> tuple[Section, ...]:
    return days.parse_bytes(data, day, "").sections if data else ()


ACTIONS = [*["add"] * 3, *["edit"] * 2, "delete", "purge", "archive", "restore", "renumber", "hide"]
ACTIONS += ["add_private", "add_secret", *["sync"] * 3]
steps = st.lists(st.tuples(st.integers(0, 2), st.sampled_from(ACTIONS)), max_size=30)


@settings(max_examples=30, deadline=None, derandomize=True, phases=(Phase.generate,))
@given(steps=steps, machines=st.integers(2, 3), seed=st.integers(0, 2**32))
def test_machines_that_changed_apart_have_the_same_after_syncs(steps, machines, seed):
    history = History(machines, random.Random(seed))
    for at, action in steps:
        history.step(at % machines, action)

    history.settle()

    check(history)


@pytest.mark.parametrize("seed", range(20))
def test_a_section_edited_here_and_archived_there_keeps_its_edits(seed):
    history = History(3, random.Random(seed))
    for at, action in (
        *((0, "add"), (0, "sync"), (1, "sync"), (0, "edit"), (0, "sync")),
        *((1, "edit"), (1, "archive"), (2, "add"), (2, "archive")),
    ):
        history.step(at, action, DAYS[0])

    history.settle()

    check(history)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_purge_spares_a_section_that_only_had_the_number(line_end):
    sections_of = "# 2026-01-29 对话记忆", "## Session 2 - 10:00:00", "", "### Topic", "缓存", ""
    text = line_end.join(sections_of).encode()
    theirs = text.replace(b"Session 2", b"Session 7")
    sides = DaySides(WholeDay(text), WholeDay(text), WholeDay(theirs))

    done = sync_merge.sync_day(sides, DAYS[0], "x.md", POLICY, (), {2})

    assert done.written.data == done.sent.data == theirs
    gone = sync_merge.sync_day(sides._replace(theirs=WholeDay()), DAYS[0], "x.md", POLICY, (), {2})
    assert gone.written == WholeDay()


def synced(*files: str) -> tuple[list[Machine], Shared]:
    """Return machines that had these days and synced until they agree, and what they share."""
    machines, there = [Machine() for _ in files], NOTHING
    for machine, text in zip(machines, files, strict=True):
        machine.files[DAYS[0]] = DayFiles(text.encode())
    for machine in (*machines, *machines, *machines):
        there = machine.sync(there)
    assert all(machine.sync(there) == there for machine in machines)
    return machines, there


def test_a_secret_that_a_merge_takes_apart_does_not_leave_at_the_next_sync():
    (one, other), there = synced(
        f"## Session 1 - 10:00:00\n\n### Tags\n#redis password = {SECRET}\n", ""
    )
    there_before = one.files[DAYS[0]].daily
    other.files[DAYS[0]] = DayFiles(other.files[DAYS[0]].daily.replace(b"#redis", b"#kafka"))
    there = other.sync(there)

    for machine in (one, other, one):
        there = machine.sync(there)

    assert SECRET.encode() in there_before
    assert b"#kafka" in there.days[DAYS[0]].data
    assert SECRET.encode() not in there.days[DAYS[0]].data


def test_private_text_around_a_section_does_not_send_empty_lines_back_and_forth():
    title, section = "# 2026-01-29 对话记忆\n", "## Session 1\n- point\n"

    _, there = synced(
        f"{title}#private\nmine\n\n{section}", f"{title}\n#private\nother\n\n{section}"
    )

    assert b"mine" not in there.days[DAYS[0]].data
    assert b"- point" in there.days[DAYS[0]].data


def test_a_day_with_a_code_fence_that_never_closes_is_synced():
    text = "## Session 2 - 09:30\n```\n```\n## Session 1 - 10:00:00\n```\n"

    (one, other), _ = synced(text, "")

    assert one.files == other.files


def check(history: History) -> None:
    for machine in history.machines:
        assert machine.sync(history.there) == history.there
    shared = shown(history.there)
    assert "<<<<<<<" not in shared
    for day in DAYS:
        numbers = Counter(
            item.session.number for item in sections(history.there.days[day].data, day)
        )
        assert all(count == 1 for count in numbers.values())
    everything = b"".join(history.everything_sent)
    assert SECRET.encode() not in everything
    for mark in history.added:
        gone = mark in history.deleted or mark in history.purged
        is_private = mark in history.private
        if is_private and mark not in history.renumbered:
            assert mark not in shared
        is_moved = mark in history.renumbered
        is_edited = bool(history.words[mark])
        if not is_moved and (mark in history.purged or (mark in history.deleted and not is_edited)):
            assert mark not in shared, mark
        if not gone and not is_private:
            assert shared.count(mark) == 1 or (is_moved and shared.count(mark) == 2), mark
            assert all(word in shared for word in history.words[mark]), history.words[mark]


def shown(there: Shared) -> str:
    return "\n".join(to_text(whole.data) for whole in there.days.values())
