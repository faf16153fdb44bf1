"""An encrypted memory through the real command: hooks, git, the `age` tool, and what is on disk."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.encryption import PASSPHRASE, PROTECTED_KEY, SECRET_WORDS, places_of_words
from tests.repositories import Repository, make_repository

ROOT = ".cursor/skills/memories"
needs_age = pytest.mark.needs("age")


class User:
    """Somebody with a project, a home, and a folder for temporary files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.project = folder / "app"
        self.root = self.project / ROOT
        for name in ("app/.git", "home", "tmp"):
            (folder / name).mkdir(parents=True)
        self.environment = {
            "HOME": str(folder / "home"),
            "TMPDIR": str(folder / "tmp"),
            "PATH": os.environ["PATH"],
            "MEMORY_PROJECT": str(self.project),
        }

    @property
    def key(self) -> Path:
        return self.folder / "home/.config/daily-memory/key.txt"

    def run(self, *words: str, stdin: str = "", fails: bool = False, **more: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "daily_memory", *words],
            input=stdin.encode(),
            env={**self.environment, **more},
            cwd=self.project,
            capture_output=True,
            check=False,
        )
        assert bool(done.returncode) == fails, done.stderr.decode()
        return (done.stderr if fails else done.stdout).decode()

    def hook(self, name: str, **more: str) -> dict[str, object]:
        event = {
            "hook_event_name": name,
            "conversation_id": "c1",
            "cursor_version": "2.0",
            "workspace_roots": [str(self.project)],
            **more,
        }
        answer = json.loads(self.run("hook", "cursor", stdin=json.dumps(event)))
        assert isinstance(answer, dict)
        return answer

    def save(self, day: str = "2026-01-29") -> None:
        session = {
            "topic": "zebrafish 斑马鱼",
            "key_points": ["quokkacode is 300", "短尾矮袋鼠 的缓存"],
            "date": day,
        }
        self.run("save", stdin=json.dumps(session))

    def age(self, *words: str | Path, data: bytes = b"") -> bytes:
        done = subprocess.run(
            ["age", *map(str, words)], input=data, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout


@pytest.fixture
def user(tmp_path: Path) -> User:
    one = User(tmp_path)
    one.save()
    one.run("encrypt", "--yes")
    return one


def test_no_word_of_it_is_anywhere_whatever_one_does(user, tmp_path):
    user.save("2026-01-30")
    user.run("search", "zebrafish 斑马鱼")
    user.hook("sessionStart")
    for text in ("zebrafish 斑马鱼?", "is quokkacode the 短尾矮袋鼠?"):
        user.hook("beforeSubmitPrompt", prompt=text)
        user.hook("afterAgentResponse", text=f"yes: {text}")
    user.run("log", "quokkacode 斑马鱼", "--conversation", "c1")
    user.run("end", "c1")
    text = user.run("edit", "2026-01-29#1", "--print")
    user.run("edit", "2026-01-29#1", stdin=text.replace("300", "600"))
    assert "600" in user.run("unlock", "2026-01-29")
    user.run("edit", "2026-01-29#1", stdin=text.replace("300", "900"))
    user.run("mark", "2026-01-30#1", "--important")
    user.run("delete", "2026-01-30#1")
    user.run("doctor", "--fix")
    user.run("rekey", "--yes")
    user.run("reindex")

    assert places_of_words(tmp_path) == []
    assert "900" in user.run("search", "quokkacode")


def test_no_file_that_is_opened_ever_gets_a_word_of_it(user, tmp_path):
    """What is written is looked at as it is written: also what is removed at once."""
    code = """
import os, sys
words = [word.encode() for word in sys.argv.pop(1).split(",")]
real = os.write
def write(handle, data):
    if handle > 2 and any(word in bytes(data) for word in words):
        os.abort()
    return real(handle, data)
os.write = write
import builtins
opened = builtins.open
def open_(file, mode="r", *more, **named):
    stream = opened(file, mode, *more, **named)
    if mode in ("wb", "ab", "r+b"):
        put = stream.write
        class Stream:
            def __getattr__(self, name): return getattr(stream, name)
            def __enter__(self): return self
            def __exit__(self, *_): stream.close()
            def write(self, data):
                if any(word in bytes(data) for word in words): os.abort()
                return put(data)
        return Stream()
    return stream
builtins.open = open_
from daily_memory.frontends.cli import main
sys.exit(main(sys.argv[1:]))
"""

    def run(*words: str, stdin: str = "") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-c", code, ",".join(SECRET_WORDS), *words],
            input=stdin.encode(),
            env=user.environment,
            cwd=user.project,
            capture_output=True,
            check=False,
        )

    for words, stdin in (
        (["save", "--topic", "zebrafish", "--point", "斑马鱼", "--tag", "x"], ""),
        (["search", "zebrafish", "--json"], ""),
        (["start", "c2"], ""),
        (["log", "短尾矮袋鼠 quokkacode", "--conversation", "c2"], ""),
        (["end", "c2"], ""),
        (["rekey", "--yes"], ""),
    ):
        done = run(*words, stdin=stdin)
        assert done.returncode == 0, (words, done.stderr)
    # The check itself must see what is written in the clear.
    assert run("decrypt", "--yes").returncode < 0


