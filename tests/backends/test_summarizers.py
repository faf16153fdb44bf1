"""The back ends against servers that speak each protocol, well and badly."""

from __future__ import annotations

import json
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import date
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from daily_memory.core.settings import DEFAULTS, Settings
from daily_memory.installation import install_command
from daily_memory.model import Session
from daily_memory.services.writing import llm_digest
from daily_memory.services.writing.llm_digest import Spent, summarize
from daily_memory.storage import roots
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.roots import Root
from tests.backends.model_server import (
    ANSWERS,
    ENGLISH,
    SUMMARY,
    ModelServer,
    anthropic_answer,
    model_server,
    ollama_answer,
    openai_answer,
)
from tests.conftest import NOW

TEXT = """\
[user]
为什么报表接口这么慢？

[assistant]
原因是每次都查询全表。决定给报表接口加 Redis 缓存。TTL 定为 300 秒，因为报表每 5 分钟刷新。

[user]
好，下一步加监控。
"""
ENGLISH_TEXT = """\
[user]
Why is the report endpoint so slow?

[assistant]
Every request scans the whole orders table. I added a Redis cache with TTL 300 s.

[user]
Not sure whether 300 s is too long. Next, add a metric for the hit rate in src/cache/report.py.
"""
DRAFT = Session(
    date(2026, 1, 29), topic="为什么慢", key_points=("TTL 300 秒",), decisions=("缓存",)
)
KEY = "sk-test-0123456789-never-to-be-seen"
KEYS = {"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY}
GOOD = json.dumps(SUMMARY, ensure_ascii=False)
EVERY = pytest.mark.parametrize("name", ["anthropic", "openai", "ollama"])


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as server:
        yield server


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return roots.project_root(str(tmp_path))


def switched_on(name: str, url: str, **values: object) -> Settings:
    recording = DEFAULTS.recording._replace(
        summarizer=name, summarizer_model="a-model", summarizer_url=url, summarizer_timeout_s=20.0
    )
    return DEFAULTS._replace(recording=recording._replace(**values))  # type: ignore[arg-type]


def spent(root: Root) -> Spent:
    return llm_digest.load_spent(root, NOW.date())


def improved(
    root: Root,
    settings: Settings,
    text: str = TEXT,
    environment: dict[str, str] | None = None,
    draft: Session = DRAFT,
) -> tuple[Session, tuple[str, ...]]:
    keys = KEYS if environment is None else environment
    made, warnings = summarize(draft, text, settings, keys, root, NOW)
    assert KEY not in str(warnings)
    return made, warnings


def reason(root: Root, settings: Settings, environment: dict[str, str] | None = None) -> str:
    """Return why the heuristic digest stands."""
    made, warnings = improved(root, settings, environment=environment)
    assert made == DRAFT
    assert len(warnings) == 1
    start = f"digested without {settings.recording.summarizer}: "
    assert warnings[0].startswith(start)
    return warnings[0].removeprefix(start)


# ---------------------------------------------------------------------------- it answers


@EVERY
def test_a_model_gives_all_parts_of_a_digest(server, root, name):
    server.say(ANSWERS[name](GOOD))

    made, warnings = improved(root, switched_on(name, server.url))

    assert warnings == ()
    assert made == DRAFT._replace(
        topic=SUMMARY["topic"],
        summary=SUMMARY["goal"],
        key_points=tuple(SUMMARY["done"]),
        decisions=tuple(SUMMARY["decisions"]),
        next_steps=tuple(SUMMARY["next"]),
    )
    assert spent(root) == Spent(1, 1000)


@EVERY
def test_an_english_conversation_is_digested_in_english(server, root, name):
    server.say(ANSWERS[name](json.dumps(ENGLISH)))
    draft = Session(date(2026, 1, 29), topic="Why is it slow", key_points=("TTL 300 s",))

    made, warnings = improved(root, switched_on(name, server.url), ENGLISH_TEXT, draft=draft)

    assert warnings == ()
    assert made.open_questions == tuple(ENGLISH["open"])


def test_anthropic_is_asked_in_its_form(server, root):
    server.say(anthropic_answer(GOOD))

    improved(root, switched_on("anthropic", f"{server.url}/"))

    path, headers, body = server.requests[0]
    assert path == "/v1/messages"
    assert (headers["x-api-key"], headers["anthropic-version"]) == (KEY, "2023-06-01")
    assert body["model"] == "a-model"
    assert body["output_config"]["format"]["type"] == "json_schema"
    assert "TTL 定为 300 秒" in body["messages"][0]["content"]
    assert "300" not in body["system"]


def test_an_openai_compatible_server_is_asked_in_its_form(server, root):
    server.say(openai_answer(GOOD))

    improved(root, switched_on("openai", f"{server.url}/v1"))

    path, headers, body = server.requests[0]
    assert path == "/v1/chat/completions"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert body["response_format"]["json_schema"]["strict"] is True
    assert "max_completion_tokens" not in body


def test_ollama_is_asked_in_its_form_with_room_for_all_of_it(server, root):
    server.say(ollama_answer(GOOD))

    improved(root, switched_on("ollama", server.url), TEXT + "一行文字\n" * 2600)

    path, headers, body = server.requests[-1]
    assert path == "/api/chat"
    assert "authorization" not in headers
    assert body["stream"] is False
    assert body["format"]["required"] == ["topic", "goal", "done", "decisions", "open", "next"]
    assert body["options"]["num_ctx"] >= 16_000


def test_a_server_of_ones_own_needs_no_key(server, root):
    server.say(openai_answer(GOOD))

    _, warnings = improved(root, switched_on("openai", server.url), environment={})

    assert warnings == ()
    assert "authorization" not in server.requests[0].headers


@EVERY
@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_knows_no_schema_is_asked_for_any_json(server, root, name, status):
    server.say({"error": {"message": "This response_format type is unavailable now"}}, status)
    server.say(ANSWERS[name](GOOD))

    made, warnings = improved(root, switched_on(name, server.url))

    assert (made.summary, warnings) == (SUMMARY["goal"], ())
    assert json.dumps(server.requests[0].body).count("additionalProperties") == 1
    assert "additionalProperties" not in json.dumps(server.requests[1].body)
    assert spent(root) == Spent(2, 1000)


@pytest.mark.parametrize(
    "text", [f"```json\n{GOOD}\n```", f"```\n{GOOD}\n```", f"<think>嗯\n…</think>\n\n{GOOD}\n"]
)
def test_thoughts_and_a_fence_around_the_answer_do_not_matter(server, root, text):
    server.say(openai_answer(text))

    assert improved(root, switched_on("openai", server.url))[1] == ()


def test_a_connection_that_breaks_is_tried_once_more(server, root):
    server.act(lambda handler: handler.connection.shutdown(socket.SHUT_RDWR))
    server.say(openai_answer(GOOD))

    made, warnings = improved(root, switched_on("openai", server.url))

    assert (made.summary, warnings) == (SUMMARY["goal"], ())
    assert spent(root).calls == 2


def test_a_statement_that_is_made_up_is_left_out(server, root):
    made_up = {**SUMMARY, "done": [*SUMMARY["done"], "TTL 改为 600 秒"]}
    server.say(openai_answer(json.dumps(made_up)))

    made, warnings = improved(root, switched_on("openai", server.url))

    assert made.key_points == tuple(SUMMARY["done"])
    assert warnings == ("1 statement of openai left out: not said in the conversation",)


LONG_TEXT = "\n\n".join(
    f"[user]\n第 {n} 步怎么做？\n\n[assistant]\n第 {n} 步用 tool{n}.py。\n{'细节说明。' * 1500}"
    for n in range(1, 5)
)


def of_step(number: int) -> str:
    return json.dumps(
        {
            "topic": f"第 {number} 步",
            "goal": f"用户问第 {number} 步怎么做",
            "done": [f"第 {number} 步用 tool{number}.py"],
            "decisions": [],
            "open": [],
            "next": [],
        },
        ensure_ascii=False,
    )


@EVERY
def test_a_long_conversation_goes_in_parts_which_the_model_then_joins(server, root, name):
    for number in range(1, 5):
        server.say(ANSWERS[name](of_step(number)))
    whole = {
        **json.loads(of_step(4)),
        "done": ["第 1 步用 tool1.py", "第 4 步用 tool4.py", "第 5 步"],
    }
    server.say(ANSWERS[name](json.dumps(whole, ensure_ascii=False)))

    made, warnings = improved(root, switched_on(name, server.url), LONG_TEXT)

    sent = [json.dumps(request.body, ensure_ascii=False) for request in server.requests]
    assert [text.count("tool1.py") for text in sent] == [1, 0, 0, 0, 1]
    assert "part 2 of 4" in sent[1]
    assert "细节" not in sent[4]
    assert made.key_points == ("第 1 步用 tool1.py", "第 4 步用 tool4.py")
    assert warnings == (f"1 statement of {name} left out: not said in the conversation",)
    assert spent(root).calls == 5


def test_parts_that_the_model_does_not_join_are_joined_without_it(server, root):
    for number in range(1, 5):
        server.say(openai_answer(of_step(number)))
    server.say("busy", 503)

    made, warnings = improved(root, switched_on("openai", server.url), LONG_TEXT)

    assert made.key_points == tuple(f"第 {n} 步用 tool{n}.py" for n in (4, 3, 2, 1))
    assert "openai did not join the parts" in warnings[0]


def test_a_part_that_fails_leaves_the_heuristic_digest(server, root):
    server.say(openai_answer(of_step(1)))
    server.say("busy", 503)

    made, warnings = improved(root, switched_on("openai", server.url), LONG_TEXT)

    assert made == DRAFT
    assert "digested without openai" in warnings[0]


def test_a_server_that_counts_nothing_is_counted_by_the_estimate(server, root):
    server.say({**openai_answer(GOOD), "usage": {"total_tokens": "many"}})

    improved(root, switched_on("openai", server.url))

    assert 4_000 < spent(root).tokens < 6_000


# ---------------------------------------------------------------------------- it does not


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("anthropic", anthropic_answer("", stop_reason="refusal", content=[])),
        ("openai", openai_answer("", finish="content_filter")),
        ("openai", {**openai_answer("", refusal="I can't help with that", content=None)}),
    ],
)
def test_a_refusal_leaves_the_heuristic_digest(server, root, name, answer):
    server.say(answer)

    assert reason(root, switched_on(name, server.url)) == "the model refuses to answer"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("anthropic", anthropic_answer(GOOD[:40], stop_reason="max_tokens")),
        ("openai", openai_answer(GOOD[:40], finish="length")),
        ("ollama", ollama_answer(GOOD[:40], done_reason="length")),
    ],
)
def test_an_answer_that_was_cut_off_is_not_used(server, root, name, answer):
    server.say(answer)

    assert reason(root, switched_on(name, server.url)) == "the answer was cut off"


