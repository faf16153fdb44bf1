"""A language model for tests: an HTTP server on this machine that says what a test tells it to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

JSON = "application/json"

SUMMARY: dict[str, Any] = {
    "topic": "报表接口的缓存",
    "goal": "用户想知道为什么报表接口这么慢",
    "done": ["原因是每次都查询全表", "给报表接口加 Redis 缓存，TTL 定为 300 秒"],
    "decisions": ["决定给报表接口加 Redis 缓存"],
    "open": [],
    "next": ["下一步加监控"],
}
ENGLISH: dict[str, Any] = {
    "topic": "Slow report endpoint",
    "goal": "The user wants to know why the report endpoint is slow",
    "done": ["Every request scans the whole orders table", "Added a Redis cache with TTL 300 s"],
    "decisions": [],
    "open": ["It is not clear whether 300 s is too long"],
    "next": ["Add a metric for the hit rate in src/cache/report.py"],
}


class Request(NamedTuple):
    """A request as it reached the server."""

    path: str
    headers: Mapping[str, str]
    body: Any


class ModelServer:
    """What requests came, and how each is answered: the last answer goes for all further ones."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.answers: list[Callable[[BaseHTTPRequestHandler], None]] = []
        self.over = threading.Event()
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("content-length", 0))
        body = json.loads(handler.rfile.read(length))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        self.requests.append(Request(handler.path, headers, body))
        number = min(len(self.requests), len(self.answers)) - 1
        self.answers[number](handler)

    def say(self, data: object, status: int = 200, **headers: str) -> None:
        """Answer the next request with this, as JSON unless it is text."""
        text = data if isinstance(data, (str, bytes)) else json.dumps(data)
        payload = text.encode() if isinstance(text, str) else text

        def respond(handler: BaseHTTPRequestHandler) -> None:
            given = {"content-type": JSON, "content-length": str(len(payload))}
            given |= {name.replace("_", "-"): value for name, value in headers.items()}
            handler.send_response(status)
            for name, value in given.items():
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(payload)

        self.answers.append(respond)

    def act(self, answer: Callable[[BaseHTTPRequestHandler], None]) -> None:
        """Let a function do with the next request what it likes."""
        self.answers.append(answer)

    def keep_waiting(self, handler: BaseHTTPRequestHandler) -> None:
        """Say nothing until the test is over."""
        del handler
        self.over.wait()


@contextmanager
def model_server() -> Iterator[ModelServer]:
    model = ModelServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            model.answer(self)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its own name
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            pass  # a client that hangs up is what some tests are about

    with Server(("127.0.0.1", 0), Handler) as server:
        model.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield model
        finally:
            model.over.set()
            server.shutdown()
            thread.join()


# ---------------------------------------------------------------------------- the protocols


def anthropic_answer(text: str, **changes: object) -> dict[str, object]:
    return {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "…"}, {"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 900, "output_tokens": 100, "cache_read_input_tokens": None},
        **changes,
    }


def openai_answer(text: str, *, finish: str = "stop", **message: object) -> dict[str, object]:
    said = {"role": "assistant", "content": text, "refusal": None, **message}
    return {
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": finish, "message": said}],
        "usage": {"prompt_tokens": 900, "completion_tokens": 100, "total_tokens": 1000},
    }


def ollama_answer(text: str, **changes: object) -> dict[str, object]:
    return {
        "model": "qwen3",
        "message": {"role": "assistant", "content": text},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 900,
        "eval_count": 100,
        **changes,
    }


ANSWERS: dict[str, Callable[[str], dict[str, object]]] = {
    "anthropic": anthropic_answer,
    "openai": openai_answer,
    "ollama": ollama_answer,
}