def with_passphrase(folder: Path) -> User:
    """Return a user with an encrypted memory, whose key has a passphrase."""
    user = User(folder)
    user.save()
    user.key.parent.mkdir(parents=True, exist_ok=True)
    user.key.write_bytes(PROTECTED_KEY)
    user.run("encrypt", "--yes", MEMORY_PASSPHRASE=PASSPHRASE)
    return user


def test_hooks_write_without_the_passphrase_and_tell_nothing(tmp_path):
    user = with_passphrase(tmp_path)

    user.hook("sessionStart")
    told = user.hook("beforeSubmitPrompt", prompt="what of zebrafish 斑马鱼?")
    user.hook("afterAgentResponse", text="quokkacode")
    user.hook("sessionEnd")

    assert "zebrafish" not in json.dumps(told, ensure_ascii=False)
    assert places_of_words(tmp_path) == []
    log = (user.root / "index/hook.log").read_text(encoding="utf-8")
    assert "needs a passphrase" in log
    failed = user.run("save", "--topic", "later zebrafish", "--tag", "x", fails=True)
    assert "the session is kept" in failed
    assert places_of_words(tmp_path) == []
    observed = user.run("observations", "c1", MEMORY_PASSPHRASE=PASSPHRASE)
    assert "zebrafish 斑马鱼?" in observed
    assert "quokkacode" in observed
    user.run("add", "and now", MEMORY_PASSPHRASE=PASSPHRASE)
    assert "later zebrafish" in user.run("list", MEMORY_PASSPHRASE=PASSPHRASE)


def test_hooks_with_a_key_that_opens_tell_what_they_know(user):
    told = user.hook("beforeSubmitPrompt", prompt="what of zebrafish 斑马鱼?")

    assert "quokkacode is 300" in json.dumps(told, ensure_ascii=False)


def test_a_host_without_ids_is_recorded_without_the_passphrase(tmp_path):
    user = with_passphrase(tmp_path)
    for text in ("zebrafish", "斑马鱼"):
        event = {"hook_event_name": "UserPromptSubmit", "prompt": text, "cwd": str(user.project)}
        user.run("hook", "trae", stdin=json.dumps(event))

    (path,) = user.root.glob("observations/*/*.jsonl")
    lines = path.read_bytes().splitlines()
    assert all(line.startswith(b"YWdl") for line in lines)
    assert len(lines) >= 3


def test_of_two_memories_that_are_encrypted_at_once_both_can_be_read(tmp_path):
    projects = [tmp_path / f"app{number}" for number in range(4)]
    environment = {"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"]}
    (tmp_path / "home").mkdir()

    def started(project: Path, *words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "daily_memory", *words],
            env={**environment, "MEMORY_PROJECT": str(project)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    for project in projects:
        project.mkdir()
        assert started(project, "add", f"zebrafish {project.name}").wait() == 0
    running = [started(project, "encrypt", "--yes") for project in projects]
    assert [one.wait() for one in running] == [0] * len(projects)

    for project in projects:
        assert project.name.encode() in started(project, "list").communicate()[0]
    assert places_of_words(tmp_path) == []


# ---------------------------------------------------------------------------- the age tool


@needs_age
def test_age_reads_what_we_wrote(user):
    day = user.root / "daily/2026-01-29.md"
    assert "斑马鱼" in user.age("-d", "-i", user.key, day).decode()

    user.run("log", "zebrafish", "--conversation", "x", fails=True)
    user.run("start", "x")
    user.run("log", "zebrafish log", "--conversation", "x")
    (talk,) = user.root.glob("observations/*/x.jsonl")
    last = base64.b64decode(talk.read_bytes().splitlines()[-1])
    assert b"zebrafish log" in user.age("-d", "-i", user.key, data=last)


@needs_age
@pytest.mark.parametrize("armor", [(), ("-a",)])
def test_we_read_what_age_wrote(user, armor):
    recipients = user.key.parent / "recipients.txt"
    text = (
        "# 2026-01-20 对话记忆\n\n## Session 1 - 10:00:00\n\n### 主题\n来自 age 的 walrus\n\n---\n"
    )
    day = user.root / "daily/2026-01-20.md"
    day.write_bytes(user.age("-R", recipients, *armor, data=text.encode()))

    assert "来自 age 的 walrus" in user.run("search", "walrus")
    session = {"topic": "added", "date": "2026-01-20"}
    user.run("save", stdin=json.dumps(session))
    assert "added" in user.age("-d", "-i", user.key, day).decode()


@needs_age
def test_a_key_of_age_keygen_is_ours_and_ours_is_one_of_age(tmp_path):
    user = User(tmp_path)
    user.save()
    user.key.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["age-keygen", "-o", str(user.key)], check=True, capture_output=True)
    before = user.key.read_bytes()

    user.run("encrypt", "--yes")

    assert user.key.read_bytes() == before
    assert "zebrafish" in user.run("search", "zebrafish")
    user.run("rekey", "--yes")
    done = subprocess.run(["age-keygen", "-y", str(user.key)], check=True, capture_output=True)
    own = (user.key.parent / "recipients.txt").read_text().splitlines()[1]
    assert done.stdout.decode().strip() == own


