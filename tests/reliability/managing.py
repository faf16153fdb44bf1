"""A memory is managed at random, and a model of plain values beside it says what must be in it.

What `histories` does through the command, few steps at a time, this does within one process, many
steps at a time, and with all that manages a memory. Whatever the memory gave is in the model only
after it was held against what had to come.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import stat
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from daily_memory import ConflictError, Memory, NotFoundError
from daily_memory.core.redaction import privacy
from daily_memory.model import Code, Session
from daily_memory.services.reading.browse import StoredSession
from daily_memory.services.setup.redaction_policy import policy
from daily_memory.services.upkeep import archive
from daily_memory.storage import keys
from daily_memory.storage.fs import files

BEGIN = datetime(2026, 1, 29, 10, 30, 45, tzinfo=timezone(timedelta(hours=8)))
# Texts that try to be structure, in both languages, and what must come back of them.
HOSTILE = (
    "缓存 TTL 定为 300 秒\n第二行，带一个 # 号",
    "plain words\n\n\nand a gap",
    "## Session 7 - 00:00:00\n### Topic\nforged",
    "## 会话 1",
    "---",
    "```\nnever closed",
    "~~~python\nprint(1)\n~~~",
    "### 标签\n#private #important",
    '<!-- memory {"conversation":"talk0"} -->',
    "<<<<<<< ours\n老的\n=======\n新的\n>>>>>>> theirs",
    "- a list\n  - 里面的",
    "&#x0D; &amp; \\# \\\\",
    "\ufeffmark\tand tab\x00nul\u2028line",
    "an inner <private>hidden {word}</private> block",
    "[REDACTED:private] 已经隐藏",
    "C:\\path\\to | 表 | 格 |",
)
# What nobody closes is text, up to the next fence: it stands at the end of its day.
OPEN = "```\nopen 没有关上"
FLAGS = ("important", "outdated", "private")
CHANGES = ("delete", "edit", "mark", "merge")  # of texts; other steps move sections or add them
HEADING = re.compile(r"## (?:Session|会话) ([0-9]+)")


class Change(NamedTuple):
    """What a step did to a section: what it said, and says; None where it went."""

    before: Session
    after: Session | None


class Step(NamedTuple):
    """What can be undone: its sections, and the bytes of its days before and after.

    Without bytes it is not known any more what they would be. `words` are those of observations
    that went along.
    """

    action: str
    changes: dict[str, Change]
    before: dict[date, bytes | None] | None
    after: dict[date, bytes | None] | None
    words: frozenset[str] = frozenset()


class Observed(NamedTuple):
    """Something that was logged: its word, the sections that hold it, and whether it is there."""

    word: str
    into: frozenset[str] = frozenset()
    is_there: bool = True


def bare(session: Session) -> Session:
    """Return what a session says, without its number and what it is known by."""
    return session._replace(
        number=0, copy=1, digest="", continues="", origin="", source="", project=""
    )


class Managing(RuleBasedStateMachine):
    """What is done, and the model: what is in the days, in the archive, and what can be undone."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="daily-memory-", dir=_scratch()))
        for name in ("app", "home", "tmp"):
            (self.folder / name).mkdir()
        self.now = BEGIN
        self.count = 0
        self.days: dict[str, Session] = {}
        self.archive: dict[str, Session] = {}
        self.given: set[str] = set()
        self.by_hand: set[str] = set()  # words between sections
        self.steps: dict[str, Step] = {}
        self.written: dict[str, str] = {}  # the text of sections that a save may put anew
        self.observed: dict[str, list[Observed]] = {}
        self.lost: set[str] = set()  # words of which no byte may be left
        self.is_encrypted = False
        self.is_mirrored = False
        self.secrets: set[str] = set()  # which a person wrote down
        self.reused: set[str] = set()
        self.wiped: dict[str, Session] = {}  # what an editor took, as the journal has it
        self.noted: dict[str, Session] = {}  # what the journal has of each session
        self.own: set[str] = set()  # what was saved here
        self.moved: dict[str, Session] = {}  # what a person gave another number
        self.doubtful: list[Session] = []  # … and changed: it is taken for another one
        self.open_days: set[str] = set()  # with a fence that is never closed
        self.private: set[str] = set()  # live sessions
        keys.forget_opened()

    def teardown(self) -> None:
        try:
            if sys.exc_info()[0] is None:  # else what went wrong before is what shall be told
                self.inspect()
                self.doctor()
        finally:
            shutil.rmtree(self.folder)

    # ------------------------------------------------------------------ the world

    @property
    def memory(self) -> Memory:
        """A new one for each thing that is done, as a command has."""
        return self.memory_of("app", "home")

    def memory_of(self, project: str, home: str) -> Memory:
        return Memory(
            self.folder / project, home=self.folder / home, clock=lambda: self.now, environment={}
        )

    @property
    def root(self) -> Path:
        return self.folder / "app/.cursor/skills/memories"

    def day_bytes(self, day: date) -> bytes | None:
        path = self.root / "daily" / f"{day}.md"
        return self.memory.encryption.unlock(day) if path.exists() else None

    def write_day(self, day: date, data: bytes) -> None:
        """Write a day as an editor does; an encrypted one as somebody with `age` does."""
        path = self.root / "daily" / f"{day}.md"
        if self.is_encrypted and path.exists():
            files.replace(str(path), data, self.memory.workspace.save_root().modes)
            return
        for folder in (self.root, path.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_bytes(data)

    def each_bytes(self) -> Iterator[tuple[str, bytes]]:
        """Yield every file below the folder with its bytes; what is packed also unpacked."""
        for path in sorted(self.folder.rglob("*")):
            if path.is_file():
                data = path.read_bytes()
                if path.suffix == ".gz" and not files.is_sealed(data) and data:
                    data += gzip.decompress(data)
                yield str(path.relative_to(self.folder)), data

    def found(self) -> list[StoredSession]:
        return [one for one in self.all_found() if one.session.number]

    def all_found(self) -> list[StoredSession]:
        """Return also what a person wrote outside of sections, which has no number."""
        return list(self.memory.sessions(scope="project", archived=True)) if self.is_there else []

    @property
    def is_there(self) -> bool:
        return self.root.exists()

    def word(self) -> str:
        self.count += 1
        return f"zq{self.count:04d}w"

    def draw_id(self, data: Any, names: Iterable[str] | None = None) -> str:
        return str(data.draw(st.sampled_from(sorted(self.days if names is None else names))))

    # ------------------------------------------------------------------ what must hold

    @invariant()
    def is_as_modelled(self) -> None:
        """Whatever was done, the sessions are those of the model, and on the lines they tell."""
        found = self.found()
        for is_archived, wanted in ((False, self.days), (True, self.archive)):
            there = [one for one in found if one.archived == is_archived]
            names = Counter(str(one.session.id) for one in there)
            assert names == Counter(wanted.keys()), (is_archived, names, sorted(wanted))
            for one in there:
                said = bare(one.session)
                assert said == wanted[str(one.session.id)], (said, wanted[str(one.session.id)])
        assert not self.days.keys() & self.archive.keys()
        self.given |= self.days.keys() | self.archive.keys()
        self._check_lines(found)
        self._check_words()

    def _check_lines(self, found: Sequence[StoredSession]) -> None:
        texts = {
            day: (self.day_bytes(day) or b"").decode("utf-8", "replace").split("\n")
            for day in {one.session.date for one in found if not one.archived}
        }
        for one in found:
            if not one.archived:
                lines = texts[one.session.date]
                heading = HEADING.match(lines[one.span.first - 1])
                assert heading, (one.span, lines)
                assert int(heading[1]) == one.session.number
                assert lines[one.span.last - 1].strip(), (one.span, lines)

    def _check_words(self) -> None:
        """What people wrote between sections stands there once, and what shall be lost nowhere."""
        if self.by_hand:
            said = [
                data.decode("utf-8", "replace")
                for pattern in ("daily/*.md", "archive/*/*.md.gz")
                for data in map(self._plain, sorted(self.root.glob(pattern)))
            ]
            for word in self.by_hand:
                # What stands above all sections goes along into the archive in copy.
                counts = [text.count(word) for text in said]
                assert sum(counts) in (1, 2), (word, said)
                assert max(counts) == 1, (word, said)
        for name, data in self.each_bytes():
            for word in self.lost:
                assert word.encode() not in data, (word, name, data)
            if self.is_encrypted:
                assert not re.search(rb"zq[0-9]{4}w", data), (name, data)

    def _plain(self, path: Path) -> bytes:
        self.memory.encryption.open_key()
        data = files.read_bytes(str(path))
        return gzip.decompress(data) if path.suffix == ".gz" else data

    @rule()
    def inspect(self) -> None:
        """Search, show, index, mirror and modes tell what the files have."""
        if not self.is_there:
            return
        memory = self.memory
        for name, said in [*self.days.items()][-4:]:
            word = _word_of(said)
            hits = [str(hit.session.id) for hit in memory.search(word, k=20, scope="project").hits]
            assert (name in hits) == (not said.is_private), (name, hits, said)
            assert bare(memory.get(name, scope="project").session) == said
        for name, said in [*self.archive.items()][-2:]:
            word = _word_of(said)
            plain = memory.search(word, k=20, scope="project")
            assert name not in [str(hit.session.id) for hit in plain.hits if not hit.archived]
            found = memory.search(word, k=20, scope="project", archived=True)
            hits = [str(hit.session.id) for hit in found.hits]
            assert (name in hits) == (not said.is_private)
        self._check_observed()
        if self.days:
            self._check_index()
        for path in [self.root, *self.root.rglob("*")]:
            assert not path.is_symlink()
            assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path
            assert ".tmp-" not in path.name
        self.is_as_modelled()

    def _index(self) -> object:
        fields = json.loads(self._plain(self.root / "index" / "keywords.json"))
        del fields["updated_at"]
        return fields

    def _check_index(self) -> None:
        self.memory.search("anything", scope="project")
        if not (self.root / "index" / "keywords.json").exists():
            return
        kept = self._index()
        self.memory.reindex(scope="project")
        assert kept == self._index()
        listed = {
            f"{one['date']}#{one['session']}" + (f"~{one['copy']}" if "copy" in one else "")
            for one in kept["entries"]  # type: ignore[index]
            if one["session"]
        }
        assert listed == {name for name, said in self.days.items() if not said.is_private}

    def _check_observed(self) -> None:
        for name, logged in self.observed.items():
            said = self._observations(name)
            for one in logged:
                assert (one.word in said) == one.is_there, (name, one, said)
            for one in logged[-2:]:
                hits = self.memory.observations.search(one.word, scope="project").hits
                found = [hit for hit in hits if hit.record.kind != "session"]
                is_found = any(one.word in hit.record.text for hit in found)
                assert is_found == (one.is_there and self._is_public(name)), (name, one)

    def _is_public(self, conversation: str) -> bool:
        """Tell whether an observation may be found: it is in a day, in no private conversation."""
        is_live = bool(list(self.root.glob(f"observations/*/{conversation}.jsonl")))
        return is_live and conversation not in self.private

    def _follow_privacy(self, before: dict[str, Session]) -> None:
        """Where a section became private, or is no longer, so is what was observed for it."""
        for name, was in before.items():
            said = self.days.get(name, was)
            if said.is_private != was.is_private:
                (self.private.add if said.is_private else self.private.discard)(self._talk_of(name))

    def _talk_of(self, name: str) -> str:
        """Return the live session that a section was made of, "" where there is none."""
        talks = (
            talk
            for talk, logged in self.observed.items()
            if any(name in one.into for one in logged)
        )
        return next(talks, "")

    def _observations(self, conversation: str) -> str:
        name = f"{conversation}.jsonl"
        paths = [
            *self.root.glob(f"observations/*/{name}"),
            *self.root.glob(f"archive/*/observations/*/{name}.gz"),
        ]
        return "".join(self._plain(path).decode() for path in paths)

    def doctor(self) -> None:
        if self.is_there:
            report = self.memory.doctor(scope="project")
            for one in report.values():
                assert one.faults == () or self.open_days, one.faults
                listed = [found for found in self.all_found() if not found.archived]
                assert one.sessions == len(listed)

    # ------------------------------------------------------------------ what comes in

    def draft(self, data: Any) -> tuple[dict[str, object], Session]:
        """Return a new session as JSON, and as it must be read again."""
        word = self.word()
        hostile = data.draw(st.lists(st.sampled_from(HOSTILE), max_size=3))
        texts = [text.replace("{word}", word) for text in hostile]
        tags = data.draw(st.lists(st.sampled_from(("缓存", "redis", "ops")), unique=True))
        when = self.now
        if data.draw(st.booleans()):
            when -= timedelta(days=data.draw(st.sampled_from((1, 2, 40))))
        language = data.draw(st.sampled_from(("statement was whole", "这一句原来是完整的")))
        fields: dict[str, object] = {
            "topic": f"{word} 主题 topic",
            "summary": texts[0] if texts else "",
            "key_points": [f"{word} {language}", *texts],
            "decisions": [f"用 {word} 方案", *texts[1:]],
            "code": [{"language": "sh", "text": f"echo {word}\n## Session 9\n---"}] * len(texts),
            "tags": [*tags, word],
            "date": when.date().isoformat(),
            "time": f"{when:%H:%M:%S}",
        }
        said = Session(
            when.date(),
            time=f"{when:%H:%M:%S}",
            topic=f"{word} 主题 topic",
            summary=_hidden(texts[0]) if texts else "",
            key_points=(f"{word} {language}", *map(_hidden, texts)),
            decisions=(f"用 {word} 方案", *map(_hidden, texts[1:])),
            code=(Code("sh", f"echo {word}\n## Session 9\n---"),) * len(texts),
            tags=(*tags, word),
        )
        if any("<private>" in text for text in texts):
            self.lost.add(f"hidden {word}")
        return fields, said

    @rule(data=st.data())
    def save(self, data: Any) -> None:
        fields, said = self.draft(data)
        saved = self.memory.save(fields)
        assert saved.id not in self.given
        self.put(saved.id, said)

    def put(self, name: str, said: Session, *, is_own: bool = True) -> None:
        """Put what was written into the model."""
        if name[:10] in self.open_days:
            # Below a fence that is open code stands as a text.
            read = bare(self.memory.get(name, scope="project").session)
            assert read._replace(code=(), notes=()) == said._replace(code=(), notes=())
            said = read
        self.days[name] = self.noted[name] = said
        if is_own:
            self.own.add(name)

    @rule(data=st.data(), talk=st.sampled_from(("talk0", "talk1")))
    def go_on(self, data: Any, talk: str) -> None:
        """A conversation is saved again: in its place, or anew where it was changed since."""
        fields, said = self.draft(data)
        said = said._replace(conversation=talk)
        latest = self._latest(talk)
        is_ours = latest and self.written.get(latest) == self._text(latest)
        if latest and self.days[latest].is_private:
            said = said._replace(tags=(*said.tags, "private"))
        saved = self.memory.save({**fields, "conversation": talk})
        if is_ours:
            assert saved.id == latest
            kept = self.days[saved.id]
            said = said._replace(date=kept.date, time=kept.time)
        elif saved.id in self.archive:
            kept = self.archive.pop(saved.id)  # it came back into its day
            said = said._replace(date=kept.date, time=kept.time)
            if kept.is_private:
                said = said._replace(tags=(*said.tags, "private"))
        else:
            assert saved.id not in self.given
        self.put(saved.id, said)
        self.written[saved.id] = self._text(saved.id)

    def _text(self, name: str) -> str:
        """Return the lines of a section below its heading, whose number a person may change."""
        return self.memory.open(name, scope="project").text.partition("\n")[2].strip()

    def _latest(self, talk: str) -> str:
        """Return the last section of a conversation, of the last days of which there are any."""
        own = [
            str(one.session.id)
            for one in self.found()
            if not one.archived and one.session.conversation == talk
        ]
        return own[-1] if own else ""

    @rule(data=st.data())
    def twin(self, data: Any) -> None:
        """The same is saved once more, a little later, and with a little more."""
        names = [name for name, said in self.days.items() if not said.conversation]
        if not names:
            return
        said = self.days[self.draw_id(data, names)]
        word = self.word()
        time = f"{self.now:%H:%M:%S}"
        said = said._replace(
            date=self.now.date(), time=time, key_points=(*said.key_points, f"more {word}")
        )
        said = said._replace(tags=tuple(tag for tag in said.tags if tag not in FLAGS))
        fields = {
            **{name: list(getattr(said, name)) for name in ("key_points", "decisions", "tags")},
            "code": [one._asdict() for one in said.code],
            "topic": said.topic,
            "summary": said.summary,
            "date": said.date.isoformat(),
            "time": time,
        }
        if said.notes or not said.tags:
            return
        saved = self.memory.save(fields)
        assert saved.id not in self.given
        self.put(saved.id, said)

    # ------------------------------------------------------------------ live sessions

    @rule(data=st.data(), talk=st.sampled_from(("live0", "live1")))
    def log(self, data: Any, talk: str) -> None:
        memory = self.memory
        if not list(self.root.glob(f"observations/*/{talk}.jsonl")):
            self.private.discard(talk)  # what was archived is over: this is another one
        memory.start(talk)
        word = self.word()
        text = data.draw(st.sampled_from(HOSTILE)).replace("{word}", word)
        if "<private>" in text:
            self.lost.add(f"hidden {word}")
        kind = data.draw(st.sampled_from(("note", "decision", "user", "error")))
        memory.log(f"{word} 决定用 redis: {text}", kind=kind, conversation=talk)
        self.observed.setdefault(talk, []).append(Observed(word))

    @precondition(lambda self: self.observed)
    @rule(data=st.data())
    def end(self, data: Any) -> None:
        talk = self.draw_id(data, self.observed)
        try:
            self.memory.observations.live(talk)
        except NotFoundError:
            return  # archived
        ended = self.memory.end(talk)
        if not ended.id:
            return
        is_new = ended.id not in self.days
        assert not is_new or ended.id not in self.given
        section = self.memory.get(ended.id, scope="project").session
        assert section.conversation == talk
        self.put(ended.id, bare(section))
        self.written[ended.id] = self._text(ended.id)
        self.observed[talk] = [
            one._replace(into=one.into | {ended.id}) if one.is_there else one
            for one in self.observed[talk]
        ]

    # ------------------------------------------------------------------ by hand

    @precondition(lambda self: self.days)
    @rule(data=st.data())
    def change_by_hand(self, data: Any) -> None:
        name = self.draw_id(data)
        found = self.memory.get(name, scope="project")
        text = self.day_bytes(found.session.date)
        assert text is not None
        lines = text.decode("utf-8", "surrogateescape").split("\n")
        old, new = data.draw(
            st.sampled_from((("was whole", "was changed"), ("原来", "后来"), ("主题", "题目")))
        )
        body = lines[found.span.first : found.span.last]
        body = [line if line.startswith("#") else line.replace(old, new) for line in body]
        lines[found.span.first : found.span.last] = body
        self.write_day(found.session.date, "\n".join(lines).encode("utf-8", "surrogateescape"))

        if name in self.moved:
            self.doubtful.append(self.moved[name])

        def changed(value: Any) -> Any:
            if isinstance(value, str):
                return value.replace(old, new)
            if isinstance(value, Code):
                return Code(*map(changed, value))
            return tuple(map(changed, value)) if type(value) is tuple else value

        said = self.days[name]
        self.days[name] = said._replace(
            **{
                field: changed(getattr(said, field))
                for field in ("topic", "summary", "key_points", "decisions", "code")
            }
        )

    @precondition(lambda self: self.days)
    @rule(data=st.data())
    def delete_by_hand(self, data: Any) -> None:
        name = self.draw_id(data)
        found = self.memory.get(name, scope="project")
        text = self.day_bytes(found.session.date)
        assert text is not None
        lines = text.split(b"\n")
        del lines[found.span.first - 1 : found.span.last]
        self.write_day(found.session.date, b"\n".join(lines))
        del self.days[name]
        if name in self.noted:
            self.wiped[name] = self.noted.pop(name)
        journal = self.root / "index" / "journal.jsonl"
        if not journal.exists() or f'"id": "{name}"'.encode() not in self._plain(journal):
            self.given.discard(name)  # nobody ever told the memory of it

    @rule(data=st.data(), newline=st.sampled_from(("\n", "\r\n")))
    def add_by_hand(self, data: Any, newline: str) -> None:
        """A person adds a section, and words between sections."""
        day = self.now.date() - timedelta(days=data.draw(st.sampled_from((0, 0, 1, 40))))
        before = self.day_bytes(day) or b""
        if str(day) in self.open_days or (self.is_encrypted and not before):
            return
        numbers = [int(name.partition("#")[2]) for name in self.given if name.startswith(str(day))]
        number = max(numbers, default=0) + 1
        word, between = self.word(), self.word()
        text = data.draw(
            st.sampled_from(
                (
                    "words",
                    "- a\n- b\n\n```\n## Session 1\n```",
                    "词语",
                    "token: {}",
                    "口令是 {}。",
                    OPEN,
                )
            )
        )
        if text == OPEN:
            self.open_days.add(str(day))
        if "{}" in text:
            self.secrets.add(_secret(word))
            text = text.format(_secret(word))
        section = (
            f"\n\n---\n\nbetween 手写 {between}\n\n"
            f"## Session {number} - 12:00\n\n### 主题\n{word} 手写\n\n"
            f"### 自己的标题\n{text}\n\n### Tags\n#{word}\n"
        )
        if data.draw(st.booleans()):
            section += "\n---\n"
        self.write_day(day, before + section.replace("\n", newline).encode())
        self.by_hand.add(between)
        name = f"{day}#{number}"
        said = bare(self.memory.get(name, scope="project").session)
        assert said.topic == f"{word} 手写"
        self.days[name] = said

    @precondition(lambda self: self.days)
    @rule(data=st.data(), way=st.sampled_from(("CRLF", "LF", "no end", "mark", "gap")))
    def spoil(self, data: Any, way: str) -> None:
        """An editor saves a day in its own way: it says the same."""
        day = date.fromisoformat(self.draw_id(data)[:10])
        text = self.day_bytes(day) or b""
        if way == "CRLF":
            text = text.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        elif way == "LF":
            text = text.replace(b"\r\n", b"\n")
        elif way == "no end":
            text = text.rstrip()
        elif way == "mark":
            text = b"\xef\xbb\xbf" + text.removeprefix(b"\xef\xbb\xbf")
        else:
            text = b"\n\n" + text + b"\n\n\n"
        self.write_day(day, text)

    @precondition(lambda self: self.days)
    @rule(data=st.data())
    def renumber_by_hand(self, data: Any) -> None:
        held = {name for logged in self.observed.values() for one in logged for name in one.into}
        names = self.days.keys() - held
        if not names:
            return
        name = self.draw_id(data, names)
        found = self.memory.get(name, scope="project")
        lines = (self.day_bytes(found.session.date) or b"").split(b"\n")
        used = [int(one.partition("#")[2]) for one in self.given if one.startswith(name[:10])]
        number = max(used) + 1
        heading = lines[found.span.first - 1]
        old = f" {found.session.number}".encode()
        lines[found.span.first - 1] = heading.replace(old, f" {number}".encode(), 1)
        self.write_day(found.session.date, b"\n".join(lines))
        self.days[f"{name[:10]}#{number}"] = self.days.pop(name)
        self.given.discard(name)
        if name in self.noted:
            self.moved[f"{name[:10]}#{number}"] = self.noted[name]
            self.noted[f"{name[:10]}#{number}"] = self.noted.pop(name)
        if name in self.written:
            self.written[f"{name[:10]}#{number}"] = self.written.pop(name)

    @rule()
    def restore_wiped(self) -> None:
        """What an editor took comes back; what was deleted does not."""
        if not self.is_there:
            return
        self.memory.doctor(scope="project", restore=True)
        there = {str(one.session.id): one.session for one in self.found() if not one.archived}
        back = {name: bare(said) for name, said in there.items() if name not in self.days}
        for name, said in back.items():
            assert name not in self.given or name in self.wiped
            assert said in [*self.wiped.values(), *self.doubtful], (said, self.wiped)
        talks = {(said.conversation, said.time) for said in self.days.values()}
        for name, said in self.wiped.items():
            # What was saved again since, under another number, is not gone.
            is_again = said.conversation and (said.conversation, said.time) in talks
            assert name in there or name not in self.own or is_again, name
        self.days |= back
        self.noted |= back
        self.wiped = {}

    # ------------------------------------------------------------------ managing

    def change(self, names: Sequence[str], action: str, act: Callable[[], str], after: Any) -> None:
        """Do something to sections that can be undone; `after` is what becomes of each."""
        touched = sorted({date.fromisoformat(name[:10]) for name in names})
        before = {day: self.day_bytes(day) for day in touched}
        were = {name: self.days[name] for name in names}
        operation = act()
        changes = {name: Change(self.days[name], after(name)) for name in names}
        for name, change in changes.items():
            if change.after is None:
                del self.days[name]
                self.noted.pop(name, None)
            else:
                self.days[name] = self.noted[name] = change.after
        self._follow_privacy(were)
        if operation:
            assert operation not in self.steps
            self.steps[operation] = Step(
                action, changes, before, {day: self.day_bytes(day) for day in touched}
            )

    @precondition(lambda self: self.days)
    @rule(data=st.data(), flag=st.sampled_from(FLAGS), is_set=st.booleans())
    def mark(self, data: Any, flag: str, is_set: bool) -> None:
        names = data.draw(st.lists(st.sampled_from(sorted(self.days)), min_size=1, unique=True))

        def marked(name: str) -> Session:
            said = self.days[name]
            if is_set and flag not in said.tags:
                return said._replace(tags=(*said.tags, flag))
            return (
                said
                if is_set
                else said._replace(tags=tuple(tag for tag in said.tags if tag != flag))
            )

        wanted = [name for name in names if (flag in self.days[name].tags) != is_set]
        if flag == "private" and is_set:
            # What is so by a tag in its text has hidden no observation yet.
            self.private |= {self._talk_of(name) for name in names}
        if not wanted:
            assert self.memory.mark(names, {flag: is_set}, scope="project").operation == ""
            return
        self.change(
            wanted,
            "mark",
            lambda: self.memory.mark(names, {flag: is_set}, scope="project").operation,
            marked,
        )

    @precondition(lambda self: self.days)
    @rule(data=st.data())
    def edit(self, data: Any) -> None:
        name = self.draw_id(data)
        if self._is_secret(self.days[name]):
            return  # an edit would hide it
        opened = self.memory.open(name, scope="project")
        word = _word_of(self.days[name])
        text = opened.text.replace(f"{word} statement", f"{word} edited 改了 statement")
        text = text.replace(f"{word} 这一句", f"{word} 改了这一句")
        if text == opened.text:
            return

        def edited(name: str) -> Session:
            return bare(self.memory.get(name, scope="project").session)

        before = self.days[name]
        self.change(
            [name],
            "edit",
            lambda: self.memory.edit(name, text, digest=opened.digest, scope="project").operation,
            edited,
        )
        after = self.days[name]
        assert after._replace(key_points=()) == before._replace(key_points=())
        assert after.key_points != before.key_points
        assert len(after.key_points) == len(before.key_points)

    @precondition(lambda self: self.days)
    @rule(data=st.data(), way=st.sampled_from(("ids", "day", "query", "before", "tag")))
    def delete(self, data: Any, way: str) -> None:
        name = self.draw_id(data)
        said = self.days[name]
        memory = self.memory
        if way == "ids":
            names = data.draw(st.lists(st.sampled_from(sorted(self.days)), min_size=1, unique=True))
            choices = memory.deletion.choose(names, scope="project")
        elif way == "day":
            names = [one for one in self.days if one.startswith(name[:10])]
            choices = memory.deletion.choose([name[:10]], scope="project")
        elif way == "query":
            word = _word_of(said)
            names = [
                one
                for one, other in self.days.items()
                if word in str(other) and not other.is_private
            ]
            choices = memory.deletion.choose(query=word, scope="project")
        elif way == "before":
            names = [one for one, other in self.days.items() if other.date < said.date]
            choices = memory.deletion.choose(before=said.date, scope="project")
        else:
            names = [one for one, other in self.days.items() if "redis" in other.tags]
            choices = memory.deletion.choose(tags=["redis"], scope="project")
        # What is written by hand is chosen too; here it stays.
        choices = tuple(one for one in choices if one.session.number)
        assert sorted(str(one.session.id) for one in choices) == sorted(names)
        if names:
            self.change(
                names, "delete", lambda: memory.deletion.delete(choices).operation, lambda _: None
            )
            self._forget_observed(names)

    def _forget_observed(self, names: Iterable[str], *, is_purge: bool = False) -> None:
        """Take what sections held out of the model; what goes with the last step comes with it."""
        names = set(names) - self.reused  # an import that got the number of another one holds none
        gone: set[str] = set()
        for logged in self.observed.values():
            held = {name for one in logged for name in one.into}
            # A purge takes all of a conversation of which there is no other section.
            takes_all = is_purge and held and held <= names
            gone |= {
                one.word
                for one in logged
                if one.is_there and (takes_all or not one.into.isdisjoint(names))
            }
        self._set_there(gone, is_there=False)
        if not is_purge:
            last = next(reversed(self.steps))
            self.steps[last] = self.steps[last]._replace(words=frozenset(gone))

    def _words_of(self, name: str) -> set[str]:
        return {one.word for logged in self.observed.values() for one in logged if name in one.into}

    def _set_there(self, words: Collection[str], *, is_there: bool) -> None:
        self.observed = {
            talk: [one._replace(is_there=is_there) if one.word in words else one for one in logged]
            for talk, logged in self.observed.items()
        }

    @precondition(lambda self: self.days or self.archive or self.steps)
    @rule(data=st.data())
    def purge(self, data: Any) -> None:
        deleted = {name for step in self.steps.values() for name in step.changes}
        name = self.draw_id(
            data, {*self.days, *self.archive, *(self.wiped.keys() & self.own), *deleted}
        )
        memory = self.memory
        texts = [said for places in (self.days, self.archive) for said in places.values()]
        own = self.days.get(name) or self.archive.get(name)
        targets = memory.deletion.traces((), [name], scope="project")
        purged = memory.deletion.purge(targets)
        self.days.pop(name, None)
        self.archive.pop(name, None)
        for known in (self.written, self.noted, self.wiped):
            known.pop(name, None)
        earlier = self._states(name, own)
        for number, step in list(self.steps.items()):
            kept = {
                one: change
                for one, change in step.changes.items()
                if one != name and earlier.isdisjoint({change.before, change.after} - {None})
            }
            if kept:
                words = step.words - self._words_of(name)
                if kept != step.changes:
                    self.steps[number] = Step(step.action, kept, None, None, words)
            else:
                del self.steps[number]
        self._forget_observed([name], is_purge=True)
        rest = str([said for said in texts if said is not own]) + str((self.steps, self.wiped))
        for said in earlier:
            # Changed by a person and renumbered, it is another one: what it was is told, and stays.
            if _word_of(said) not in rest and name not in self.moved:
                self.lost.add(_word_of(said))
            elif any(_word_of(said).encode() in data for _, data in self.each_bytes()):
                assert purged.elsewhere

    def _states(self, name: str, own: Session | None) -> set[Session]:
        """Return what a section says and said, also under the numbers that it had before."""
        states = {own} if own else set()
        changes = [pair for step in self.steps.values() for pair in step.changes.items()]
        for _ in range(len(changes) + 1):
            for one, change in changes:
                both = {said for said in change if said}
                if one == name or not both.isdisjoint(states):
                    states |= both
        return states

    # ------------------------------------------------------------------ undo

    @rule(data=st.data())
    def undo(self, data: Any) -> None:
        listed = (
            [
                one.operation
                for one in self.memory.operations(scope="project")
                if not one.operation.is_undo
            ]
            if self.is_there
            else []
        )
        known = {one.id: set(one.topics) for one in listed if one.action in CHANGES}
        assert known.keys() <= self.steps.keys()
        for gone in self.steps.keys() - known.keys():
            del self.steps[gone]  # too old
        for id_, names in known.items():
            assert names == self.steps[id_].changes.keys()
        if not listed:
            return
        chosen = data.draw(st.sampled_from(listed))
        if chosen.action in CHANGES:
            self._undo_change(data, chosen.id, is_last=chosen is listed[0])
        elif chosen.action == "import":
            self._undo_import(chosen.id)
        else:
            self._undo_move(chosen.id)

    def _undo_change(self, data: Any, id_: str, *, is_last: bool) -> None:
        step = self.steps[id_]
        is_exact = step.after is not None and all(
            self.day_bytes(day) == data for day, data in step.after.items()
        )
        memory = self.memory
        before = self._said()
        try:
            undone = memory.undo("" if is_last else id_, scope="project")
        except ConflictError:
            assert not is_exact
            is_open = any(name[:10] in self.open_days for name in step.changes)
            assert is_open or any(change.after for change in step.changes.values())
            return
        assert undone.operation.id == id_
        if is_exact:
            assert step.before is not None
            assert {day: self.day_bytes(day) for day in step.before} == step.before
            assert undone.kept == ()
            assert all(was == now for was, now in undone.ids)
        if is_exact and data.draw(st.booleans()):
            self._redo(undone.redo[0], id_, before)
            return
        new = dict(undone.ids)
        assert new.keys() | set(undone.kept) == step.changes.keys()
        now = {str(one.session.id): one for one in self.found() if not one.archived}
        were = dict(self.days)
        for name, change in step.changes.items():
            if name in new:
                self._check_undone(name, new[name], change, now)
        self._follow_privacy(were)
        self.noted |= {name: self.days[name] for name in new.values()}
        kept = {name: step.changes[name] for name in undone.kept}
        for name, change in kept.items():
            assert change.after or name[:10] in self.open_days
        self._set_there(step.words, is_there=True)
        if kept:
            self.steps[id_] = Step(step.action, kept, None, None)
        else:
            del self.steps[id_]

    def _said(self) -> list[tuple[bool, str, Session]]:
        return [(one.archived, str(one.session.id), bare(one.session)) for one in self.found()]

    def _redo(self, redo: str, id_: str, before: list[tuple[bool, str, Session]]) -> None:
        """What an undo took back is done again: all is as it was before the undo."""
        step = self.steps.pop(id_)
        again = self.memory.undo(redo, scope="project")
        assert again.kept == ()
        assert self._said() == before
        assert step.after is not None
        assert {day: self.day_bytes(day) for day in step.after} == step.after
        self.steps[again.redo[0]] = step

    def _undo_move(self, id_: str) -> None:
        """What was archived or restored goes back to where it was, if it is there at all."""
        before = {name: said for _, name, said in self._said()}
        try:
            undone = self.memory.undo(id_, scope="project")
        except ConflictError:
            return
        there = self._said()
        assert {name: said for _, name, said in there} == before
        for is_archived, name, said in there:
            if is_archived and name in self.days:
                assert name in dict(undone.ids)
                self.archive[name] = said
                self.days.pop(name)
                self.written.pop(name, None)
            elif not is_archived and name in self.archive:
                assert name in dict(undone.ids)
                self.days[name] = said
                self.archive.pop(name)

    def _undo_import(self, id_: str) -> None:
        """What was imported goes where it is as it came, and comes back where it was."""
        before = self._said()
        names = {name for _, name, _ in before}
        try:
            undone = self.memory.undo(id_, scope="project")
        except ConflictError:
            return
        there = {name for _, name, _ in self._said()}
        assert there <= names
        assert names - there <= dict(undone.ids).keys()
        if undone.redo[0]:
            self.memory.undo(undone.redo[0], scope="project")
        assert self._said() == before

    def _is_secret(self, said: Session) -> bool:
        return any(secret in str(said) for secret in self.secrets)

    def _check_undone(
        self, name: str, new: str, change: Change, now: dict[str, StoredSession]
    ) -> None:
        if change.after is None:
            if new != name:
                assert name in self.days
                assert new not in self.given or self.days.get(new) == change.before
            self.days[new] = change.before
            for talk, logged in self.observed.items():
                self.observed[talk] = [
                    one._replace(into=one.into | {new}) if name in one.into else one
                    for one in logged
                ]
            return
        assert new == name
        if name in self.reused:
            self.days[name] = bare(now[name].session)
            return
        was, said = self.days[name], bare(now[name].session)
        for field in ("topic", "summary", "key_points", "decisions", "code", "tags"):
            before, after = getattr(change.before, field), getattr(change.after, field)
            if getattr(was, field) == after:
                assert getattr(said, field) == before, (field, said, change)
            elif before == after:
                assert getattr(said, field) == getattr(was, field), (field, said, was)
        self.days[name] = said

    # ------------------------------------------------------------------ cleaning up

    @precondition(lambda self: self.days)
    @rule(data=st.data(), way=st.sampled_from(("archive", "delete")))
    def clean_up(self, data: Any, way: str) -> None:
        before = min(self.days[self.draw_id(data)].date + timedelta(days=1), self.now.date())
        memory = self.memory
        due = memory.archive.due(before=before)
        names = [
            name for name, said in self.days.items() if said.date < before and not said.is_important
        ]
        assert sorted(str(one.session.id) for one in due.sessions) == sorted(names)
        if way == "archive":
            try:
                moved = memory.archive.store(due)
            except ConflictError:
                assert self.open_days
                return
            assert moved.warnings == () or self.open_days
            stay = [name for name in names if name[:10] in self.open_days]
            assert {*names} - {*stay} <= {*moved.ids} <= {*names}
            for name in moved.ids:
                self.archive[name] = self.days.pop(name)
                self.written.pop(name, None)
        elif names:
            self.change(names, "delete", lambda: self._delete_due(due), lambda _: None)
            self._forget_observed(names)
        else:
            memory.archive.delete(due)

    def _delete_due(self, due: Any) -> str:
        self.memory.archive.delete(due)
        return self.memory.operations(scope="project")[0].operation.id

    @precondition(lambda self: self.archive)
    @rule(data=st.data(), way=st.sampled_from(("id", "day", "all")))
    def restore(self, data: Any, way: str) -> None:
        name = self.draw_id(data, self.archive)
        if way == "id":
            names, moved = [name], self.memory.archive.restore([name], scope="project")
        elif way == "day":
            names = [one for one in self.archive if one.startswith(name[:10])]
            day = date.fromisoformat(name[:10])
            moved = self.memory.archive.restore(days=[day], scope="project")
        else:
            names = list(self.archive)
            moved = self.memory.archive.restore(everything=True, scope="project")
        assert sorted(moved.ids) == sorted(names)
        for one in names:
            self.days[one] = self.archive.pop(one)

    @precondition(lambda self: self.days)
    @rule()
    def roll_over(self) -> None:
        memory = self.memory
        # The least that a setting allows are thousands of steps.
        due = archive.overflow(memory.workspace.save_root(), 0.001, self.now.date())
        try:
            moved = memory.archive.store(due)
        except ConflictError:
            assert self.open_days
            return
        assert moved.warnings == () or self.open_days
        for one in due.sessions:
            name = str(one.session.id)
            if name not in moved.ids:
                assert name[:10] in self.open_days
                continue
            assert one.session.date < self.now.date()
            assert not self.days[name].is_important
            self.archive[name] = self.days.pop(name)

    @precondition(lambda self: self.secrets)
    @rule()
    def sanitize(self) -> None:
        assert self.memory.cleanup.sanitize().warnings == ()
        hide = policy(self.memory.settings)

        def clean(said: Session) -> Session:
            return privacy.redact_session(said, hide)[0]

        self.days = {name: clean(said) for name, said in self.days.items()}
        self.archive = {name: clean(said) for name, said in self.archive.items()}
        self.noted = {name: clean(said) for name, said in self.noted.items()}
        self.wiped = {name: clean(said) for name, said in self.wiped.items()}
        self.steps = {
            id_: Step(
                step.action,
                {
                    name: Change(clean(before), after and clean(after))
                    for name, (before, after) in step.changes.items()
                },
                None,
                None,
                step.words,
            )
            for id_, step in self.steps.items()
        }
        self.lost |= self.secrets
        self.secrets = set()

    @rule()
    def dedupe(self) -> None:
        if not self.days:
            return
        memory = self.memory
        pairs = memory.cleanup.duplicates()
        if not pairs:
            return
        touched = sorted({one.session.date for pair in pairs for one in (pair.earlier, pair.later)})
        before = {day: self.day_bytes(day) for day in touched}
        merged = memory.cleanup.merge(pairs)
        changes: dict[str, Change] = {}
        now = {str(one.session.id): bare(one.session) for one in self.found() if not one.archived}
        for earlier, later in merged.ids:
            had = self.days[earlier]
            assert not had.is_private
            assert not had.is_outdated
            heirs = dict(merged.ids)
            while later in heirs:
                later = heirs[later]
            said = str(now[later])
            for text in (*had.key_points, *had.decisions, *had.tags, *(c.text for c in had.code)):
                assert repr(text)[1:-1] in said, (text, said)
        for name in {name for pair in merged.ids for name in pair}:
            after = now.get(name)
            assert (after is None) == (name in dict(merged.ids))
            if after != self.days[name]:
                changes[name] = Change(self.days[name], after)
            if after is None:
                del self.days[name]
                self.noted.pop(name, None)
            else:
                self.days[name] = self.noted[name] = after
        operation = memory.operations(scope="project")[0].operation
        self.steps[operation.id] = Step(
            "merge", changes, before, {day: self.day_bytes(day) for day in touched}
        )
        if operation.topics.keys() != changes.keys():
            raise AssertionError((operation.topics, changes))
        self._forget_observed(dict(merged.ids))

    # ------------------------------------------------------------------ the whole

    @rule()
    def maintain(self) -> None:
        if self.is_there:
            self.memory.reindex(scope="project")
            for one in self.memory.doctor(scope="project", fix=True).values():
                assert one.faults == () or self.open_days

    @rule()
    def summarize(self) -> None:
        if self.days:
            self.memory.summarize()

    @rule(hours=st.sampled_from((0.01, 1, 24, 24 * 3)))
    def time_passes(self, hours: float) -> None:
        self.now += timedelta(hours=hours)

    @precondition(lambda self: not self.is_encrypted and self.days)
    @rule()
    def encrypt(self) -> None:
        self.memory.encryption.encrypt()
        self.is_encrypted, self.is_mirrored = True, False

    @precondition(lambda self: self.is_encrypted)
    @rule()
    def decrypt(self) -> None:
        self.memory.encryption.decrypt()
        self.is_encrypted = False

    @precondition(lambda self: self.is_encrypted)
    @rule()
    def rekey(self) -> None:
        self.memory.encryption.rekey()

    @precondition(lambda self: self.days and not self.is_encrypted)
    @rule(is_on=st.booleans())
    def mirror(self, is_on: bool) -> None:
        memory = self.memory
        if is_on:
            memory.config.set("mirror.enabled", True)
            self.memory.mirror.sync(scope="project")
        else:
            memory.mirror.drop(scope="project")
            memory.config.set("mirror.enabled", False)
        self.is_mirrored = is_on

    @precondition(lambda self: self.days or self.archive)
    @rule(form=st.sampled_from(("json", "jsonl", "zip")))
    def carry(self, form: str) -> None:
        """What is exported is the same in an empty memory."""
        target = self.folder / "other"
        (target / "app").mkdir(parents=True)
        (target / "home").mkdir()
        path = target / f"out.{form}"
        if form == "zip":
            path.write_bytes(self.memory.export_zip())
        else:
            path.write_text("".join(self.memory.export(form, archived=True)), encoding="utf-8")
        other = self.memory_of("other/app", "other/home")
        other.import_files(str(path))
        there = {
            str(one.session.id): (one.archived, bare(one.session))
            for one in other.sessions(scope="project", archived=True)
            if one.session.number
        }
        # What was written by hand has no number: as JSON it comes back as a session of its own.
        by_hand = {
            one.session.topic
            for one in self.memory.sessions(scope="project", archived=True)
            if not one.session.number
        }
        hide = policy(other.settings)
        wanted = {  # in their days, also what was archived
            name: (False, privacy.redact_session(said, hide)[0])
            for name, said in {**self.days, **self.archive}.items()
        }
        others = [there[name][1].topic for name in there.keys() - wanted.keys()]
        assert by_hand.issuperset(others)
        assert {name: one for name, one in there.items() if name in wanted} == wanted
        if form == "zip":
            mixed = {name.partition("#")[0] for name in self.archive}
            for one in (self.root / "daily").glob("*.md"):
                if one.stem in mixed:
                    continue
                copy = target / "app/.cursor/skills/memories/daily" / one.name
                data = self._plain(one)
                assert copy.read_bytes() == data or any(
                    secret.encode() in data for secret in self.secrets
                )
        assert other.import_files(str(path)).ids == ()
        shutil.rmtree(target)

    @rule(data=st.data(), is_archived=st.booleans())
    def merge(self, data: Any, is_archived: bool) -> None:
        """Another memory comes in, twice: each of its sessions is there once, under some number."""
        for name in ("guest", "guest-home"):
            (self.folder / name).mkdir()
        guest = self.memory_of("guest", "guest-home")
        brought: dict[str, Session] = {}
        for _ in range(data.draw(st.integers(1, 3))):
            fields, said = self.draft(data)
            brought[guest.save(fields).id] = said
        if is_archived:
            guest.archive.store(guest.archive.due(before=self.now.date()))
        path = str(self.folder / "guest/.cursor/skills/memories")
        result = self.memory.import_files(path)
        assert len(result.ids) == len(brought)
        now_known = dict(result.renumbered)
        for name, said in brought.items():
            new = now_known.get(name, name)
            assert new not in self.days
            assert new not in self.archive
            if new in self.given:  # it keeps the number that it brings where that is free
                assert new == name
                self.reused.add(new)
            if new in result.archived:  # as it was in the memory that it comes from
                self.archive[new] = self.noted[new] = said
            else:
                self.put(new, said, is_own=False)
        if not self.open_days:  # where code stands as text it is not known again
            assert self.memory.import_files(path).ids == ()
        for name in ("guest", "guest-home"):
            shutil.rmtree(self.folder / name)


def _word_of(said: Session) -> str:
    found = re.search(r"zq[0-9]{4}w", str(said))
    assert found
    return found[0]


def _secret(word: str) -> str:
    return f"ghp_{word}4d8fB2kQ9xT7mL1pR5vN3cY6sHjWz"


def _hidden(text: str) -> str:
    return re.sub("<private>.*</private>", "[REDACTED:private]", text)


def _scratch() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def manage(memories: int, steps: int, chance: int | None = None) -> None:
    """Manage that many memories, at most so many steps each; fails at the first that goes wrong.

    Without a number for chance it is the same each time.
    """
    machine = type("Managing", (Managing,), {})
    run_state_machine_as_test(
        machine if chance is None else seed(chance)(machine),
        settings=settings(
            max_examples=memories,
            stateful_step_count=steps,
            deadline=None,
            derandomize=chance is None,
            suppress_health_check=list(HealthCheck),
            database=None,
        ),
    )
