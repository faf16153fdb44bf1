"""Lines on stdin and stdout: each gets its answer, and none ends the server."""

from __future__ import annotations

import io
import json
import os
import threading
from collections.abc import Callable
from typing import Any, BinaryIO, cast

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest

from daily_memory import Memory
from daily_memory.frontends.mcp_server import server, wire
from daily_memory.frontends.mcp_server.access import Access
from daily_memory.frontends.mcp_server.wire import parse_line, read_line
from daily_memory.services.reading.observations import Observations
from daily_memory.services.reading.records import RecordResult

INITIALIZE = (
    b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
    b'"capabilities":{},"clientInfo":{"name":"test","version":"0"}}}\n'
)
LIST = b'{"jsonrpc":"2.0","id":"a","method":"tools/list"}\n'
SEARCH = (
    b'{"jsonrpc":"2.0","id":5,"method":"tools/call",'
    b'"params":{"name":"memory_search","arguments":{"query":"x"}}}\n'
)


# ---------------------------------------------------------------------------- one line


@pytest.mark.parametrize(
    ("line", "id_", "code"),
    [
        (b"{oops", None, -32700),
        (b"\0\0", None, -32700),
        (b'{"jsonrpc":"2.0","id":8,"method":"\xff"}', None, -32700),
        (b'{"jsonrpc":"2.0","id":8,"method":"x","params":{"a":NaN}}', None, -32700),
        (b'{"id":' + b"9" * 5000 + b"}", None, -32700),
        (b"[" * 200_000, None, -32700),
        (b"[]", None, -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', None, -32600),
        (b"42", None, -32600),
        (b"null", None, -32600),
        (b"{}", None, -32600),
        (b'{"jsonrpc":"1.0","id":11,"method":"ping"}', 11, -32600),
        (b'{"jsonrpc":"2.0","id":12}', 12, -32600),
        (b'{"jsonrpc":"2.0","id":"13","method":5}', "13", -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', None, -32600),
        (b'{"jsonrpc":"2.0","id":15,"method":"tools/call","params":[1]}', 15, -32602),
    ],
)
def test_what_is_no_message_gets_its_error(line, id_, code):
    error = parse_line(line)

    assert isinstance(error, JSONRPCError)
    assert (error.id, error.error.code) == (id_, code)


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"  \r\n",
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0","method":"notifications/x","params":[]}',
    ],
)
def test_what_needs_no_answer_gets_none(line):
    assert parse_line(line) is None


def test_requests_and_notifications_come_through():
    assert parse_line(LIST) == JSONRPCRequest(jsonrpc="2.0", id="a", method="tools/list")
    notification = parse_line(b'{"jsonrpc":"2.0","method":"x","params":{"\xe4\xb8\xad":1}}\r\n')
    assert notification == JSONRPCNotification(jsonrpc="2.0", method="x", params={"中": 1})


def test_half_a_character_is_replaced_and_a_whole_one_kept():
    message = parse_line(b'{"jsonrpc":"2.0","id":0,"method":"\\ud800 \\ud83d\\ude00"}')

    assert isinstance(message, JSONRPCRequest)
    assert message.method == "? 😀"


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_no_line_is_too_odd(line):
    message = parse_line(line)

    assert message is None or json.loads(message.model_dump_json())


def test_a_line_that_is_too_long_is_never_held_as_a_whole(monkeypatch):
    monkeypatch.setattr(wire, "MOST_BYTES", 8)
    stream = io.BytesIO(b"x" * 30 + b"\n1234567\nend")

    assert [read_line(stream) for _ in range(4)] == [b"too long\n", b"1234567\n", b"end", b""]
    assert read_line(io.BytesIO(b"x" * 30)) == b"too long\n"


# ---------------------------------------------------------------------------- a client


def answers(opened: Callable[[], Memory], data: bytes, stdout: BinaryIO | None = None) -> list[Any]:
    """Return what the server answers to these bytes and the end after them."""
    out = stdout or io.BytesIO()
    anyio.run(wire.serve, server.make_server(Access(opened)), io.BytesIO(data), out)
    lines = cast("io.BytesIO", out).getvalue().split(b"\n")
    return [json.loads(line) for line in lines if line]


def test_a_client_that_sends_all_and_closes_gets_every_answer(fresh):
    found = answers(fresh, INITIALIZE + b"[]\n\n" + LIST + SEARCH)

    assert {answer["id"] for answer in found} == {0, None, "a", 5}
    assert next(one for one in found if one["id"] == 5)["result"]["isError"] is False


def test_a_client_that_says_nothing_is_let_go(fresh):
    assert answers(fresh, b"") == []


def test_what_was_called_off_is_not_waited_for_long(fresh, monkeypatch):
    monkeypatch.setattr(wire, "END_S", 0.01)
    go_on = threading.Event()

    def search(*_arguments: object, **_options: object) -> RecordResult:
        go_on.wait(20)
        return RecordResult(())

    monkeypatch.setattr(Observations, "search", search)
    try:
        found = answers(fresh, INITIALIZE + SEARCH)
    finally:
        go_on.set()

    assert [answer["id"] for answer in found if "result" in answer] == [0]


def test_a_client_that_reads_no_more_is_let_go(fresh):
    class Gone(io.BytesIO):
        def write(self, _data: Any) -> int:
            raise BrokenPipeError

    reading, writing = os.pipe()
    try:
        os.write(writing, INITIALIZE)  # and no end, as long as the test goes on
        with os.fdopen(reading, "rb") as stdin:
            anyio.run(wire.serve, server.make_server(Access(fresh)), stdin, Gone())
            os.close(writing)
            writing = -1
    finally:
        if writing >= 0:
            os.close(writing)


def test_nobody_else_reads_from_the_client_or_prints_to_it(capfd):
    saved = os.dup(0), os.dup(1)
    reading, writing = os.pipe()
    os.dup2(reading, 0)
    try:
        stdin, stdout = server.take_streams()
        with stdin, stdout:
            os.write(writing, b"question\n")
            os.write(1, b"stray\n")
            stdout.write(b"answer\n")
            assert (os.read(0, 9), stdin.readline()) == (b"", b"question\n")
    finally:
        for number, handle in enumerate(saved):
            os.dup2(handle, number)
        for handle in (*saved, reading, writing):
            os.close(handle)

    assert capfd.readouterr() == ("answer\n", "stray\n")
