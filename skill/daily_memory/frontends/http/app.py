"""The application: each row of the table becomes a route, and the guard comes first."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

import anyio
import anyio.to_thread
from starlette.requests import ClientDisconnect
from starlette.requests import Request as WebRequest
from starlette.responses import Response
from starlette.routing import Match, Router
from starlette.routing import Route as WebRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from daily_memory.core.pages import html
from daily_memory.errors import DailyMemoryError
from daily_memory.frontends.http import openapi, render
from daily_memory.frontends.http.guard import (
    MOST_BODY_BYTES,
    TOO_LARGE,
    Guard,
    Lock,
    Refusal,
    find_body_refusal,
    json_response,
    refusing,
)
from daily_memory.frontends.http.request import ClientRequest, HttpReply, Route, answer
from daily_memory.frontends.http.routes import ROUTES
from daily_memory.frontends.operations import Schema
from daily_memory.memory import Memory
from daily_memory.text import filled

# So many answers are worked out at once; others wait for their turn.
_THREADS = 16
# So many are answered or wait for that. The next one is refused at once: a crowd that asks and
# never reads must not keep others waiting, nor have all of its answers made.
_MOST_ASKING = 48
_STATUS = {2: 400, 3: 404, 4: 409, 5: 500, 6: 503}
# The files of the web page by path: where they are, and their types.
_FILES = {
    "/page/app.js": (os.path.join(render.FOLDER, "app.js"), "javascript"),
    "/page/app.css": (os.path.join(render.FOLDER, "app.css"), "css"),
    "/page/page.css": (os.path.join(os.path.dirname(html.__file__), "page.css"), "css"),
}
_NOT_FOUND = Refusal(404, "not_found", "there is nothing at this path", "/docs lists the routes")
_TOO_SLOW = Refusal(408, "too_slow", "the body did not come in time")
_BUSY = Refusal(503, "busy", "too many requests wait for an answer", "try again in a second")
_NO_TAG = Refusal(428, "no_tag", "If-Match is missing", "send the ETag that you read")


class Limits(NamedTuple):
    """How long a client may take to send a body, and we to answer, in seconds."""

    body_s: float = 20.0
    answer_s: float = 60.0


class ServerContext(NamedTuple):
    """What the routes work with.

    `open_memory` gives the memory for one request: a change of its settings counts at once.
    `report_bug` is called with unexpected errors.
    """

    open_memory: Callable[[], Memory]
    report_bug: Callable[[Exception], None]
    limits: Limits = Limits()


def build(host: ServerContext, token: str, port: int, routes: Iterable[Route] = ROUTES) -> ASGIApp:
    table = [*routes]
    described = openapi.document(table)
    table.append(Route("GET", "/openapi.json", fixed=lambda _: json_response(described)))
    table.append(Route("GET", "/docs", fixed=partial(_docs, described)))
    table += [Route("GET", path, fixed=_file(*file)) for path, file in _FILES.items()]
    by_path: dict[str, dict[str, Route]] = {}
    for route in table:
        by_path.setdefault(route.path, {})[route.method] = route
    places = _Places()
    web = [WebRoute(path, _Path(rows, host, places)) for path, rows in by_path.items()]
    open_paths = frozenset(route.path for route in table if route.fixed)
    router = Router(web, redirect_slashes=False, default=_no_route)
    pages = [WebRoute(route.path, _no_route) for route in table if route.is_page]

    def is_page(scope: Scope) -> bool:
        matches = (page.matches(scope)[0] for page in pages)
        return _method(scope) == "GET" and any(match is not Match.NONE for match in matches)

    return Guard(router, Lock(token, port, open_paths), _frame, is_page)


class _Places:
    """Who is being answered: `taken` counts those who wait for a thread too."""

    def __init__(self) -> None:
        self.threads = anyio.CapacityLimiter(_THREADS)
        self.taken = 0


class _Path:
    """What answers the requests for a path, whatever their method."""

    def __init__(self, rows: Mapping[str, Route], host: ServerContext, places: _Places) -> None:
        self._rows = rows
        self._host = host
        self._places = places

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route = self._rows.get(_method(scope))
        if route is None:
            response = _no_method(scope, self._rows)
        elif route.fixed:
            response = route.fixed(WebRequest(scope))
        else:
            response = await self._try(route, WebRequest(scope, receive))
        await response(scope, receive, send)

    async def _try(self, route: Route, request: WebRequest) -> Response:
        """Return the answer, or what to say of an error."""
        host = self._host
        try:
            return await _answer(route, request, host, self._places)
        except ClientDisconnect:
            return Response(status_code=499)  # nobody reads it
        except DailyMemoryError as error:
            status = 412 if error.code == "changed" else _STATUS.get(error.exit_status, 500)
            refusal = Refusal(status, error.code, error.message, error.hint)
        except TimeoutError:
            message = filled("there was no answer within {:g} s", host.limits.answer_s)
            refusal = Refusal(503, "timeout", message, "try again")
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            refusal = Refusal(503, "backend", filled("the system refused: {}", reason))
        except Exception as error:  # noqa: BLE001  # the edge: no client sees a traceback
            host.report_bug(error)
            message = filled("this is a bug in daily-memory ({})", type(error).__name__)
            refusal = Refusal(500, "bug", message, "start it with --debug, and report what it says")
        language = _language(request)
        message = render.in_language(refusal.message, language)
        hint = render.in_language(refusal.hint, language)
        return _refused(route, language, refusal._replace(message=message, hint=hint), host)


def _file(path: str, kind: str) -> Callable[[WebRequest], Response]:
    with open(path, "rb") as file:
        content = file.read()
    return lambda _: Response(content, media_type=f"text/{kind}")


def _docs(described: Schema, request: WebRequest) -> Response:
    shown = {"here": "docs", "paths": described["paths"], "form": openapi.form}
    return _page(render.render("docs.html", _language(request), **shown))


async def _frame(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer browsers that ask for a page without a token: its script has to send it."""
    await _page(render.render("shell.html", _language(WebRequest(scope))))(scope, receive, send)


