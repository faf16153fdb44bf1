"""JSON-RPC on stdin and stdout: lines in front of the SDK's session.

The SDK's own reader says nothing to a line that it can't use. Here each gets the error that
JSON-RPC has for it, and what the session then sees is well formed.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any, BinaryIO, NoReturn

import anyio
from anyio import to_thread
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

# A longer line is refused, and never held as a whole.
MOST_BYTES = 64_000_000
# How long the answers to what was asked are waited for once nothing more will be.
END_S = 1.5

Incoming = SessionMessage | Exception


def parse_line(line: bytes) -> JSONRPCMessage | None:
    """Return the message of a line, or the error that answers it; None where none is due."""
    if not line.strip():
        return None
    try:
        value = json.loads(line.decode(), parse_constant=_refuse)
        if rb"\ud" in line.lower():
            # Half a character can't be written again.
            whole = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
            value = json.loads(whole)
    except (ValueError, RecursionError):
        return _error(None, PARSE_ERROR, "this line is not JSON")
    if not isinstance(value, dict):
        return _error(None, INVALID_REQUEST, "a message is one JSON object; no batches")
    return _parse_message(value)


def _parse_message(value: dict[str, Any]) -> JSONRPCMessage | None:
    id_, method, params = value.get("id"), value.get("method"), value.get("params")
    known = id_ if isinstance(id_, (str, int)) and not isinstance(id_, bool) else None
    if value.get("jsonrpc") != "2.0":
        return _error(known, INVALID_REQUEST, 'jsonrpc must be "2.0"')
    if method is None and ("result" in value or "error" in value):
        return None  # we ask clients for nothing
    if not isinstance(method, str):
        return _error(known, INVALID_REQUEST, "method must be a string")
    is_wrong = params is not None and not isinstance(params, dict)
    if "id" not in value:
        return (
            None if is_wrong else JSONRPCNotification(jsonrpc="2.0", method=method, params=params)
        )
    if known is None:
        return _error(None, INVALID_REQUEST, "id must be a string or an integer")
    if is_wrong:
        return _error(known, INVALID_PARAMS, "params must be an object")
    return JSONRPCRequest(jsonrpc="2.0", id=known, method=method, params=params)


def _error(id_: int | str | None, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=id_, error=ErrorData(code=code, message=message))


def _refuse(name: str) -> NoReturn:
    raise ValueError(name)


def read_line(stream: BinaryIO) -> bytes:
    """Return the next line, b"" at the end; one that is too long as a line that is no JSON."""
    line = stream.readline(MOST_BYTES)
    if len(line) < MOST_BYTES or line.endswith(b"\n"):
        return line
    while line and not line.endswith(b"\n"):
        line = stream.readline(MOST_BYTES)
    return b"too long\n"


class _Asked:
    """How many requests have no answer yet."""

    def __init__(self) -> None:
        self.count = 0
        self.none = anyio.Event()
        self.none.set()

    def add(self, number: int) -> None:
        self.count += number
        if self.count <= 0:
            self.none.set()
        elif self.none.is_set():
            self.none = anyio.Event()


async def serve(server: Server[Any], stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Serve one client until its end of stdin, or until it reads no more."""
    to_session, incoming = anyio.create_memory_object_stream[Incoming](0)
    outgoing, to_client = anyio.create_memory_object_stream[SessionMessage](0)
    asked = _Asked()
    async with anyio.create_task_group() as group:
        group.start_soon(_read, stdin, to_session, outgoing.clone(), asked)
        group.start_soon(_write, stdout, to_client, asked, group.cancel_scope)
        await server.run(incoming, outgoing, server.create_initialization_options())


async def _read(
    stdin: BinaryIO,
    to_session: ObjectSendStream[Incoming],
    outgoing: ObjectSendStream[SessionMessage],
    asked: _Asked,
) -> None:
    async with to_session, outgoing:
        while line := await _in_thread(partial(read_line, stdin)):
            message = parse_line(line)
            if isinstance(message, JSONRPCError):
                asked.add(1)
                await outgoing.send(SessionMessage(message))
            elif message is not None:
                asked.add(isinstance(message, JSONRPCRequest))
                await to_session.send(SessionMessage(message))
        # A client that sends all and closes, as a pipe does, still wants the answers.
        with anyio.move_on_after(END_S):
            await asked.none.wait()


async def _write(
    stdout: BinaryIO,
    to_client: ObjectReceiveStream[SessionMessage],
    asked: _Asked,
    scope: anyio.CancelScope,
) -> None:
    def put(data: bytes) -> None:
        stdout.write(data)
        stdout.flush()

    async with to_client:
        async for message in to_client:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            try:
                await _in_thread(partial(put, text.encode() + b"\n"))
            except OSError:
                scope.cancel()  # the client is gone
                return
            asked.add(-isinstance(message.message, (JSONRPCResponse, JSONRPCError)))


async def _in_thread(work: Any) -> Any:
    return await to_thread.run_sync(work, abandon_on_cancel=True)
