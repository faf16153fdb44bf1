"""Listening: on the loopback address only, with limits on who may hold a connection how long."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import signal
import socket
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from daily_memory.errors import BackendError, ConflictError, InvalidInputError
from daily_memory.frontends.http.guard import MOST_URL_BYTES
from daily_memory.text import filled

ADDRESS = "127.0.0.1"
# More connections than this, and the one that has kept us waiting longest goes.
MOST_CONNECTIONS = 256
# How long a client may take for the head of a request, and for all of one with its answer.
HEAD_S = 10.0
REQUEST_S = 120.0
_IDLE_S = 5
_FAREWELL_S = 3
_BACKLOG = 512


def open_socket(port: int) -> socket.socket:
    """Return a socket that listens on this machine only; port 0 takes any free one."""
    if not 0 <= port <= 65535:
        raise InvalidInputError("port {} is not between 0 and 65535", port)
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "nt":  # there the option below would let others listen in
            exclusive: int = socket.SO_EXCLUSIVEADDRUSE  # type: ignore[attr-defined]  # Windows has it
            listening.setsockopt(socket.SOL_SOCKET, exclusive, 1)
        else:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((ADDRESS, port))
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            hint = "take another with --port N, or any free one with --port 0"
            raise ConflictError("port {} is taken by another program", port, hint=hint) from error
        reason = (error.strerror or str(error)).lower()
        message = filled("can't listen on port {}: {}", port, reason)
        raise BackendError(message, hint="use --port 0") from error
    return listening


def make_server(application: ASGIApp, *, has_lifespan: bool = False) -> uvicorn.Server:
    """Return a server that is ready to run; an application may want to know when it begins."""
    # Its words would go to stderr, with tracebacks; ours are in the answers.
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL + 1)
    config = uvicorn.Config(
        application,
        http=Connection,
        loop="asyncio",
        ws="none",
        lifespan="on" if has_lifespan else "off",
        interface="asgi3",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        h11_max_incomplete_event_size=2 * MOST_URL_BYTES,
        timeout_keep_alive=_IDLE_S,
        timeout_graceful_shutdown=_FAREWELL_S,
    )
    return uvicorn.Server(config)


def run(server: uvicorn.Server, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until the process is asked to end; `ready` is called when clients may come."""

    def stop(_number: int, _frame: object) -> None:
        server.should_exit = True

    # uvicorn gives a signal on to whoever handled it before: that is nobody else, so that
    # Ctrl-C is a clean end and no fault.
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        ready()
        server.run(sockets=[listening])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Connection(H11Protocol):
    """uvicorn's connection, which it does not let anybody hold for as long as they like.

    uvicorn itself waits for ever for the rest of a head, and for a client that does not read.
    """

    _timer: asyncio.TimerHandle
    _is_asking = False
    began = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_clock(HEAD_S)
        if len(self.connections) > MOST_CONNECTIONS:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.is_asking != self._is_asking:
            self._wait(is_asking=self.is_asking)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._wait(is_asking=self.is_asking)

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        super().connection_lost(exc)

    @property
    def is_asking(self) -> bool:
        """Tell whether there is a request that has not been answered in full."""
        return self.cycle is not None and not self.cycle.response_complete

    def _wait(self, *, is_asking: bool) -> None:
        """Start the clock again: for the next head, or for the answer."""
        self._timer.cancel()
        self._is_asking = is_asking
        self._start_clock(REQUEST_S if is_asking else HEAD_S)

    def _start_clock(self, seconds: float) -> None:
        self.began = self.loop.time()
        # `abort`, since `close` would wait for what is still to be sent.
        self._timer = self.loop.call_later(seconds, self.transport.abort)

    def _make_room(self) -> None:
        others: list[Any] = [
            connection for connection in self.connections if connection is not self
        ]
        idle = [other for other in others if not other.is_asking]
        min(idle or others, key=lambda other: other.began).transport.abort()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  # the name is uvicorn's
        """Refuse what is no HTTP, in the form of all our errors."""
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.abort()  # an answer is on its way: there is no room for another
            return
        if self.is_asking:
            # It is the body that can't be read. What waits for it must not go on.
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        body = b'{"error":"the request cannot be parsed"}'
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
            (b"x-content-type-options", b"nosniff"),
            (b"connection", b"close"),
        ]
        response = h11.Response(status_code=400, headers=headers, reason=b"Bad Request")
        for event in (response, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