def changed(**parts: object) -> str:
    return json.dumps({**SUMMARY, **parts})


@EVERY
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("对不起，我帮不了你。", "the answer is not a JSON object"),
        (GOOD[:-20], "the answer is not a JSON object"),
        ("", "the answer is not a JSON object"),
        ("[" * 100_000, "the answer is not a JSON object"),
        ("[]", "the answer is not a JSON object"),
        (
            '{"topic": "x"}',
            "the answer has other parts than topic, goal, done, decisions, open, next",
        ),
        (
            changed(extra=1),
            "the answer has other parts than topic, goal, done, decisions, open, next",
        ),
        (changed(topic=5), "the answer has no text of at most 120 characters in 'topic'"),
        (changed(done="text"), "the answer has no usable list 'done'"),
        (changed(open=[None]), "the answer has no text of at most 400 characters in 'open'"),
        (changed(next=["x"] * 51), "the answer has no usable list 'next'"),
        (
            changed(goal="很长" * 201),
            "the answer has no text of at most 400 characters in 'goal'",
        ),
        (changed(goal="", done=[], decisions=[], next=[]), "the answer says nothing"),
        (
            json.dumps(ENGLISH),
            "the answer is in another language than the conversation",
        ),
        (
            changed(done=["改用 Memcached", "TTL 定为 900 秒", "部署到 prod-7"], topic="Kafka"),
            "4 of its 7 statements name what the conversation does not",
        ),
    ],
)
def test_nonsense_leaves_the_heuristic_digest(server, root, name, text, why):
    server.say(ANSWERS[name](text))

    assert reason(root, switched_on(name, server.url)) == why


