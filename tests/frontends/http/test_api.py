"""The routes under /api/: what a page needs, as its user does it."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daily_memory.errors import BackendError
from daily_memory.frontends.http import openapi
from daily_memory.frontends.http.request import Route
from daily_memory.frontends.http.routes import ROUTES
from daily_memory.frontends.operations import declare
from daily_memory.memory import Memory
from daily_memory.storage.fs import files
from daily_memory.storage.fs.lock import locked
from tests.many_memories import fill, scoped

ID = quote("2026-01-29#1")
FOR_PROGRAMS = [route for route in ROUTES if not route.is_page]
SESSION = f"/api/sessions/{ID}"


def error(response):
    return response.status_code, response.json()["error"]["code"]


def test_a_memory_is_given_as_a_file(filled, served):
    as_json = served.ask("GET", "/api/export")
    as_zip = served.ask("GET", "/api/export?format=zip&scope=project")

    assert as_json.headers["content-disposition"] == (
        'attachment; filename="memory-2026-01-29.json"'
    )
    assert as_json.text == "".join(filled.export())
    assert as_zip.content == filled.export_zip()
    assert as_zip.headers["content-type"] == "application/zip"
    assert served.ask("GET", "/api/export?format=exe").status_code == 400


@pytest.mark.usefixtures("alone")
def test_a_file_of_an_encrypted_memory_says_by_its_name_that_it_is_plain(filled, serve):
    filled.encryption.encrypt()
    with serve() as served:
        names = [
            served.ask("GET", f"/api/export?format={form}").headers["content-disposition"]
            for form in ("json", "zip")
        ]

    assert names == [
        f'attachment; filename="memory-2026-01-29-not-encrypted.{form}"' for form in ("json", "zip")
    ]


@pytest.mark.usefixtures("alone")
def test_a_file_that_would_lack_a_day_is_not_given(filled, serve):
    filled.encryption.encrypt()
    day = Path(filled.workspace.save_root().daily_folder) / "2026-01-28.md"
    day.write_bytes(day.read_bytes()[:-1] + b"x")
    with serve() as served:
        response = served.ask("GET", "/api/export")

    assert error(response) == (500, "damaged_data")
    assert "2026-01-28.md" in response.json()["error"]["message"]


# ---------------------------------------------------------------------------- the table


def closed(schema):
    """Return a schema that refuses fields it does not name."""
    if isinstance(schema, dict):
        more = {"additionalProperties": False} if "properties" in schema else {}
        return {**more, **{name: closed(part) for name, part in schema.items()}}
    return [closed(part) for part in schema] if isinstance(schema, list) else schema


def test_each_answer_is_what_the_table_says(filled, served):
    tag = served.ask("GET", SESSION).headers["etag"]
    asked: dict[str, dict[str, Any]] = {
        "/health": {},
        "/search": {"params": {"q": "token"}},
        "/timeline": {"params": {"observation_id": "2026-01-29/login-bug:2"}},
        "/inject": {"params": {"q": "缓存"}},
        "POST /get_observations": {"json": {"ids": ["2026-01-29/login-bug:3", "2026-01-29#1"]}},
        "/api/days": {},
        "POST /api/sessions": {"json": {"topic": "新的一条", "colour": "red"}},
        f"{SESSION} as /api/sessions/{{session_id:path}}": {},
        f"PUT {SESSION} as /api/sessions/{{session_id:path}}": {
            "json": {"text": "## Session 1\n### Topic\nnew"},
            "headers": {"If-Match": tag},
        },
        f"PATCH {SESSION} as /api/sessions/{{session_id:path}}": {"json": {"important": True}},
        f"DELETE {SESSION} as /api/sessions/{{session_id:path}}": {},
        "POST /api/undo": {"json": {}},
        "/api/search": {"params": {"q": "FastAPI", "explain": "true"}},
        "/api/settings": {},
        "PUT /api/settings/recall.max_chars as /api/settings/{name}": {"json": {"value": 900}},
        "DELETE /api/settings/recall.max_chars as /api/settings/{name}": {},
        "/api/report": {},
        "POST /api/cleanup": {"json": {"action": "dedupe"}},
        "POST /api/summary": {"json": {}},
        "/api/export": {},
    }
    rows = {(route.method, route.path): route for route in FOR_PROGRAMS}

    for line, options in asked.items():
        words, _, row = line.partition(" as ")
        method, path = words.split() if " " in words else ("GET", words)
        route = rows.pop((method, row or path))
        response = served.ask(method, path, **options)
        assert response.status_code in (200, 201), (line, response.text)
        if route.operation:
            jsonschema.validate(response.json(), closed(route.operation.outputs))

    assert rows == {}


def test_openapi_describes_every_route_and_no_other(served):
    document = served.json("GET", "/openapi.json")

    described = {
        (method.upper(), path) for path, rows in document["paths"].items() for method in rows
    }
    assert described == {(route.method, openapi.plain_path(route.path)) for route in FOR_PROGRAMS}
    for route in FOR_PROGRAMS:
        operation = document["paths"][openapi.plain_path(route.path)][route.method.lower()]
        named = {one["name"] for one in operation["parameters"] if one["in"] != "header"}
        body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
        named |= set(body.get("schema", {}).get("properties", {}))
        takes = route.operation.inputs["properties"] if route.operation else {}
        assert named == set(takes) - {"if_match"}
        assert operation["summary"]
        assert bool(operation["security"]) == (route.fixed is None)
        for schema in (*(one["schema"] for one in operation["parameters"]), *body.values()):
            jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize(
    "route", [r for r in ROUTES if r.path.startswith("/api/")], ids=lambda r: f"{r.method}-{r.path}"
)
def test_what_a_route_does_not_know_is_refused(filled, served, route):
    path = openapi.plain_path(route.path).replace("{session_id}", ID)
    path = path.replace("{name}", "recall.max_chars")
    body: dict[str, Any] = {"json": {}} if route.has_body else {}
    headers = {"If-Match": "x"}

    in_query = served.ask(route.method, path, params={"colour": "red"}, headers=headers, **body)

    assert error(in_query) == (400, "invalid_input")
    assert "colour" in in_query.json()["error"]["message"]
    if route.has_body and route.path != "/api/sessions":
        in_body = served.ask(route.method, path, headers=headers, json={"colour": "red"})
        assert error(in_body) == (400, "invalid_input")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/api/search", "query is missing"),
        ("/api/search?q=x&query=y", "query is given twice"),
        ("/api/search?q=x&k=1.5", "limit: input should be a valid integer"),
        ("/api/search?q=x&k=101", "limit: input should be less than or equal to 100"),
        ("/api/search?q=x&since=29.1.2026", "since: '29.1.2026' is not a date"),
        ("/api/search?q=x&explain=maybe", "explain: input should be a valid boolean"),
        ("/api/search?q=x&scope=mine", "scope: input should be '', 'project', 'global' or 'all'"),
        ("/api/search?q=x&method=magic", "method: input should be '', 'keyword', 'semantic' or"),
        ("/api/sessions/nonsense", "id: 'nonsense' is not an id"),
        ("/api/sessions/2026-01-29%2399", "no session 2026-01-29#99"),
        (f"/api/{'x' * 50}", "there is nothing at this path"),
        (f"/api/settings?{'x' * 50}=", f"'{'x' * 40}' is unknown here"),
    ],
)
def test_a_question_that_is_wrong_says_why(filled, served, path, message):
    response = served.ask("GET", path)

    assert response.status_code in (400, 404)
    assert response.json()["error"]["message"].startswith(message)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "the body is not JSON"),
        (b'{"text":', "the body is not JSON"),
        (b"[" * 100_000, "the body is not JSON"),
        (b'{"text": NaN}', "the body is not JSON"),
        (b'"\xff"', "the body is not JSON"),
        (b"[]", "the body is not a JSON object"),
        (b"{}", "text is missing"),
        (b'{"text": null}', "text is missing"),
        (b'{"text": 3}', "text: input should be a valid string"),
        (b'{"text": "x", "private": "yes"}', "private: input should be a valid boolean"),
        (b'{"text": "x", "tags": "a"}', "tags: input should be a valid list"),
        (b'{"text": "x", "tags": [1]}', "tags.0: input should be a valid string"),
        (b'{"text": "x", "kind": "song"}', "kind: input should be 'user'"),
    ],
)
def test_a_body_that_is_wrong_says_why(serve, body, message):
    def note(
        memory: Memory,
        text: str,
        kind: Literal["user", "tool"] = "user",
        tags: list[str] = [],  # noqa: B006
        private: bool = False,
    ) -> None:
        raise AssertionError("refused before")

    headers = {"Content-Type": "application/json"}
    with serve([Route("POST", "/api/note", declare(note))]) as served:
        response = served.ask("POST", "/api/note", content=body, headers=headers)

    assert error(response) == (400, "invalid_input")
    assert response.json()["error"]["message"].startswith(message)


@settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    route=st.sampled_from([route for route in ROUTES if route.method == "GET"]),
    text=st.text(max_size=30),
    data=st.data(),
)
def test_no_question_is_a_fault_of_ours(served, route, text, data):
    takes = route.operation.inputs["properties"] if route.operation else {}
    names = [name for name in takes if route.place(name) == "query"]
    query = data.draw(st.dictionaries(st.sampled_from(names or ["x"]), st.text(max_size=20)))
    path = openapi.plain_path(route.path)
    for name in ("{session_id}", "{conversation}", "{day}", "{name}"):
        path = path.replace(name, quote(text.replace("/", ""), errors="replace") or "x")

    response = served.ask(
        "GET", path, params={k: v.encode("utf-8", "replace") for k, v in query.items()}
    )

    assert response.status_code < 500, response.text


# ---------------------------------------------------------------------------- sessions


@pytest.fixture
def browsed(memory, served):
    """What browsing gives of four days with sessions; the global memory has one of them."""
    for day in ("2026-01-01", "2026-01-05", "2026-01-09"):
        memory.save({"date": day, "topic": f"于 {day}", "tags": ["Redis"]})
    memory.save({"date": "2026-01-07", "topic": "global", "project": "shop"}, scope="global")
    memory.import_sessions([{"date": "2026-01-05", "topic": "theirs", "origin": "import"}])

    def browse(query: str) -> tuple[list[tuple[str, list[str]]], str | None]:
        page = served.json("GET", f"/api/days?{query}")
        days = [(day["date"], [one["topic"] for one in day["sessions"]]) for day in page["days"]]
        return days, page["next"]

    return browse


def test_days_are_browsed_page_by_page(browsed):
    assert browsed("days=2") == (
        [("2026-01-09", ["于 2026-01-09"]), ("2026-01-07", ["global"])],
        "2026-01-07",
    )
    assert browsed("days=2&before=2026-01-07") == (
        [("2026-01-05", ["于 2026-01-05", "theirs"]), ("2026-01-01", ["于 2026-01-01"])],
        None,
    )


def test_pages_are_narrowed(browsed):
    of_shop = [("2026-01-07", ["global"])]

    assert browsed("tag=redis&days=1") == ([("2026-01-09", ["于 2026-01-09"])], "2026-01-09")
    assert browsed("project=shop") == (of_shop, None)
    assert browsed("foreign=true") == ([("2026-01-05", ["theirs"])], None)
    assert browsed("scope=global") == (of_shop, None)
    assert browsed("tag=none") == ([], None)


def test_a_day_that_can_not_be_read_hides_no_other(browsed, monkeypatch):
    read = files.read_bytes

    def refuse(path: str) -> bytes:
        if path.endswith("2026-01-09.md"):
            raise BackendError("can't read it")
        return read(path)

    monkeypatch.setattr(files, "read_bytes", refuse)

    assert browsed("days=1") == ([("2026-01-07", ["global"])], "2026-01-07")


def test_a_session_is_saved_and_may_be_skipped(served):
    saved = served.ask("POST", "/api/sessions", json={"topic": "缓存"})
    messages = [{"role": "user", "content": "不要保存"}] * 4
    skipped = served.ask("POST", "/api/sessions", json={"messages": messages})

    assert (saved.status_code, saved.json()["id"]) == (201, "2026-01-29#1")
    assert (skipped.status_code, skipped.json()["id"]) == (200, None)
    assert skipped.json()["skipped"]


def test_a_session_is_edited_as_text(filled, served):
    read = served.ask("GET", SESSION)
    text = read.json()["text"].replace("300 秒", "600 秒")

    edited = served.ask(
        "PUT", SESSION, json={"text": text}, headers={"If-Match": read.headers["etag"]}
    )

    assert edited.json()["session"]["key_points"] == ["缓存 TTL 定为 600 秒"]
    assert edited.json()["text"] == text
    assert edited.headers["etag"] != read.headers["etag"]
    assert edited.headers["etag"] == served.ask("GET", SESSION).headers["etag"]


def test_what_somebody_wrote_meanwhile_is_not_overwritten(filled, served, day_file):
    tag = served.ask("GET", SESSION).headers["etag"]
    by_hand = day_file().read_text(encoding="utf-8").replace("300 秒", "900 秒")
    day_file(by_hand)

    refused = served.ask(
        "PUT", SESSION, json={"text": "## Session 1\nmine"}, headers={"If-Match": tag}
    )

    assert error(refused) == (412, "changed")
    assert day_file().read_text(encoding="utf-8") == by_hand


def test_an_edit_must_say_what_it_is_an_edit_of(filled, served):
    refused = served.ask("PUT", SESSION, json={"text": "## Session 1\nx"})

    assert error(refused) == (428, "no_tag")


def test_flags_are_set_and_taken_away(filled, served):
    marked = served.json("PATCH", SESSION, json={"important": True, "private": True})
    cleared = served.json("PATCH", SESSION, json={"private": False})

    assert [marked["session"][name] for name in ("important", "private")] == [True, True]
    assert [cleared["session"][name] for name in ("important", "private")] == [True, False]


def test_a_flag_that_is_none_is_refused(filled, served):
    assert error(served.ask("PATCH", SESSION, json={})) == (400, "invalid_input")


def test_a_session_is_deleted(filled, served):
    deleted = served.json("DELETE", SESSION)

    assert [one["topic"] for one in deleted["deleted"]] == ["Redis 缓存方案"]
    assert error(served.ask("GET", SESSION)) == (404, "not_found")

    undone = served.json("POST", "/api/undo", json={"operation": deleted["undo"]})

    assert undone["ids"] == [one["id"] for one in deleted["deleted"]]
    assert served.ask("GET", SESSION).status_code == 200


def test_a_search_is_that_of_the_command(filled, served):
    answer = served.json("GET", "/api/search?q=缓存&k=1&tag=redis&since=2026-01-01&days=9")

    assert [one["id"] for one in answer["results"]] == ["2026-01-29#1"]
    assert "explanation" not in answer["results"][0]


# ---------------------------------------------------------------------------- looking after it


def test_a_setting_is_changed_and_counts_at_once(filled, served):
    changed = served.json("PUT", "/api/settings/retrieval.max_results", json={"value": 1})

    values = {one["name"]: one["value"] for one in changed["settings"]}
    assert values["retrieval.max_results"] == 1
    assert served.json("GET", "/api/search?q=Redis+FastAPI+缓存")["count"] == 1

    back = served.json("DELETE", "/api/settings/retrieval.max_results")
    values = {one["name"]: one["value"] for one in back["settings"]}
    assert values["retrieval.max_results"] == 5


@pytest.mark.parametrize(
    ("name", "value"), [("retrieval.max_results", 1000), ("colour", "red"), ("recall.at_start", 1)]
)
def test_a_setting_that_can_not_be_is_refused(served, name, value):
    refused = served.ask("PUT", f"/api/settings/{name}", json={"value": value})

    assert error(refused) == (400, "invalid_input")


@pytest.mark.parametrize(
    "name", ["storage.encryption", "storage.key_file", "storage.passphrase_command"]
)
def test_what_names_a_program_or_a_key_is_not_changed_from_here(served, name):
    for method in ("PUT", "DELETE"):
        refused = served.ask(method, f"/api/settings/{name}", json={"value": "age"})
        assert error(refused) == (400, "invalid_input")


def test_the_report_counts(filled, served):
    report = served.json("GET", "/api/report")

    assert (report["sessions"], report["observations"]) == (2, 3)
    assert report["tags"] == [{"tag": "fastapi", "sessions": 1}, {"tag": "redis", "sessions": 1}]
    assert report["hosts"] == [{"host": "cursor", "sessions": 1}]
    assert report["projects"] == [{"project": "app", "sessions": 2}]


# ---------------------------------------------------------------------------- what goes wrong


def test_a_lock_that_others_hold_is_told(filled, served, monkeypatch):
    monkeypatch.setattr("daily_memory.storage.fs.lock.WAIT_S", 0.1)
    holds, may_end = threading.Event(), threading.Event()

    def hold():
        with locked(filled.workspace.project_root):
            holds.set()
            may_end.wait(30)

    holder = threading.Thread(target=hold)
    holder.start()
    holds.wait(30)
    busy = served.ask("POST", "/api/sessions", json={"topic": "x"})
    may_end.set()
    holder.join()

    assert error(busy) == (409, "busy")


@pytest.mark.parametrize(
    ("raised", "status", "code"),
    [
        (PermissionError(13, "Permission denied"), 503, "backend"),
        (OSError(), 503, "backend"),
        (ZeroDivisionError("secret text"), 500, "bug"),
    ],
)
def test_no_error_shows_where_it_comes_from(serve, raised, status, code):
    def fail(memory: Memory) -> None:
        raise raised

    with serve([Route("GET", "/api/fail", declare(fail))]) as served:
        response = served.ask("GET", "/api/fail")

    assert error(response) == (status, code)
    assert "secret" not in response.text
    assert "Traceback" not in response.text
    assert served.bugs == ([raised] if code == "bug" else [])


def test_half_a_character_is_no_fault(served):
    body = json.dumps({"topic": "half \ud800 of it"}).encode()

    saved = served.ask(
        "POST", "/api/sessions", content=body, headers={"Content-Type": "application/json"}
    )

    assert saved.status_code == 201


def test_the_archive_is_searched_where_it_is_asked_for(filled, served):
    filled.archive.store(filled.archive.due(before=filled.today()))

    answers = [served.json("GET", f"/api/search?q=Flask{more}") for more in ("", "&archived=true")]

    for answer in answers:  # a search that finds nothing looks there by itself
        (hit,) = answer["results"]
        assert (hit["id"], hit["archived"]) == ("2026-01-28#1", True)
    (route,) = [one for one in ROUTES if (one.method, one.path) == ("GET", "/api/search")]
    assert route.operation
    jsonschema.validate(answers[1], closed(route.operation.outputs))


def test_each_id_that_is_given_is_taken_and_means_that_session(memory, tmp_path, clock, served):
    topics = fill(tmp_path, clock)
    found = served.json("GET", "/api/search", params={"q": "缓存", "scope": "all", "k": 20})

    assert {one["id"]: one["topic"] for one in found["results"]} == {
        scoped(label): topic for label, topic in topics.items()
    }
    for label, topic in topics.items():
        id_ = scoped(label)
        path = f"/api/sessions/{quote(id_, safe='')}"
        read = served.json("GET", path)["session"]
        assert (read["id"], read["topic"]) == (id_, topic)
        assert served.json("PATCH", path, json={"outdated": True})["session"]["id"] == id_
        around = served.json("GET", "/timeline", params={"observation_id": id_})["items"]
        assert around[0]["id"] == id_
        gone = served.json("DELETE", path)["deleted"]
        assert [(one["id"], one["topic"]) for one in gone] == [(id_, topic)]
        assert served.ask("GET", path).status_code == 404


@pytest.mark.parametrize("path", ["/api/search?q=x&", "/api/days?"])
def test_a_project_that_nobody_knows_is_an_error(filled, served, path):
    assert error(served.ask("GET", f"{path}project=nosuch")) == (404, "not_found")
    assert served.ask("GET", f"{path}project=app").status_code == 200


def test_a_time_that_ends_before_it_begins_is_an_error(served):
    backwards = "/api/search?q=x&since=2026-12-01&until=2026-01-01"

    assert error(served.ask("GET", backwards)) == (400, "invalid_input")


def test_what_is_cleaned_up_can_be_undone(filled, served):
    filled.save({"topic": "old", "date": "2025-01-20"})
    for action, ids in (("delete", ["2025-01-20#1"]), ("archive", [])):
        done = served.json("POST", "/api/cleanup", json={"action": action, "ids": ids})

        assert "2025-01-20#1" not in [found.id for found in filled.sessions()]
        served.json("POST", "/api/undo", json={"operation": done["undo"]})
        assert "2025-01-20#1" in [found.id for found in filled.sessions()]


def test_an_error_is_told_in_the_language_of_the_reader(served):
    def told(path, language):
        return served.ask("GET", path, headers={"Accept-Language": language})

    english = told("/api/sessions/2026-09-09%231", "en").json()["error"]
    chinese = told("/api/sessions/2026-09-09%231", "zh-CN,zh;q=0.9").json()["error"]

    assert english["message"] == "no session 2026-09-09#1"
    assert chinese["message"] == "没有会话 2026-09-09#1"
    assert chinese["hint"] == "运行 `memory show 2026-09-09` 查看那天的会话"
    assert chinese["code"] == english["code"]
    assert "没有会话 2026-09-09#1" in told("/session/2026-09-09%231", "zh").text
    assert "day: &#x27;x&#x27; 不是 2026-01-29 这样的日期" in told("/day/x", "zh").text