def _language(request: WebRequest) -> str:
    return render.language_of(request.headers.get("accept-language", ""))


def _page(text: str, status: int = 200) -> Response:
    # Half a surrogate pair has no UTF-8 form.
    return Response(text.encode("utf-8", "replace"), status, media_type="text/html")


def _refused(route: Route, language: str, refusal: Refusal, host: ServerContext) -> Response:
    if not route.is_page:
        return refusing(route.path, refusal)
    words = render.WORDS[language]
    title = words.get(f"error_{refusal.code}", words["error"])
    shown = {"title": title, "message": refusal.message, "hint": refusal.hint}
    memory = host.open_memory()
    return _page(render.render("error.html", language, memory=memory, **shown), refusal.status)


async def _answer(
    route: Route, request: WebRequest, host: ServerContext, places: _Places
) -> Response:
    body = await _read_body(request, host.limits) if route.has_body else b""
    if isinstance(body, Refusal):
        return refusing(route.path, body)
    tag = request.headers.get("if-match")
    if route.is_edit and tag is None:
        return refusing(route.path, _NO_TAG)
    query = request.query_params.multi_items()
    given = ClientRequest(
        request.path_params, query, body, (tag or "").strip('"'), _language(request)
    )
    if places.taken >= _MOST_ASKING:
        return refusing(route.path, _BUSY)
    places.taken += 1
    try:
        # Nobody may wait for a disk on the thread that serves all.
        with anyio.fail_after(host.limits.answer_s):
            reply = await anyio.to_thread.run_sync(
                lambda: answer(route, given, host.open_memory()),
                abandon_on_cancel=True,
                limiter=places.threads,
            )
    finally:
        places.taken -= 1
    if reply.file:
        return _download(reply)
    if route.is_page:
        return _page(str(reply.value))
    headers = {"etag": f'"{reply.tag}"'} if reply.tag else {}
    return json_response(_in_language(reply.value, given.language), reply.status, headers)


def _in_language(value: Any, language: str) -> Any:
    """Return an answer with its warnings as a person reads them."""
    if language == "en" or not isinstance(value, dict) or not value.get("warnings"):
        return value
    shown = [render.in_language(warning, language) for warning in value["warnings"]]
    return {**value, "warnings": shown}


def _download(reply: HttpReply) -> Response:
    kind = "json" if reply.file.endswith(".json") else "zip"
    headers = {"content-disposition": f'attachment; filename="{reply.file}"'}
    return Response(reply.value, headers=headers, media_type=f"application/{kind}")


async def _read_body(request: WebRequest, limits: Limits) -> bytes | Refusal:
    """Return the body, or why it is not read: its length is not always known before."""
    refusal = find_body_refusal(request.scope["headers"])
    if refusal:
        return refusal
    body = bytearray()
    with anyio.move_on_after(limits.body_s) as scope:
        async for part in request.stream():
            body += part
            if len(body) > MOST_BODY_BYTES:
                return TOO_LARGE
    return _TOO_SLOW if scope.cancelled_caught else bytes(body)


def _method(scope: Scope) -> str:
    return "GET" if scope["method"] == "HEAD" else str(scope["method"])


def _no_method(scope: Scope, allowed: Collection[str]) -> Response:
    names = ", ".join([*allowed, *(["HEAD"] if "GET" in allowed else [])])
    response = refusing(
        scope["path"], Refusal(405, "no_method", filled("this path takes {} only", names))
    )
    response.headers["allow"] = names
    return response


async def _no_route(scope: Scope, receive: Receive, send: Send) -> None:
    await refusing(scope["path"], _NOT_FOUND)(scope, receive, send)