@needs_age
@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_keys_with_a_passphrase_go_both_ways(tmp_path):
    user = User(tmp_path)
    user.save()
    user.run("encrypt", "--yes")
    plain = user.key.read_bytes()
    # Ours, opened by age.
    user.run("encrypt", "--yes", "--passphrase", MEMORY_PASSPHRASE=PASSPHRASE)
    assert _typed(["age", "-d", str(user.key)], [PASSPHRASE]).count(b"AGE-SECRET-KEY-1") == 1
    # One that age made, opened by us.
    (tmp_path / "plain.txt").write_bytes(plain)
    user.key.unlink()
    _typed(
        ["age", "-p", "-o", str(user.key), str(tmp_path / "plain.txt")], [PASSPHRASE, PASSPHRASE]
    )
    (tmp_path / "plain.txt").unlink()
    assert "zebrafish" in user.run("search", "zebrafish", MEMORY_PASSPHRASE=PASSPHRASE)


def _typed(words: list[str], answers: list[str]) -> bytes:
    """Run a command on a terminal of its own, type the answers, and return what it printed."""
    import pty

    pid, terminal = pty.fork()
    if not pid:
        os.execvp(words[0], words)
    shown = b""
    waiting = list(answers)
    while True:
        try:
            part = os.read(terminal, 1024)
        except OSError:
            break
        if not part:
            break
        shown += part
        if waiting and shown.rstrip().endswith(b":"):
            os.write(terminal, waiting.pop(0).encode() + b"\n")
            shown += b"\n"
    assert os.waitpid(pid, 0)[1] == 0, shown
    return shown


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_the_passphrase_is_asked_for_on_a_terminal(tmp_path, monkeypatch):
    user = with_passphrase(tmp_path)
    for name, value in user.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("MEMORY_PASSPHRASE", raising=False)

    shown = _typed([sys.executable, "-m", "daily_memory", "search", "zebrafish"], [PASSPHRASE])

    assert b"passphrase of your memory's key" in shown
    assert "斑马鱼".encode() in shown
    assert PASSPHRASE.encode() not in shown


# ---------------------------------------------------------------------------- git


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = make_repository(tmp_path / "app", tmp_path / "home")
    assert made.memory("init", "--git").returncode == 0
    assert made.memory("encrypt", "--yes").returncode == 0
    _save(made, "base", "10:00:00")
    made.commit("base")
    return made


def _save(repository: Repository, topic: str, time: str) -> None:
    session = {"topic": topic, "date": "2026-01-29", "time": time}
    done = subprocess.run(
        [sys.executable, "-m", "daily_memory", "save"],
        input=json.dumps(session).encode(),
        cwd=repository.folder,
        env={**os.environ, "HOME": str(repository.home)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def _diverge(repository: Repository) -> None:
    for branch, topic in (("theirs", "zebrafish theirs"), ("ours", "斑马鱼 ours")):
        repository.branch(branch)
        _save(repository, topic, "11:00:00")
        repository.commit(branch)


def test_git_merges_encrypted_days_session_by_session(repository, tmp_path):
    _diverge(repository)

    repository.git("merge", "theirs")

    listed = repository.memory("list").stdout
    assert all(topic in listed for topic in ("base", "zebrafish theirs", "斑马鱼 ours"))
    day = repository.day()
    assert day.read_bytes().startswith(b"age-encryption.org/v1")
    assert places_of_words(tmp_path) == []


def test_without_the_key_git_keeps_both_and_says_that_it_did_not_merge(repository, tmp_path):
    _diverge(repository)
    key = tmp_path / "home/.config/daily-memory/key.txt"
    key.rename(tmp_path / "key.txt")
    ours = repository.day().read_bytes()

    repository.git("merge", "theirs", fails=True)

    assert repository.day().read_bytes() == ours
    (tmp_path / "key.txt").rename(key)
    if (repository.folder / ".git/MERGE_HEAD").exists():  # git 2.53 opens no merge at all
        repository.git("merge", "--abort")
    repository.git("merge", "theirs")
    assert "zebrafish theirs" in repository.memory("list").stdout
