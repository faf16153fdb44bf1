"""What a cold start loads: a search must not pay for what only a save needs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# Each of these costs a twentieth or more of a whole search.
HEAVY = (
    "typing",
    "dataclasses",
    "filelock",
    "frontmatter",
    "yaml",
    "rapidfuzz",
    "pathlib",
    "logging",
    "inspect",
    "asyncio",
)
REPORT = """
import json, sys
from daily_memory.frontends.cli import main
status = main(sys.argv[1:])
print(json.dumps([status, sorted(sys.modules)]), file=sys.stderr)
"""


def loaded(folder: Path, *words: str, stdin: str = "") -> set[str]:
    """Run a command in a process of its own; return the modules that were loaded at its end."""
    environment = {**os.environ, "HOME": str(folder / "home"), "MEMORY_PROJECT": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", REPORT, *words],
        input=stdin,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    status, modules = json.loads(done.stderr.splitlines()[-1])
    assert status == 0, done.stderr
    return set(modules)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    loaded(tmp_path, "save", "--topic", "Redis 缓存方案", "--tag", "redis")
    return tmp_path


def test_a_search_loads_nothing_heavy(project):
    modules = loaded(project, "search", "redis 缓存", "--json")

    assert [name for name in HEAVY if name in modules] == []


def test_only_a_word_that_is_mistyped_twice_loads_the_fuzzy_matcher(project):
    assert "rapidfuzz" not in loaded(project, "search", "reddis", "--json")
    assert "rapidfuzz" in loaded(project, "search", "reccomended", "--json")


def test_only_a_memory_in_the_other_language_loads_the_glossary(project):
    name = "daily_memory.core.search.glossary"

    assert name not in loaded(project, "search", "缓存方案", "--json")
    assert name in loaded(project, "search", "cache", "--json")


def test_of_what_is_heavy_a_save_loads_the_lock_and_what_that_needs(project):
    code = "import json, sys, filelock; print(json.dumps(sorted(sys.modules)))"
    lock = json.loads(subprocess.check_output([sys.executable, "-c", code], text=True))
    modules = loaded(project, "save", "--topic", "x", "--json")

    assert {name for name in HEAVY if name in modules} <= set(lock)


def test_only_a_save_loads_the_lock_and_the_rules_of_redaction(project):
    for module in ("filelock", "daily_memory.core.redaction.privacy"):
        assert module in loaded(project, "save", "--topic", "x", "--tag", "y")
        assert module not in loaded(project, "search", "redis")


def test_only_who_asks_for_it_loads_the_archive(project):
    archive = "daily_memory.storage.archive_files"

    for words in (["search", "redis"], ["save", "--topic", "x"], ["list"], ["inject", "redis"]):
        assert archive not in loaded(project, *words)
    assert archive in loaded(project, "search", "redis", "--archived")


def test_where_there_is_an_archive_a_good_answer_loads_nothing_of_it(project):
    (project / ".cursor/skills/memories/archive").mkdir()
    archive = "daily_memory.storage.archive_files"

    assert archive not in loaded(project, "search", "redis")
    assert archive in loaded(project, "search", "kubernetes")


def hooked(project: Path, **event: object) -> tuple[dict[str, object], set[str]]:
    """Run a hook in a process of its own; return its answer, and the modules that were loaded."""
    event |= {"cursor_version": "3", "conversation_id": "c", "workspace_roots": [str(project)]}
    code = (
        "import json, sys; from daily_memory.frontends import hooks; hooks.main(['cursor']);"
        " print(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(event),
        env={**os.environ, "HOME": str(project / "home")},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    answer, modules = map(json.loads, done.stdout.splitlines())
    return answer, set(modules)


def test_a_hook_loads_nothing_heavy(project):
    answer, modules = hooked(project, hook_event_name="beforeSubmitPrompt", prompt="redis 缓存")

    assert "缓存" in str(answer["additional_context"])
    assert [name for name in (*HEAVY, "argparse") if name in modules] == []


def test_a_hook_that_only_records_loads_no_index(project):
    _, modules = hooked(project, hook_event_name="afterAgentResponse", text="TTL 300 s")

    names = ("storage.days", "storage.index.refresh", "storage.index.lookup")
    assert modules.isdisjoint({"sqlite3", *(f"daily_memory.{name}" for name in names)})


@pytest.mark.parametrize(
    "words",
    [["search", "redis"], ["list"], ["config"], ["doctor"], ["add", "x"]],
)
def test_only_the_server_loads_what_serves(project, words):
    modules = loaded(project, *words)

    serving = {"starlette", "uvicorn", "anyio", "h11", "daily_memory.frontends.http"}
    assert modules.isdisjoint(serving)


def test_the_package_itself_loads_nothing(tmp_path):
    code = (
        "import sys; before = set(sys.modules); import daily_memory;"
        " print(sorted(set(sys.modules) - before))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "['daily_memory']"


def test_the_public_names_are_there_and_no_others():
    import daily_memory

    assert all(getattr(daily_memory, name) for name in daily_memory.__all__)
    with pytest.raises(AttributeError):
        daily_memory.Nonsense  # noqa: B018  # the access is the test


def test_neither_a_hook_nor_a_log_opens_the_mirror(project):
    root = project / ".cursor" / "skills" / "memories"
    (root / "config.json").write_text('{"mirror": {"enabled": true}}', encoding="utf-8")
    event: dict[str, object] = {
        "hook_event_name": "beforeSubmitPrompt",
        "conversation_id": "c",
        "prompt": "缓存 redis?",
    }
    event |= {"cursor_version": "2.0", "workspace_roots": [str(project)]}

    hook = loaded(project, "hook", "cursor", "beforeSubmitPrompt", stdin=json.dumps(event))
    log = loaded(project, "log", "Redis TTL 300")
    search = loaded(project, "search", "Redis", "--observations")

    assert list(root.glob("observations/*/c.jsonl"))
    assert "daily_memory.storage.mirror_db" not in hook
    assert "daily_memory.storage.mirror_db" not in log
    assert "daily_memory.storage.mirror_db" in search
