"""MCP over HTTP, for people elsewhere: the SDK's own application behind a gate.

The gate knows each person by a token, limits how fast they ask, and says who it is. The transport
keeps no sessions: each request stands alone, so that a token ends with its revocation.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from daily_memory import results
from daily_memory.errors import DailyMemoryError, InvalidInputError
from daily_memory.frontends.mcp_server import tools
from daily_memory.frontends.mcp_server.access import Access
from daily_memory.frontends.mcp_server.server import Client, Context, make_server_for
from daily_memory.memory import Memory

PATH = "/mcp"
# Where the gate puts who sent a request.
_PERSON = "daily_memory.person"
# So many requests without a token that is known are written down a minute.
_MOST_STRANGERS = 60
_MOST_ARGUMENT_CHARS = 100


class Doorway(NamedTuple):
    """What is served: the memory `open_own` opens and `projects`, so many calls a minute each.

    `url` is the address under which a proxy offers it, "" without one.
    """

    open_own: Callable[[], Memory]
    projects: tuple[str, ...]
    port: int
    url: str = ""
    calls_a_minute: int = 120


def build(doorway: Doorway, clock: Callable[[], float] = time.monotonic) -> ASGIApp:
    if not doorway.open_own().project:
        raise InvalidInputError("not inside a project", hint="name one with --project")
    hosts = [f"{name}:{doorway.port}" for name in ("127.0.0.1", "localhost")]
    origins = [f"http://{host}" for host in hosts]
    if doorway.url:
        public = urlsplit(doorway.url)
        if public.scheme != "https" or not public.netloc:
            raise InvalidInputError("{!r} does not begin with https://", doorway.url)
        hosts.append(public.netloc)
        origins.append(f"https://{public.netloc}")
    people = _People(doorway)
    application = make_server_for(people.client).streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        transport_security=TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins),
    )
    return _Gate(application, people, doorway.calls_a_minute, clock)


class Person(NamedTuple):
    """Somebody with a token, and the folders of the projects that it opens here."""

    token: results.AccessToken
    folders: tuple[str, ...]


class _People:
    """Who may come in, by the tokens in the global memory as they are at this moment."""

    def __init__(self, doorway: Doorway) -> None:
        self._doorway = doorway
        self._memory = doorway.open_own()
        self._stamp: object = None
        self._people: dict[str, Person] = {}
        # What a reader and a writer are offered.
        self._tools = {
            can_write: tools.choose(offer=tools.ALL if can_write else tools.READ)
            for can_write in (False, True)
        }

    def find(self, secret: str) -> Person | None:
        """Return who sent a token, None for any other text."""
        stamp = self._memory.tokens.stamp()
        if stamp != self._stamp:
            people = [Person(token, self._folders(token)) for token in self._memory.tokens.list()]
            self._people = {person.token.digest: person for person in people}
            self._stamp = stamp
        return self._people.get(self._memory.tokens.digest(secret))

    def client(self, context: Context) -> Client:
        """Return what the sender of a request may open and use."""
        request: Any = context.request
        token, folders = request.scope[_PERSON]

        def note(tool: str, given: Mapping[str, Any], answer: Mapping[str, Any] | None) -> None:
            # What a caller says may be anything; a project or an id is short.
            named = {name: given[name] for name in ("project", "id", "ids") if given.get(name)}
            short = {name: str(value)[:_MOST_ARGUMENT_CHARS] for name, value in named.items()}
            saved = {"saved": answer["id"]} if answer and answer.get("id") else {}
            self.log(who=token.name, tool=tool, ok=answer is not None, **short, **saved)

        def open_first() -> Memory:
            return self._doorway.open_own().in_folder(folders[0])

        access = Access(open_first, folders[1:], person=token.name)
        return Client(access, self._tools[token.can_write], note)

    def log(self, **entry: object) -> None:
        # A full disk must not keep anybody from an answer.
        with contextlib.suppress(DailyMemoryError, OSError):
            self._memory.tokens.log(entry)

    def _folders(self, token: results.AccessToken) -> tuple[str, ...]:
        """Return the folders that a token opens, of those that are served."""
        everything = Access(self._doorway.open_own, self._doorway.projects, person=token.name)
        own = everything.open().project
        folders = []
        for name in token.projects or (own, *self._doorway.projects):
            with contextlib.suppress(InvalidInputError):
                folders.append(everything.open(name).project)
        return tuple(dict.fromkeys(folders))


class _Bucket:
    """Lets so many through a minute, and after a silence as many at once."""

    def __init__(self, most: int, now: float) -> None:
        self._most, self._left, self._seen = most, float(most), now

    def take(self, now: float) -> bool:
        gained = (now - self._seen) * self._most / 60
        self._left, self._seen = min(self._most, self._left + gained), now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class _Gate:
    """An application that hands on the requests of people with a token."""

    def __init__(
        self, application: ASGIApp, people: _People, most: int, clock: Callable[[], float]
    ) -> None:
        self._application = application
        self._people = people
        self._most = most
        self._clock = clock
        self._buckets: dict[str, _Bucket] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        refusal = self._refusal(scope)
        await (refusal or self._application)(scope, receive, send)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        """Return why a request goes no further; None where it does, with its token."""
        if scope["path"] != PATH:
            return _refused(404, f"the address is {PATH}")
        scheme, _, secret = Request(scope).headers.get("authorization", "").partition(" ")
        try:
            person = self._people.find(secret.strip()) if scheme.lower() == "bearer" else None
        except DailyMemoryError as error:
            return _refused(503, error.message)
        name = person.token.digest if person else ""
        now, most = self._clock(), self._most if person else _MOST_STRANGERS
        if not self._buckets.setdefault(name, _Bucket(most, now)).take(now):
            return _refused(429, "too many requests; wait a minute", retry_after="60")
        if person is None:
            self._people.log(who=None, ok=False)
            return _refused(401, "the token is missing, wrong or revoked")
        if not person.folders:
            return _refused(403, "none of the projects of this token is served here")
        if scope["method"] != "POST":
            # There are no sessions to end, and nothing that the server says unasked.
            return _refused(405, "this path takes POST only", allow="POST")
        scope[_PERSON] = person
        return None


def _refused(status: int, message: str, **headers: str) -> JSONResponse:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if status == 401:
        named["www-authenticate"] = 'Bearer realm="daily-memory"'
    return JSONResponse({"error": message}, status, named)
