"""Send one JSON request over HTTP, with limits of time and size; every failure is a ModelError.

No message contains a header or text from a server, which may hold a key or a memory.
"""

from __future__ import annotations

import json
import re
import ssl
import threading
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from daily_memory.core.ports import AGAIN, LATER, NOT_AGAIN, SIMPLER, ModelError
from daily_memory.text import filled

if TYPE_CHECKING:
    import httpx2

MAX_ANSWER_BYTES = 8_000_000

_LOOPBACK = re.compile(r"localhost|127\.\d+\.\d+\.\d+|::1")
_KEY = re.compile(r"[\x21-\x7e]{1,1000}")
_SECONDS = re.compile(r"\d{1,6}")
_MEDIA_TYPE = re.compile(r"[\w.+-]{1,40}/[\w.+-]{1,40}")
_JSON_TYPE = re.compile(r"application/(?:[\w.-]+\+)?json")
# How servers name the parameter that they reject.
_ABOUT_FORMAT = re.compile(rb"format|schema")


class Reply(NamedTuple):
    """What a server answered: its status, the media type, how long to wait, and the bytes."""

    status: int
    media_type: str
    retry_after: str
    data: bytes


def check_installed(extra: str = "llm") -> None:
    """Raise ModelError if the HTTP library is missing; `extra` installs it."""
    try:
        # Optional, and takes 100 ms to import.
        import httpx2  # noqa: F401  # only to see whether it is installed
    except ImportError as error:
        from daily_memory.installation import install_command  # only to say what to run

        hint = install_command(extra)
        raise ModelError("httpx2 is not installed", hint=hint, is_free=True) from error


def key_in(environment: Mapping[str, str], name: str) -> str:
    """Return a key from the environment, "" if there is none."""
    key = environment.get(name, "").strip()
    if key and not _KEY.fullmatch(key):
        raise ModelError("{} has characters that no key has", name, is_free=True)
    return key


def post_json(
    url: str,
    headers: Mapping[str, str],
    body: Mapping[str, object],
    timeout_s: float,
    *,
    hint: str = "recording.summarizer_timeout_s",
) -> dict[str, object]:
    """Return the JSON object of a server's answer. Redirects are not followed.

    `hint` is for the error if it takes too long.
    """
    exchange = _Exchange(url, headers, body, timeout_s)
    # In a thread, since socket timeouts limit neither name lookups nor a server that sends its
    # headers byte by byte. It ends with the process at the latest.
    thread = threading.Thread(target=exchange.run, daemon=True)
    thread.start()
    thread.join(timeout_s)
    if exchange.reply is not None:
        return _parsed(exchange.reply, exchange.host)
    if exchange.error is not None and not exchange.is_late():
        raise exchange.error
    message = filled("{} gave no answer within {:.3g} s", exchange.host, timeout_s)
    raise ModelError(message, hint=hint, remedy=LATER)


