"""A report for an issue: what helps to find a fault, and nothing that is the user's."""

from __future__ import annotations

import json
import os
from pathlib import Path

from daily_memory import Memory
from daily_memory.services.upkeep import issue_report
from daily_memory.text import filled, joined
from tests.conftest import sign

# What a user would not send: planted wherever a user's text can be.
SECRETS = (
    "zanzibar", "quokka", "tulip-Bridge-42", "海棠计划", "小满", "marigold", "13800138000",
    "anemone@corp.io", "saffron", "vermilion",
)  # fmt: skip


def planted(memory: Memory, folder: Path) -> None:
    """Fill a memory in which everything that can go wrong names a secret."""
    assert memory.workspace.project_root is not None
    root = Path(memory.workspace.project_root.path)
    memory.save({"topic": "zanzibar 海棠计划", "key_points": ["quokka 小满"], "tags": ["marigold"]})
    day = next((root / "daily").glob("*.md"))
    day.write_text(day.read_text("utf-8") * 2 + "\n```\nsaffron\n", encoding="utf-8")
    (root / "daily" / "quokka notes.md").write_text("marigold", encoding="utf-8")
    settings = {"recording": {"redact_patterns": ["vermilion("], "saffron": 1}}
    (root / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    sign(memory)
    log = root / "index" / "hook.log"
    at = memory.workspace.now().isoformat(timespec="seconds")
    lines = (
        "cursor stop: no file '/home/zanzibar/quokka.md'",
        "claude Stop: can't write '/home/小满/x': tulip-Bridge-42",
        "13800138000 anemone@corp.io",
    )
    log.write_text("".join(f"{at} {line}\n" for line in lines), encoding="utf-8")


def test_a_report_holds_nothing_of_the_user_and_still_says_what_is_wrong(tmp_path, clock):
    folder = tmp_path / "vermilion" / "app"
    folder.mkdir(parents=True)
    memory = Memory(folder, home=tmp_path / "saffron", clock=clock)
    planted(memory, folder)

    report = memory.issue_report(memory.doctor())

    assert not [secret for secret in SECRETS if secret in report]
    assert str(tmp_path) not in report
    assert os.path.expanduser("~") not in report
    assert "fault: daily/2026-01-29.md:" in report
    assert "session 1 occurs more than once" in report
    assert "no file …" in report
    assert "note: config.json:1: …: unknown key; ignored" in report
    assert "recording.redact_patterns" not in report.split("## Memory")[0]


def test_every_setting_that_is_a_free_text_is_only_named(tmp_path, clock):
    memory = Memory("", home=tmp_path, clock=clock)
    memory.config.set("recording.summarizer_model", "zanzibar")
    memory.config.set("retrieval.max_results", 9)

    report = memory.issue_report({})

    assert "- recording.summarizer_model: set\n" in report
    assert "- retrieval.max_results: 9\n" in report
    assert "zanzibar" not in report


def test_a_message_keeps_its_own_words_and_small_numbers():
    known = issue_report.own_messages(str(Path(issue_report.__file__).parent))

    assert "{} in {} days; the last: {}" in known
    assert issue_report.redacted("3 faults in 7 days; the last: quokka", known) == (
        "… in 7 days; the last: …"
    )


def test_a_message_that_is_in_another_keeps_its_words_too():
    known = frozenset({"no event has come yet"})
    message = joined("; ", (filled("{}: {!r}", "quokka", 3), "no event has come yet", "marigold"))

    assert issue_report.redacted(message, known) == "…: 3; no event has come yet; …"
