"""Connections: what is no HTTP, clients that take their time, and crowds of them."""

from __future__ import annotations

import select
import socket
import threading

import pytest

from daily_memory.errors import ConflictError, InvalidInputError
from daily_memory.frontends.http import app, server
from daily_memory.frontends.http.guard import json_response
from daily_memory.frontends.http.request import Route
from daily_memory.frontends.operations import DeclaredOperation, declare
from daily_memory.memory import Memory
from tests.frontends.http.conftest import read_all


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01 not for us \r\n\r\n",
        b"GET /health\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 300_000,
    ],
)
def test_what_is_no_request_is_refused_and_cut(served, data):
    answer = served.raw(data)

    assert answer.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert answer.endswith(b'{"error":"the request cannot be parsed"}')


@pytest.mark.parametrize("token", [True, False])
def test_a_body_that_can_not_be_read_is_refused(served, token):
    head = served.head("POST /get_observations HTTP/1.1")
    head = head if token else head.replace(b"Bearer ", b"Bearer x")

    answer = served.raw(head + b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n")

    assert answer.startswith(b"HTTP/1.1 40")


def large_answer(memory: Memory) -> str:
    return "x" * 50_000_000


def slow_operation(may_end: threading.Event) -> DeclaredOperation:
    def wait(memory: Memory) -> bool:
        return may_end.wait(30)

    return declare(wait)


def test_what_follows_an_answer_can_not_undo_it(served):
    head = served.head("GET /nothing HTTP/1.1").replace(b"close", b"keep-alive")
    with served.connect() as connection:
        connection.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n")
        first = connection.recv(65536)
        connection.sendall(b"ZZ\r\n")
        rest = read_all(connection)

    assert first.startswith(b"HTTP/1.1 404")
    assert b"HTTP/1.1" not in rest[1:]


def test_two_requests_at_once_are_answered_in_turn(served):
    one = served.head().replace(b"close", b"keep-alive") + b"\r\n"

    answer = served.raw(one + served.head("GET /nothing HTTP/1.1") + b"\r\n")

    assert answer.index(b"HTTP/1.1 200") < answer.index(b"HTTP/1.1 404")


def test_who_does_not_say_what_they_want_is_cut(serve, monkeypatch):
    monkeypatch.setattr(server, "HEAD_S", 0.05)
    with serve() as served, served.connect() as connection:
        connection.sendall(b"GET /health HTTP/1.1\r\nX-a: ")

        assert read_all(connection) == b""


def test_who_does_not_send_a_body_is_refused(serve):
    with serve(limits=app.Limits(body_s=0.05)) as served:
        head = served.head("POST /get_observations HTTP/1.1") + b"Content-Length: 9\r\n\r\n{"

        assert served.raw(head).startswith(b"HTTP/1.1 408")


def test_who_goes_away_before_the_body_is_there_harms_nobody(served):
    with served.connect() as connection:
        head = served.head("POST /get_observations HTTP/1.1") + b"Content-Length: 9\r\n\r\n{"
        connection.sendall(head)

    assert served.ask("GET", "/health").status_code == 200


def test_who_does_not_read_is_cut(serve, monkeypatch):
    monkeypatch.setattr(server, "HEAD_S", 0.2)
    large = Route("GET", "/large", declare(large_answer))
    with serve([large]) as served, served.connect() as connection:
        # With a smaller one, what is on its way already comes for minutes on some kernels.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        connection.sendall(served.head("GET /large HTTP/1.1") + b"\r\n")
        connection.recv(1, socket.MSG_PEEK)
        with served.connect() as other:  # as long as this one waits, the first is not read
            read_all(other)

        assert len(read_all(connection)) < 50_000_000


def test_nothing_is_asked_for_ever(serve, monkeypatch):
    monkeypatch.setattr(server, "REQUEST_S", 0.05)
    may_end = threading.Event()
    slow = Route("GET", "/slow", slow_operation(may_end))
    with serve([slow]) as served:
        answer = served.raw(served.head("GET /slow HTTP/1.1") + b"\r\n")
        may_end.set()

    assert answer == b""


def test_a_crowd_that_says_nothing_keeps_nobody_out(serve, monkeypatch):
    monkeypatch.setattr(server, "MOST_CONNECTIONS", 8)
    with serve() as served:
        crowd = [served.connect() for _ in range(20)]
        try:
            assert served.ask("GET", "/health").status_code == 200
            assert read_all(crowd[0]) == b""
        finally:
            for one in crowd:
                one.close()


def test_long_work_holds_up_nobody(serve):
    may_end = threading.Event()
    slow = Route("GET", "/slow", slow_operation(may_end))
    health = Route("GET", "/health", fixed=lambda _: json_response({"ok": True}))
    with serve([slow, health]) as served:
        answers: list[object] = []
        waiting = threading.Thread(target=lambda: answers.append(served.json("GET", "/slow")))
        waiting.start()

        assert served.json("GET", "/health") == {"ok": True}
        assert answers == []

        may_end.set()
        waiting.join()
        assert answers == [True]


def test_a_crowd_that_asks_is_told_to_come_later(serve):
    may_end = threading.Event()
    slow = Route("GET", "/slow", slow_operation(may_end))
    with serve([slow]) as served:
        crowd = [served.connect() for _ in range(60)]
        for one in crowd:
            one.sendall(served.head("GET /slow HTTP/1.1") + b"\r\n")

        refused = [select.select(crowd, [], [], 30)[0][0]]
        assert b"503" in refused[0].recv(100)
        may_end.set()
        answers = [read_all(one) for one in crowd if one not in refused]
        for one in crowd:
            one.close()

    assert sum(answer.startswith(b"HTTP/1.1 200") for answer in answers) == 48
    assert all(b"too many requests" in one for one in answers if b" 503 " in one[:20])


def test_work_without_an_end_is_given_up(serve):
    may_end = threading.Event()
    slow = Route("GET", "/slow", slow_operation(may_end))
    with serve([slow], app.Limits(answer_s=0.05)) as served:
        response = served.ask("GET", "/slow")
        may_end.set()

    assert response.status_code == 503
    assert response.json() == {"error": "there was no answer within 0.05 s"}


@pytest.mark.parametrize("port", [-1, 65536])
def test_there_is_no_such_port(port):
    with pytest.raises(InvalidInputError, match="not between"):
        server.open_socket(port)


def test_a_port_that_is_taken_is_told():
    with server.open_socket(0) as listening:
        port = listening.getsockname()[1]

        with pytest.raises(ConflictError, match=f"port {port} is taken") as caught:
            server.open_socket(port)

    assert "--port 0" in caught.value.hint


def test_it_listens_on_this_machine_only():
    with server.open_socket(0) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"
