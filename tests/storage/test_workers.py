"""Several processes: the same results as of one, whatever happens to them."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from daily_memory.errors import LockedError
from daily_memory.storage import processes, workers
from daily_memory.storage.fs import files

# Any expression, so that a process can be made to do anything.
evaluate = eval
PID = "__import__('os').getpid()"
SIZE = workers.CHUNK_BYTES


def of_two(expressions: list[str]) -> list[object]:
    """Return the values of expressions, each of which is handed back by itself."""
    return list(workers.each(evaluate, expressions, [SIZE] * len(expressions), most=2))


def test_two_processes_answer_in_order():
    answers = of_two([f"({number}, {PID})" for number in range(50)])

    numbers, pids = zip(*answers, strict=True)
    assert numbers == tuple(range(50))
    assert len(set(pids)) == 2
    assert os.getpid() not in pids


@pytest.mark.parametrize(
    ("size", "most", "count"), [(1, 0, 1), (workers.LEAST_BYTES, 1, 1), (1, 2, 1), (SIZE, 2, 2)]
)
def test_little_is_done_by_one_process(size, most, count):
    pids = set(workers.each(evaluate, [PID] * 4, [size] * 4, most=most))

    assert len(pids) == count
    assert (os.getpid() in pids) == (count == 1)


def test_nobody_waits_for_what_runs_in_the_background(monkeypatch):
    monkeypatch.setenv(processes.OURS, "1")

    assert workers.cores() == 1


def test_a_program_that_holds_its_interpreter_starts_no_other(monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)

    assert workers.cores() == 1


def test_an_error_is_raised_as_by_one_process():
    with pytest.raises(ZeroDivisionError):
        of_two(["1", "2", "1 / 0", "3"])


def test_what_cannot_be_handed_back_is_made_here():
    assert of_two(["1", "type('Local', (), {})", "3"])[::2] == [1, 3]


def test_what_a_killed_process_did_not_answer_is_done_here():
    kill = f"__import__('os').kill({PID}, 9) if {PID} != {os.getpid()} else 'here'"

    assert of_two(["1", "2", "3", kill, "5", "6"]) == [1, 2, 3, "here", 5, 6]


def test_where_no_process_can_be_started_one_does_it_all(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")

    assert of_two([PID, PID]) == [os.getpid()] * 2


@pytest.mark.parametrize("printed", ["Loading.\n", "cwarnings\nnone\n", "hello\n"])
def test_what_a_process_prints_at_its_start_is_no_answer(tmp_path, monkeypatch, printed):
    (tmp_path / "sitecustomize.py").write_text(f"print({printed!r}, flush=True)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    assert of_two([PID, PID]) == [os.getpid()] * 2


def test_without_a_known_interpreter_one_process_does_it_all(monkeypatch):
    monkeypatch.setattr(sys, "executable", None)  # as in a program that embeds Python

    assert of_two([PID, PID]) == [os.getpid()] * 2


def test_an_encrypted_file_is_read_by_who_has_the_key(tmp_path, monkeypatch):
    names = [str(tmp_path / name) for name in ("plain", "sealed")]
    for name, data in zip(names, (b"plain", b"age-encryption.org/v1\n"), strict=True):
        Path(name).write_bytes(data)
    monkeypatch.setattr(files, "opener", lambda _path, _data: b"opened")

    assert list(workers.each(files.read_bytes, names, [SIZE] * 2, most=2)) == [b"plain", b"opened"]


def test_without_a_key_it_says_so_here(tmp_path, monkeypatch):
    path = str(tmp_path / "sealed")
    Path(path).write_bytes(b"age-encryption.org/v1\n")

    def without_key(path: str, _data: bytes) -> bytes:
        raise LockedError(f"{path} is encrypted")

    monkeypatch.setattr(files, "opener", without_key)
    with pytest.raises(LockedError):
        list(workers.each(files.read_bytes, [path] * 2, [SIZE] * 2, most=2))


def test_who_stops_early_leaves_no_process():
    several = workers.each(evaluate, [PID] * 200, [SIZE] * 200, most=2)
    pids = set(islice(several, 2))

    several.close()  # type: ignore[attr-defined]  # a generator

    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(int(str(pid)), 0)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="to wait for a process of another")
def test_who_is_killed_leaves_no_process():
    code = (
        "from daily_memory.storage import workers\n"
        f"several = workers.each(eval, [{PID!r}] * 10_000, [{SIZE}] * 10_000, most=2)\n"
        "print(next(several), next(several), flush=True)\ninput()\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], **pipes, text=True) as starter:  # type: ignore[call-overload]  # as above
        ends = [os.pidfd_open(int(pid)) for pid in starter.stdout.readline().split()]
        starter.send_signal(signal.SIGKILL)

    assert [select.select([end], [], [], 60)[0] for end in ends] == [[end] for end in ends]