@EVERY
@pytest.mark.parametrize(
    "data", [{}, {"choices": [], "content": 5}, {"choices": {}, "message": []}, {"content": {}}]
)
def test_an_answer_of_another_form_is_told_as_such(server, root, name, data):
    server.say(data)

    host = server.url.removeprefix("http://")
    assert reason(root, switched_on(name, server.url)) == (
        f"{host} answers in another form than expected"
    )


@EVERY
@pytest.mark.parametrize(
    ("status", "headers", "why"),
    [
        (429, {"retry_after": "30"}, "has had too many requests, and asks to wait 30 s"),
        (429, {"retry_after": f"30 {KEY}"}, "has had too many requests"),
        (401, {}, "refuses the key"),
        (403, {}, "refuses the key"),
        (404, {}, "has no such address or model"),
        (400, {}, "refuses the request"),
        (500, {}, "has a fault"),
        (529, {}, "has a fault"),
    ],
)
def test_an_error_of_the_server_leaves_the_heuristic_digest(
    server, root, name, status, headers, why
):
    server.say({"error": {"message": f"your key {KEY}"}}, status, **headers)

    host = server.url.removeprefix("http://")
    assert reason(root, switched_on(name, server.url)) == f"{host} {why} (status {status})"
    assert len(server.requests) == 1
    assert spent(root).calls == 1
    assert (spent(root).tokens == 0) is (status < 500)


