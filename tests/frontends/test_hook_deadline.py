"""The deadline of an event: what takes too long is broken off, and noted."""

from __future__ import annotations

import time

import pytest

from daily_memory.core.hosts.events import parse_event
from daily_memory.frontends import hooks
from daily_memory.memory import Memory
from daily_memory.storage import hook_log
from tests.conftest import NOW


def test_what_takes_too_long_is_broken_off():
    def wait() -> None:
        with hooks.in_time(time.monotonic() + 0.05):
            while True:
                pass

    with pytest.raises(hooks.LateError):
        wait()


def test_what_is_done_in_time_is_done(memory):
    with hooks.in_time(time.monotonic() + 60):
        done = True

    assert done


def test_an_event_that_takes_too_long_is_recorded_and_noted(memory):
    payload = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "为什么？"}
    event = parse_event(payload, {}, "claude")

    answer = hooks.respond(memory, event, time.monotonic())

    assert answer == {}
    assert [one.text for one in memory.observations.live("s").observations] == ["为什么？"]
    (line,) = hook_log.load_since(memory.workspace.project_root, NOW)
    assert "claude UserPromptSubmit: took longer than" in line


@pytest.mark.parametrize(
    ("value", "used"), [("5", "5"), ("0.5", "0.5"), ("", "1.8"), ("soon", "1.8"), ("1e9", "1.8")]
)
def test_the_user_may_allow_more_where_disks_are_slow(tmp_path, clock, value, used):
    (tmp_path / "app").mkdir()
    environment = {hooks.DEADLINE: value}
    memory = Memory(tmp_path / "app", home=tmp_path, clock=clock, environment=environment)
    payload = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "为什么？"}

    hooks.respond(memory, parse_event(payload, {}, "claude"), time.monotonic())

    (line,) = hook_log.load_since(memory.workspace.save_root(), NOW)
    assert line.endswith(f"took longer than {used} s: the conversation got nothing")
