"""Who is let in, and what every answer carries."""

from __future__ import annotations

import pytest

from daily_memory.frontends.http.guard import MOST_BODY_BYTES, MOST_URL_BYTES
from tests.frontends.http.conftest import TOKEN

READ = "/search?q=x"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1.evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "0.0.0.0:{port}",
        "[::1]:{port}",
    ],
)
def test_another_host_is_refused(served, host):
    response = served.ask("GET", READ, headers={"Host": host.format(port=served.port)})

    assert response.status_code == 421


def test_a_request_that_tells_two_lengths_is_refused_and_cut(served):
    head = served.head("POST /get_observations HTTP/1.1")
    lengths = b"Content-Length: 14\r\nTransfer-Encoding: chunked\r\n\r\n"

    answer = served.raw(head + lengths + b'e\r\n{"ids": ["a"]}\r\n0\r\n\r\n')

    assert answer.startswith(b"HTTP/1.1 400")
    assert answer.count(b"HTTP/1.1") == 1
    assert b"exclude each other" in answer


@pytest.mark.parametrize("line", [b"", b"Host: \r\n"])
def test_a_client_that_names_no_host_is_refused(served, line):
    answer = served.raw(b"GET /health HTTP/1.0\r\n" + line + b"\r\n")

    assert answer.startswith(b"HTTP/1.1 421")


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST:{port}"])
def test_this_machine_is_let_in_by_either_name(served, host):
    response = served.ask("GET", READ, headers={"Host": host.format(port=served.port)})

    assert response.status_code == 200


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:1", "file://", ""]
)
@pytest.mark.parametrize(("method", "path"), [("GET", READ), ("POST", "/get_observations")])
def test_a_page_of_another_origin_is_refused(served, method, path, origin):
    response = served.ask(method, path, headers={"Origin": origin})

    assert response.status_code == 403
    assert not any("access-control" in name for name in response.headers)


def test_our_own_page_is_let_in(served):
    origin = f"http://127.0.0.1:{served.port}"

    response = served.ask("POST", "/get_observations", headers={"Origin": origin}, json={"ids": []})

    assert response.json() == {"items": []}


def test_nobody_is_told_what_other_origins_may_do(served):
    response = served.ask(
        "OPTIONS",
        "/get_observations",
        headers={"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"},
    )

    assert response.status_code == 403
    assert not any("access-control" in name for name in response.headers)


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "Bearer",
        f"Bearer {TOKEN[:-1]}x",
        f"Basic {TOKEN}",
        TOKEN,
        f"Bearer {TOKEN} x",
        "Bearer é",
    ],
)
def test_a_wrong_token_opens_nothing(served, sent):
    refused = served.ask("GET", READ, headers={"Authorization": sent.encode()})

    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == "Bearer"


def test_two_tokens_open_nothing(served):
    head = served.head(f"GET {READ} HTTP/1.1")

    answer = served.raw(head + f"Authorization: Bearer {TOKEN}\r\n\r\n".encode())

    assert answer.startswith(b"HTTP/1.1 401")


def test_a_token_in_the_address_opens_nothing(served):
    refused = served.ask("GET", f"{READ}&token={TOKEN}", headers={"Authorization": ""})

    assert refused.status_code == 401


@pytest.mark.parametrize("path", ["/health", "/", "/docs", "/openapi.json", "/page/app.css"])
def test_what_tells_nothing_of_the_memory_needs_no_token(served, path):
    assert served.ask("GET", path, headers={"Authorization": ""}).status_code == 200


@pytest.mark.usefixtures("filled")
def test_a_page_without_a_token_is_a_frame_that_says_nothing(served):
    frame = served.ask("GET", "/", headers={"Authorization": ""})

    for path in (
        "/day/2026-01-29",
        "/session/2026-01-29%231",
        "/live",
        "/settings",
        "/session/nonsense",
    ):
        assert served.ask("GET", path, headers={"Authorization": ""}).text == frame.text
    assert "Redis" not in frame.text
    assert "Redis" in served.ask("GET", "/").text
    assert served.ask("GET", "/", headers={"Authorization": "Bearer x"}).status_code == 401
    assert served.ask("DELETE", "/live", headers={"Authorization": ""}).status_code == 401


@pytest.mark.parametrize("path", ["/nothing", "/api/nothing", "/api/settings", "/page/nothing"])
def test_all_else_needs_one(served, path):
    assert served.ask("GET", path, headers={"Authorization": ""}).status_code == 401


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""],
)
def test_a_body_that_any_page_could_send_is_not_read(served, kind):
    response = served.ask(
        "POST", "/api/sessions", content=b'{"topic": "x"}', headers={"Content-Type": kind}
    )

    assert response.status_code == 415
    assert response.json()["error"]["code"] == "not_json"


def test_a_long_address_is_refused(served):
    answer = served.raw(served.head(f"GET {READ}{'x' * MOST_URL_BYTES} HTTP/1.1") + b"\r\n")

    assert answer.startswith(b"HTTP/1.1 414")


def test_a_large_body_is_refused_before_it_is_sent(served):
    length = f"Content-Length: {MOST_BODY_BYTES + 1}\r\n\r\n".encode()

    answer = served.raw(served.head("POST /api/sessions HTTP/1.1") + length)

    assert answer.startswith(b"HTTP/1.1 413")
    assert b"connection: close" in answer.lower()


def test_a_large_body_is_refused_where_its_length_is_not_told(served):
    part = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
    head = served.head("POST /api/sessions HTTP/1.1") + b"Transfer-Encoding: chunked\r\n\r\n"

    with served.connect() as connection:
        connection.sendall(head)
        sent = 0
        try:
            while sent <= 4 * MOST_BODY_BYTES:
                connection.sendall(part)
                sent += len(part)
        except ConnectionError:
            pass

    assert sent < 4 * MOST_BODY_BYTES


@pytest.mark.parametrize(
    "target", ["CONNECT evil.example:443", "OPTIONS *", "GET http://127.0.0.1/health"]
)
def test_only_paths_of_ours_are_targets(served, target):
    assert served.raw(served.head(f"{target} HTTP/1.1") + b"\r\n").startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("method", ["TRACE", "DELETE", "PUT", "PATCH", "FOO"])
def test_another_method_is_refused_and_told_which_there_are(served, method):
    response = served.ask(method, READ)

    assert response.status_code == 405
    assert response.headers["allow"] == "GET, HEAD"
    assert served.ask(method, "/").status_code == 405


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", READ), ("GET", "/"), ("GET", "/health"), ("GET", "/nothing"), ("POST", "/api/undo")],
)
def test_every_answer_is_guarded_against_what_browsers_do_with_it(served, method, path):
    response = served.ask(method, path)

    policy = response.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self';")
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["x-frame-options"] == "DENY"
    assert "server" not in response.headers
