"""A server of the HTTP door in this process, on a real socket, and a client of its owner."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest

from daily_memory import Memory
from daily_memory.frontends.http import app, server
from daily_memory.frontends.http.request import Route
from daily_memory.frontends.http.routes import ROUTES
from daily_memory.storage.fs import files
from tests.encryption import forget_keys

TOKEN = "7c" * 32


class Served:
    """A server that runs, with a client that has its token."""

    def __init__(self, port: int, bugs: list[Exception]) -> None:
        self.port = port
        self.bugs = bugs
        self.client = httpx2.Client(
            base_url=f"http://127.0.0.1:{port}",
            headers={"Authorization": f"Bearer {TOKEN}"},
            timeout=30,
            trust_env=False,
        )

    def ask(self, method: str, path: str, **options: Any) -> httpx2.Response:
        """Send a request; `json={…}` is its body."""
        return self.client.request(method, path, **options)

    def json(self, method: str, path: str, **options: Any) -> Any:
        """Send a request that must be answered, and return the answer."""
        response = self.ask(method, path, **options)
        assert response.status_code in (200, 201), response.text
        return response.json()

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), 30)

    def raw(self, data: bytes) -> bytes:
        """Send these bytes, and return all that comes back until the other side closes."""
        with self.connect() as connection:
            connection.sendall(data)
            return read_all(connection)

    def head(self, line: str = "GET /health HTTP/1.1") -> bytes:
        """Return the head of a request of the owner, without the empty line that ends it."""
        return (
            f"{line}\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {TOKEN}\r\n"
            "Content-Type: application/json\r\nConnection: close\r\n"
        ).encode()


def read_all(connection: socket.socket) -> bytes:
    """Return what comes until the other side closes, or cuts the connection."""
    parts = []
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except ConnectionError:
        pass
    return b"".join(parts)


Serve = Callable[..., Any]


@pytest.fixture
def serve(memory: Memory) -> Serve:
    """Return a context manager that serves the memory, or other routes, with other limits."""

    @contextmanager
    def serving(
        routes: Iterable[Route] = ROUTES, limits: app.Limits | None = None
    ) -> Iterator[Served]:
        bugs: list[Exception] = []
        host = app.ServerContext(
            lambda: memory.in_folder(memory.project), bugs.append, limits or app.Limits()
        )
        with server.open_socket(0) as listening:
            port = listening.getsockname()[1]
            running = server.make_server(app.build(host, TOKEN, port, routes))
            thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
            thread.start()
            served = Served(port, bugs)
            try:
                yield served
            finally:
                served.client.close()
                running.should_exit = True
                thread.join()

    return serving


@pytest.fixture
def served(serve: Serve) -> Iterator[Served]:
    """A server of the memory, which must come to its end without a fault of ours."""
    with serve() as running:
        yield running
        assert running.bugs == []


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of another test is known."""
    monkeypatch.setattr(files, "key_holders", {})
    forget_keys()


@pytest.fixture
def filled(memory: Memory) -> Memory:
    """A memory with two days, in Chinese and English, and a live session."""
    memory.save(
        {
            "date": "2026-01-28",
            "topic": "Replace Flask by FastAPI",
            "key_points": ["Flask blocked a worker"],
            "tags": ["fastapi"],
            "source": "cursor",
        }
    )
    memory.save(
        {"topic": "Redis 缓存方案", "key_points": ["缓存 TTL 定为 300 秒"], "tags": ["redis"]}
    )
    memory.start("login-bug", host="cursor")
    memory.log("登录接口报 401，决定检查 token", kind="decision", conversation="login-bug")
    memory.log("ran the tests", kind="tool", tool="bash", tags=["ci"], conversation="login-bug")
    memory.log("only for me", private=True, conversation="login-bug")
    return memory
