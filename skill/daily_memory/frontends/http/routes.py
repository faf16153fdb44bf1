"""Every route: the server and the OpenAPI page are made of this table."""

from __future__ import annotations

from daily_memory.frontends.http import api, pages, trae
from daily_memory.frontends.http.guard import json_response
from daily_memory.frontends.http.request import Route
from daily_memory.frontends.operations import declare

TRAE_MEM = (
    Route(
        "GET",
        "/health",
        fixed=lambda _: json_response({"ok": True}),
        summary="Say that the server is there.",
    ),
    *(
        Route(method, path, declare(function), is_lenient=True)
        for method, path, function in (
            ("GET", "/search", trae.search),
            ("GET", "/timeline", trae.timeline),
            ("GET", "/inject", trae.inject),
            ("POST", "/get_observations", trae.get_observations),
        )
    ),
)

API = tuple(
    Route(method, f"/api/{path}", declare(function))
    for method, path, function in (
        ("GET", "days", api.list_days),
        ("POST", "sessions", api.save_session),
        ("GET", "sessions/{session_id:path}", api.get_session),
        ("PUT", "sessions/{session_id:path}", api.edit_session),
        ("PATCH", "sessions/{session_id:path}", api.mark_session),
        ("DELETE", "sessions/{session_id:path}", api.delete_session),
        ("POST", "undo", api.undo),
        ("GET", "search", api.search),
        ("GET", "settings", api.get_settings),
        ("PUT", "settings/{name}", api.set_setting),
        ("DELETE", "settings/{name}", api.unset_setting),
        ("GET", "report", api.get_report),
        ("POST", "cleanup", api.clean_up),
        ("POST", "summary", api.summarize),
        ("GET", "export", api.export),
    )
)

PAGES = tuple(
    Route("GET", path, declare(function), page=page)
    for path, function, page in (
        ("/", pages.sessions, "sessions"),
        ("/day/{day}", pages.day, "calendar"),
        ("/session/{session_id:path}", pages.session, "sessions"),
        ("/calendar", pages.calendar, "calendar"),
        ("/live", pages.live, "live"),
        ("/live/{day}/{name}", pages.conversation, "live"),
        ("/recall", pages.recall, "recall"),
        ("/review", pages.review, "review"),
        ("/cleanup", pages.cleanup, "review"),
        ("/changes", pages.changes, "review"),
        ("/report", pages.report, "report"),
        ("/settings", pages.settings, "settings"),
    )
)

ROUTES = (*TRAE_MEM, *API, *PAGES)