def test_a_redirection_is_not_followed_with_the_key(server, root):
    with model_server() as other:
        other.say(openai_answer(GOOD))
        server.say("", 307, location=f"{other.url}/chat/completions")

        why = reason(root, switched_on("openai", server.url))

        assert "redirects elsewhere, which is not followed (status 307)" in why
        assert other.requests == []


@pytest.mark.parametrize(
    ("media_type", "shown"),
    [("text/html; charset=utf-8", "text/html"), ("", "something"), (KEY, "something")],
)
def test_a_page_is_no_answer(server, root, media_type, shown):
    server.say("<html>", content_type=media_type)

    assert reason(root, switched_on("openai", server.url)).endswith(
        f"answers with {shown} instead of JSON"
    )


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe{", b"[" * 200_000, b"1" * 5000])
def test_broken_json_is_no_answer(server, root, body):
    server.say(body)

    assert reason(root, switched_on("openai", server.url)).endswith("answers with broken JSON")


def test_json_that_is_no_object_is_no_answer(server, root):
    server.say([])

    assert reason(root, switched_on("openai", server.url)).endswith("another form than expected")


def test_an_answer_without_end_is_not_read_to_its_end(server, root):
    sent = []

    def flood(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(100_000_000))
        handler.end_headers()
        for _ in range(1000):
            handler.wfile.write(b" " * 100_000)
            sent.append(100_000)

    server.act(flood)

    assert reason(root, switched_on("openai", server.url)).endswith(
        "answers with more than 8000000 bytes"
    )
    assert sum(sent) < 100_000_000


def test_a_packed_answer_is_not_unpacked(server, root):
    server.say(b"\x1f\x8b", content_encoding="gzip")

    assert "compresses its answer" in reason(root, switched_on("openai", server.url))


def test_a_server_that_says_nothing_is_waited_for_as_long_as_is_set(server, root):
    server.act(server.keep_waiting)
    settings = switched_on("openai", server.url, summarizer_timeout_s=0.3)

    assert "gave no answer within 0.3 s (recording.summarizer_timeout_s)" in reason(root, settings)
    assert len(server.requests) == 1
    assert spent(root).tokens > 4_000


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\nx: ", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_a_server_that_never_comes_to_an_end_is_not_waited_for(server, root, head):
    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(head)
        while not server.over.wait(0.02):
            handler.wfile.write(b" ")

    server.act(drip)
    settings = switched_on("openai", server.url, summarizer_timeout_s=0.5)

    assert "gave no answer within 0.5 s" in reason(root, settings)


def test_the_second_attempt_has_the_time_that_the_first_one_left(server, root):
    server.act(lambda handler: handler.connection.shutdown(socket.SHUT_RDWR))
    server.act(server.keep_waiting)
    settings = switched_on("openai", server.url, summarizer_timeout_s=1.0)

    assert "gave no answer within 0." in reason(root, settings)


def test_nobody_there_is_asked_twice_and_costs_nothing(root):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"

        assert reason(root, switched_on("ollama", url)) == f"can't connect to {url[7:]}"

    assert spent(root) == Spent(2, 0)


def test_a_server_without_tls_is_no_secure_one(server, root):
    url = server.url.replace("http:", "https:")

    assert "no secure connection" in reason(root, switched_on("openai", url))
    assert spent(root) == Spent(1, 0)


@pytest.mark.needs("openssl")
def test_a_certificate_that_nobody_signed_is_not_trusted(tmp_path, root):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        f"openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=127.0.0.1 -days 2"
        f" -keyout {key} -out {certificate}".split(),
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    received = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            plain, _ = listener.accept()
            try:
                with context.wrap_socket(plain, server_side=True) as secure:
                    received.append(secure.recv(10_000))
            except OSError:
                plain.close()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        url = f"https://127.0.0.1:{listener.getsockname()[1]}"

        assert "no secure connection" in reason(root, switched_on("openai", url))
        thread.join()

    assert KEY.encode() not in b"".join(received)


# ---------------------------------------------------------------------------- it is not asked


@pytest.mark.parametrize(
    ("name", "environment", "why"),
    [
        ("anthropic", {}, "ANTHROPIC_API_KEY is not set"),
        ("openai", {"OPENAI_API_KEY": "  "}, "OPENAI_API_KEY is not set"),
        ("openai", {"OPENAI_API_KEY": f"{KEY}\nx: y"}, "OPENAI_API_KEY has characters that no"),
        ("anthropic", {"ANTHROPIC_API_KEY": f"{KEY}密"}, "ANTHROPIC_API_KEY has characters that"),
    ],
)
def test_without_a_usable_key_nothing_is_sent(root, name, environment, why):
    assert reason(root, switched_on(name, ""), environment).startswith(why)
    assert spent(root) == Spent()


def test_without_a_model_nothing_is_sent(root):
    settings = switched_on("ollama", "", summarizer_model="")

    assert reason(root, settings) == "no model is named (set recording.summarizer_model)"


def test_without_the_library_nothing_is_sent(root, monkeypatch):
    # What an import finds where the extra is not installed.
    monkeypatch.setitem(sys.modules, "httpx2", None)

    assert reason(root, switched_on("ollama", "")) == (
        f"httpx2 is not installed ({install_command('llm')})"
    )


def test_openai_itself_is_asked_by_the_newer_name_of_the_limit(server, root, monkeypatch):
    server.say({}, 502)
    monkeypatch.setenv("HTTP_PROXY", server.url)
    # The proxy on this machine answers in its place: nothing leaves it.
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)

    reason(root, switched_on("openai", "http://api.openai.com"))

    assert server.requests[0].path == "http://api.openai.com/chat/completions"
    assert "max_completion_tokens" in server.requests[0].body


def test_on_this_machine_no_proxy_sees_what_is_sent(server, root, monkeypatch):
    with model_server() as proxy:
        proxy.say({}, 502)
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        server.say(ollama_answer(GOOD))

        assert improved(root, switched_on("ollama", server.url))[1] == ()
        assert proxy.requests == []


def test_a_proxy_that_can_not_be_used_is_told(root, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "nonsense://127.0.0.1:1")

    assert "can't be reached" in reason(root, switched_on("openai", "http://model.invalid"))


# ---------------------------------------------------------------------------- the cap


def test_the_requests_of_a_day_are_capped(server, root):
    server.say(openai_answer(GOOD))
    settings = switched_on("openai", server.url, summarizer_daily_calls=1)

    assert improved(root, settings)[1] == ()
    assert reason(root, settings) == (
        "the cap of 1 request a day is reached (recording.summarizer_daily_calls)"
    )
    assert len(server.requests) == 1


def test_the_tokens_of_a_day_are_capped_before_they_are_used(server, root):
    server.say(openai_answer(GOOD))
    settings = switched_on("openai", server.url, summarizer_daily_tokens=4_000)

    assert "more tokens would exceed the cap of 4000 a day, of which 0 are used" in reason(
        root, settings
    )
    assert server.requests == []


def test_a_cap_that_can_not_be_noted_is_none(server, root):
    Path(root.path).mkdir(parents=True)
    Path(root.index_folder).write_text("in the way", encoding="utf-8")

    assert "can't" in reason(root, switched_on("openai", server.url))
    assert server.requests == []


def test_a_note_that_fails_afterwards_does_not_lose_the_answer(server, root):
    def spoil(handler: BaseHTTPRequestHandler) -> None:
        note = Path(root.index_folder) / "summarizer.json"
        note.unlink()
        note.mkdir()
        server.say(openai_answer(GOOD))
        server.answers[-1](handler)

    server.act(spoil)

    made, warnings = improved(root, switched_on("openai", server.url))

    assert (made.summary, warnings) == (SUMMARY["goal"], ())


def test_while_another_writes_the_model_is_not_asked(server, root, monkeypatch):
    monkeypatch.setattr(llm_digest, "WAIT_S", 0.1)
    with locked(root):
        assert "another process has held the lock" in reason(
            root, switched_on("openai", server.url)
        )

    assert server.requests == []