class _Exchange:
    """A request in its thread, which ends with a reply or an error."""

    def __init__(
        self, url: str, headers: Mapping[str, str], body: Mapping[str, object], timeout_s: float
    ) -> None:
        parts = urlsplit(url)
        self.host = parts.netloc.rpartition("@")[2]
        self.reply: Reply | None = None
        self.error: ModelError | None = None
        self._is_local = bool(_LOOPBACK.fullmatch(parts.hostname or ""))
        self._url = url
        self._headers = {
            **headers,
            # A compressed kilobyte might unpack to a gigabyte.
            "accept-encoding": "identity",
            "content-type": "application/json",
            "user-agent": "daily-memory",
        }
        self._body = json.dumps(body).encode()
        self._timeout_s = timeout_s
        self._deadline = time.monotonic() + timeout_s

    def is_late(self) -> bool:
        return time.monotonic() >= self._deadline

    def run(self) -> None:
        import httpx2  # see check_installed

        try:
            # No proxy for a local server: the text must not leave this machine.
            with httpx2.Client(
                trust_env=not self._is_local, timeout=self._timeout_s, follow_redirects=False
            ) as client:
                self.reply = self._sent(client)
        except ModelError as error:
            self.error = error
        except httpx2.ConnectError as error:
            self.error = self._unconnected(error)
        except httpx2.TransportError:
            self.error = ModelError("the connection to {} broke", self.host, remedy=AGAIN)
        except (httpx2.InvalidURL, ImportError, OSError, ValueError):
            self.error = ModelError(
                "{} can't be reached: the address, or the proxy or certificates set in the "
                "environment, can't be used",
                self.host,
                is_free=True,
            )

    def _sent(self, client: httpx2.Client) -> Reply:
        with client.stream(
            "POST", self._url, headers=self._headers, content=self._body
        ) as response:
            head = response.headers
            if head.get("content-encoding", "identity") != "identity":
                raise ModelError("{} compresses its answer, which was not requested", self.host)
            media_type = head.get("content-type", "").partition(";")[0].strip().lower()
            retry_after = head.get("retry-after", "")
            data = self._bounded(response)
            return Reply(response.status_code, media_type, retry_after, data)

    def _bounded(self, response: httpx2.Response) -> bytes:
        pieces, size = [], 0
        for piece in response.iter_raw():
            size += len(piece)
            # After the deadline the thread has to end.
            if size > MAX_ANSWER_BYTES or self.is_late():
                raise ModelError("{} answers with more than {} bytes", self.host, MAX_ANSWER_BYTES)
            pieces.append(piece)
        return b"".join(pieces)

    def _unconnected(self, error: httpx2.ConnectError) -> ModelError:
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, ssl.SSLError):
                return ModelError(
                    "no secure connection to {}: its certificate or its TLS is not trusted",
                    self.host,
                    is_free=True,
                )
            cause = cause.__cause__ or cause.__context__
        return ModelError("can't connect to {}", self.host, remedy=AGAIN, is_free=True)


def _parsed(reply: Reply, host: str) -> dict[str, object]:
    if not 200 <= reply.status < 300:
        raise _refusal(reply, host)
    if not _JSON_TYPE.fullmatch(reply.media_type):
        shown = reply.media_type if _MEDIA_TYPE.fullmatch(reply.media_type) else "something"
        raise ModelError("{} answers with {} instead of JSON", host, shown)
    try:
        data = json.loads(reply.data)
    except (ValueError, RecursionError):
        raise ModelError("{} answers with broken JSON", host) from None
    if not isinstance(data, dict):
        raise unexpected(host)
    return data


def _refusal(reply: Reply, host: str) -> ModelError:
    status = reply.status
    if 300 <= status < 400:
        what = "redirects elsewhere, which is not followed"
    elif status in (401, 403):
        what = "refuses the key"
    elif status == 404:
        what = "has no such address or model"
    elif status == 429:
        wait = reply.retry_after
        what = "has had too many requests"
        if _SECONDS.fullmatch(wait):
            what = filled("has had too many requests, and asks to wait {} s", wait)
    elif status >= 500:
        what = "has a fault"
    else:
        what = "refuses the request"
    is_simpler = status in (400, 422) and bool(_ABOUT_FORMAT.search(reply.data))
    is_later = status == 429 or status >= 500
    return ModelError(
        "{} {} (status {})",
        host,
        what,
        status,
        remedy=SIMPLER if is_simpler else LATER if is_later else NOT_AGAIN,
        is_free=status < 500,
        wait_s=int(reply.retry_after) if _SECONDS.fullmatch(reply.retry_after) else 0,
    )


def unexpected(host: str) -> ModelError:
    """Return the error for an answer of an unexpected form."""
    return ModelError("{} answers in another form than expected", host)


def at(data: object, *path: str | int) -> object:
    """Return the value at a path in JSON, None if there is none.

    >>> at({"choices": [{"index": 0}]}, "choices", 0, "index"), at({}, "choices", 0)
    (0, None)
    """
    for step in path:
        if isinstance(data, dict) and isinstance(step, str):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data


def count_at(data: object, *path: str | int) -> int:
    """Return a count of tokens at a path, 0 if there is none."""
    found = at(data, *path)
    return found if type(found) is int and found > 0 else 0


def vectors(items: Sequence[object], host: str) -> list[Sequence[float]]:
    """Return the vectors of an answer, after checking that they are numbers, all of one length."""
    found: list[Sequence[float]] = [
        item
        for item in items
        if isinstance(item, list) and item and all(type(x) in (int, float) for x in item)
    ]
    if len(found) != len(items) or len(set(map(len, found))) > 1:
        raise unexpected(host)
    return found
