"""Who may ask, and how much: every request passes here before anything else looks at it.

A server on the loopback address can be reached by every program of the machine and by every page
that a browser shows. So there is a token that only the user can read; names are checked, since a
page can have its own name point here (DNS rebinding); and no other origin is let in.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from daily_memory.text import filled

# A question of ten thousand Chinese characters, as an address spells them.
MOST_URL_BYTES = 100_000
MOST_BODY_BYTES = 8_000_000

_HEADERS = (
    (b"cache-control", b"no-store"),
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        b"img-src data:; "
        b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
)

Headers = Sequence[tuple[bytes, bytes]]


class Refusal(NamedTuple):
    """Why a request is not answered, with its HTTP status."""

    status: int
    code: str
    message: str
    hint: str = ""


class Lock(NamedTuple):
    """What opens the door: the token, the port that we listen on, and the paths without token."""

    token: str
    port: int
    open_paths: frozenset[str] = frozenset()


class Guard:
    """An application that hands on to another what may be answered, and refuses the rest.

    `frame` answers those who send no token at all and ask for a page: a browser, to which a user
    gave its address. It is told nothing of the memory.
    """

    def __init__(
        self, application: ASGIApp, lock: Lock, frame: ASGIApp, is_page: Callable[[Scope], bool]
    ) -> None:
        self._application = application
        self._lock = lock
        self._frame = frame
        self._is_page = is_page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *_HEADERS]}
            await send(message)

        size = len(scope["raw_path"]) + len(scope["query_string"])
        refusal = find_refusal(self._lock, scope["path"], size, scope["headers"])
        has_token = any(name == b"authorization" and value for name, value in scope["headers"])
        if refusal and refusal.code == "no_token" and not has_token and self._is_page(scope):
            await self._frame(scope, receive, send_guarded)
        elif refusal:
            await refusing(scope["path"], refusal)(scope, receive, send_guarded)
        else:
            await self._application(scope, receive, send_guarded)


def find_refusal(lock: Lock, path: str, url_bytes: int, headers: Headers) -> Refusal | None:
    """Return why a request may not be answered, None where it may."""
    names = (f"127.0.0.1:{lock.port}", f"localhost:{lock.port}")
    if url_bytes > MOST_URL_BYTES:
        return Refusal(
            414, "too_long", filled("the address is longer than {} bytes", MOST_URL_BYTES)
        )
    if not path.startswith("/"):
        return Refusal(400, "invalid_input", "the target is not a path of this server")
    if not _is_one_of(_values(headers, b"host"), names):
        hint = filled("ask for http://{}", names[0])
        return Refusal(421, "wrong_host", "the Host is not that of this server", hint)
    if _values(headers, b"content-length") and _values(headers, b"transfer-encoding"):
        # A proxy before us may believe the one and we the other: that is how requests are smuggled.
        return Refusal(
            400, "two_lengths", "Content-Length and Transfer-Encoding exclude each other"
        )
    origins = _values(headers, b"origin")
    if origins and not _is_one_of(origins, [f"http://{name}" for name in names]):
        return Refusal(403, "wrong_origin", "pages of other origins are not let in")
    if path not in lock.open_paths and not _has_token(headers, lock.token):
        hint = "send `Authorization: Bearer TOKEN`; `memory serve` prints the token behind #token="
        return Refusal(401, "no_token", "the token is missing or wrong", hint)
    return None


def find_body_refusal(headers: Headers) -> Refusal | None:
    """Return why a body may not be read: a form that any page can send is no JSON, or too large."""
    kinds = [value.partition(";")[0].strip() for value in _values(headers, b"content-type")]
    if kinds != ["application/json"]:
        hint = "send `Content-Type: application/json`"
        return Refusal(415, "not_json", "the body is not said to be JSON", hint)
    if any(int(value) > MOST_BODY_BYTES for value in _values(headers, b"content-length")):
        return TOO_LARGE
    return None


TOO_LARGE = Refusal(413, "too_large", filled("the body is larger than {:,} bytes", MOST_BODY_BYTES))


def _has_token(headers: Headers, token: str) -> bool:
    sent = [value for name, value in headers if name == b"authorization"]
    scheme, _, given = sent[0].partition(b" ") if len(sent) == 1 else (b"", b"", b"")
    # In constant time: how long it takes must not tell how many characters are right.
    is_right = hmac.compare_digest(given.strip(), token.encode())
    return is_right and scheme.lower() == b"bearer"


def _values(headers: Headers, wanted: bytes) -> list[str]:
    return [value.decode("latin-1").strip().lower() for name, value in headers if name == wanted]


def _is_one_of(values: Sequence[str], allowed: Sequence[str]) -> bool:
    return len(values) == 1 and values[0] in allowed


def refusing(path: str, refusal: Refusal) -> Response:
    """Return the answer that tells of an error, in the form that belongs to the path.

    trae-mem's clients read a text under "error".
    """
    status, code, message, hint = refusal
    error: object = {"code": code, "message": message, "hint": hint}
    if not path.startswith("/api/"):
        error = code if code == "not_found" else message
    headers = {"www-authenticate": "Bearer"} if status == 401 else {}
    if status in (408, 413) or code == "two_lengths":
        headers["connection"] = "close"  # the rest of the body is not waited for
    return json_response({"error": error}, status, headers)


def json_response(
    value: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return a JSON answer. Half a surrogate pair, which has no UTF-8 form, becomes `?`."""
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return Response(body, status, headers, media_type="application/json")
