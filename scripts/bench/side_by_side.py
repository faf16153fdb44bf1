"""The same calls to trae-mem and to us: are all its fields in our answers, and are its faults gone?

    python scripts/bench/side_by_side.py --trae-mem CHECKOUT [--memory COMMAND]

CHECKOUT is a checkout of https://github.com/rong5690001/trae-mem; none of its code is here. Both
run as their users run them, in a temporary folder: over MCP `python -m trae_mem.mcp_server` and
`memory mcp --names trae-mem`, over HTTP `python -m trae_mem.cli serve` and `memory serve`. Prints
two Markdown tables, and ends with 1 where a field is missing, has another type, or a fault is ours.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import shlex
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

Answer = Mapping[str, Any]
ANSWER_S = 20.0
SILENCE_S = 3.0
SECRET = "sk-SECRET-123456"


class Side(NamedTuple):
    """One of the two programs: how to start its MCP server, HTTP server and hook, and where."""

    name: str
    mcp: list[str]
    serve: list[str]
    hook: list[str]
    environment: dict[str, str]
    project: Path


# ---------------------------------------------------------------------------- MCP


class Mcp:
    """A client of an MCP server on stdio, no better than it must be."""

    def __init__(self, side: Side) -> None:
        self._process = subprocess.Popen(
            side.mcp,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=side.environment,
            cwd=side.project,
        )
        self._number = 0
        self._buffer = b""
        self.hello = self.request(
            "initialize",
            {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "side-by-side", "version": "1"},
            },
        )
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message: object) -> None:
        """Send a message, or raw text."""
        text = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
        assert self._process.stdin is not None
        self._process.stdin.write(text.encode() + b"\n")
        self._process.stdin.flush()

    def receive(self, wait_s: float = ANSWER_S) -> Answer | None:
        """Return the next message, None where none comes in time or the server is gone."""
        assert self._process.stdout is not None
        end = time.monotonic() + wait_s
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([self._process.stdout], [], [], end - time.monotonic())
            data = os.read(self._process.stdout.fileno(), 65536) if ready else b""
            if not data:
                return None
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        message: Answer = json.loads(line)
        return message

    def request(self, method: str, params: object | None = None) -> Answer:
        """Return the answer to a request; {} where none comes."""
        self._number += 1
        try:
            self.send(
                {
                    "jsonrpc": "2.0",
                    "id": self._number,
                    "method": method,
                    **({} if params is None else {"params": params}),
                }
            )
        except BrokenPipeError:
            return {}
        while message := self.receive():
            if message.get("id") == self._number:
                return message
        return {}

    def call(self, tool: str, **arguments: object) -> Answer:
        """Return the result of a tool."""
        answer = self.request("tools/call", {"name": f"trae_mem_{tool}", "arguments": arguments})
        result: Answer = answer.get("result", {})
        return result

    def told(self, tool: str, **arguments: object) -> Any:
        """Return the one value that a tool tells, None where it tells none."""
        return next(iter(self.call(tool, **arguments).get("structuredContent", {}).values()), None)

    def close(self) -> None:
        """End the server."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it may have ended by itself
            self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()


@contextmanager
def talking(side: Side) -> Iterator[Mcp]:
    """Yield a client of a server that runs as long."""
    client = Mcp(side)
    try:
        yield client
    finally:
        client.close()


def hook_events(project: Path, session: str = "s1") -> list[tuple[str, dict[str, object]]]:
    """Return the six events, each with what trae-mem reads of it."""
    base: dict[str, object] = {"session_id": session, "cwd": str(project)}
    tool = {"tool_name": "RunCommand", "tool_input": {"command": "pytest -q"}}
    return [
        ("SessionStart", {**base, "source": "startup"}),
        ("UserPromptSubmit", {**base, "prompt": "播放器预加载策略怎么优化？"}),
        ("PreToolUse", {**base, **tool}),
        ("PostToolUse", {**base, **tool, "tool_response": {"stdout": "3 passed"}}),
        ("Stop", {**base, "reason": "done"}),
        ("SessionEnd", {**base, "reason": "exit"}),
    ]


def mcp_answers(side: Side) -> dict[str, object]:
    """Return the answer of each tool to the same calls, by what was called."""
    found: dict[str, object] = {}
    with talking(side) as client:
        found["initialize"] = client.hello["result"]
        tools = client.request("tools/list")["result"]["tools"]
        found["tools/list"] = {
            tool["name"]: {name: schema.get("type") for name, schema in inputs(tool).items()}
            for tool in tools
        }
        started = client.call("start_session", project=str(side.project), meta={"source": "bench"})
        found["start_session"] = started
        session = started["structuredContent"]["session_id"]
        logged = [
            client.call("log", session=session, kind=kind, text=text, **more)
            for kind, text, more in (
                ("user", "Redis 缓存的 TTL 定多少秒？", {}),
                ("tool", "$ redis-cli ttl cart", {"tool_name": "shell"}),
                ("decision", "缓存 TTL 定为 300 秒", {"tags": {"redis": True, "area": "缓存"}}),
                ("note", "the pool has 20 connections", {}),
                ("error", "TimeoutError in cart.py", {}),
            )
        ]
        found["log"] = logged
        ids = [one["structuredContent"]["observation_id"] for one in logged]
        found["search"] = client.call("search", query="TTL", limit=5)
        found["timeline"] = client.call("timeline", observation_id=ids[0], window=10)
        found["get_observations"] = client.call("get_observations", ids=ids)
        found["inject"] = client.call("inject", query="TTL", limit=3, project=str(side.project))
        found["end_session"] = client.call("end_session", session=session)
        for event, payload in hook_events(side.project):
            found[f"hook_event {event}"] = client.call("hook_event", event=event, payload=payload)
        found["search, nothing found"] = client.call("search", query="zzzzqqqq")
    return found


def inputs(tool: Answer) -> Mapping[str, Any]:
    """Return the parameters of a tool."""
    properties: Mapping[str, Any] = tool["inputSchema"]["properties"]
    return properties


# ---------------------------------------------------------------------------- HTTP


class Http(NamedTuple):
    """A server that runs: its port, and what a client has to send with each request."""

    port: int
    headers: dict[str, str]

    def get(self, path: str, headers: Mapping[str, str] | None = None, **query: object) -> Answer:
        """Return `{status, body}` of a GET; status 0 where the connection was closed."""
        return self.ask(f"{path}?{urlencode(query)}", headers=headers)

    def ask(
        self,
        path: str,
        body: object | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Return `{status, body}` of a request, a POST where there is a body."""
        sent = {**self.headers, "Content-Type": "application/json"}
        if headers is not None:
            sent = {**headers}
        data = None if body is None else json.dumps(body).encode()
        url = f"http://127.0.0.1:{self.port}{path}"
        request = urllib.request.Request(url, data, sent)
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_S) as answer:
                return {"status": answer.status, "body": json.load(answer)}
        except urllib.error.HTTPError as error:
            with error:
                return {"status": error.code, "body": json.loads(error.read() or b"null")}
        except (OSError, ValueError):
            return {"status": 0, "body": None}


@contextmanager
def serving(side: Side) -> Iterator[Http]:
    """Yield a server that runs as long."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [*side.serve, "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=side.environment,
        cwd=side.project,
        text=True,
    )
    try:
        headers = {}
        if side.name == "ours":
            assert process.stdout is not None
            token = process.stdout.readline().partition("#token=")[2].strip()
            headers = {"Authorization": f"Bearer {token}"}
        server = Http(port, headers)
        while server.get("/health")["status"] != 200:
            time.sleep(0.05)
        yield server
    finally:
        process.terminate()
        process.wait(10)


def http_answers(side: Side) -> dict[str, object]:
    """Return the answer of each route; what is in the memory came over MCP."""
    with serving(side) as server:
        found = {
            "GET /health": server.get("/health"),
            "GET /search": server.get("/search", q="TTL", limit=5),
        }
        body = found["GET /search"]["body"]
        ids = [row["id"] for row in body["results"] if row["kind"] != "session"]
        found["GET /timeline"] = server.get("/timeline", observation_id=ids[0], window=10)
        found["GET /inject"] = server.get("/inject", q="TTL", limit=3, project=str(side.project))
        found["POST /get_observations"] = server.ask("/get_observations", {"ids": ids})
        found["POST /get_observations, no list"] = server.ask("/get_observations", {"ids": "x"})
        found["GET /nowhere"] = server.get("/nowhere")
        found["GET /timeline, no such id"] = server.get("/timeline", observation_id="gone")
    return dict(found)


# ---------------------------------------------------------------------------- fields


def shape(value: object, path: str = "") -> dict[str, set[str]]:
    """Return the type of each field, by its path; the items of a list are one."""
    if isinstance(value, Mapping):
        return merged(
            [{path or ".": {"object"}}] + [shape(v, f"{path}.{k}") for k, v in value.items()]
        )
    if isinstance(value, list):
        return merged([{path or ".": {"array"}}] + [shape(item, f"{path}[]") for item in value])
    name = {bool: "boolean", int: "number", float: "number", str: "string"}.get(type(value), "null")
    return {path or ".": {name}}


def merged(shapes: list[dict[str, set[str]]]) -> dict[str, set[str]]:
    """Return all fields of several values."""
    together: dict[str, set[str]] = {}
    for one in shapes:
        for path, types in one.items():
            together.setdefault(path, set()).update(types)
    return together


def differences(theirs: object, ours: object) -> list[str]:
    """Return what a client of trae-mem would miss in our answer."""
    given, wanted = shape(ours), shape(theirs)
    missing = [f"{path} is missing" for path in wanted if path not in given]
    other = [
        f"{path} is {'/'.join(sorted(given[path]))}, not {'/'.join(sorted(types))}"
        for path, types in wanted.items()
        if path in given and not given[path] & types
    ]
    return missing + other


# ---------------------------------------------------------------------------- faults


def ends_at_a_wrong_event(side: Side) -> bool:
    with talking(side) as client:
        client.call("hook_event", event="NoSuchEvent", payload={})
        return not client.request("tools/list")


def answers_a_notification(side: Side) -> bool:
    with talking(side) as client:
        client.send({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"})
        return client.receive(SILENCE_S) is not None


def does_not_answer_ping(side: Side) -> bool:
    with talking(side) as client:
        return "result" not in client.request("ping")


def is_silent_at_what_is_no_json(side: Side) -> bool:
    with talking(side) as client:
        client.send("{no json")
        answer = client.receive(SILENCE_S)
        return answer is None or ("error" not in answer and answer.get("method") is None)


def agrees_to_any_version(side: Side) -> bool:
    with talking(side) as client:
        answer = client.request(
            "initialize",
            {
                "protocolVersion": "1999-01-01",
                "capabilities": {},
                "clientInfo": {"name": "x", "version": "1"},
            },
        )
        return bool(answer.get("result", {}).get("protocolVersion") == "1999-01-01")


def stores_private_input_of_a_tool(side: Side) -> bool:
    with talking(side) as client:
        base = {"session_id": "private", "cwd": str(side.project)}
        command = {"command": f"echo <private>{SECRET}</private>"}
        client.call(
            "hook_event",
            event="PostToolUse",
            payload={**base, "tool_name": "Bash", "tool_input": command, "tool_response": "ok"},
        )
        # A snippet may have marks within the word.
        found = [hit["id"] for hit in client.told("search", query="SECRET", limit=100) or []]
        return SECRET in json.dumps(client.call("get_observations", ids=found))


def stores_what_an_open_tag_hides(side: Side) -> bool:
    with talking(side) as client:
        session = client.told("start_session", project=str(side.project))
        name = client.told("log", session=session, kind="note", text=f"<private>my {SECRET}")
        return SECRET in json.dumps(client.call("get_observations", ids=[name]))


def stores_secrets(side: Side) -> bool:
    with talking(side) as client:
        session = client.told("start_session", project=str(side.project))
        text = "export GITHUB_TOKEN=ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
        name = client.told("log", session=session, kind="note", text=text)
        return "ghp_A1b2" in json.dumps(client.call("get_observations", ids=[name]))


def forgets_answers(side: Side) -> bool:
    with talking(side) as client:
        base = {"session_id": "answers", "cwd": str(side.project)}
        client.call("hook_event", event="UserPromptSubmit", payload={**base, "prompt": "why slow?"})
        said = {"last_assistant_message": "The orders page makes a quinquagesimal query."}
        client.call("hook_event", event="Stop", payload={**base, **said})
        return not client.told("search", query="quinquagesimal")


def mixes_sessions_without_an_id(side: Side) -> bool:
    with talking(side) as client:
        found = []
        for word in ("aardvark", "wombat"):
            payload = {"cwd": str(side.project), "prompt": f"about the {word}"}
            client.call("hook_event", event="UserPromptSubmit", payload=payload)
            client.call("hook_event", event="SessionEnd", payload={"cwd": str(side.project)})
            hits = client.told("search", query=word) or []
            found += [hit["session_id"] for hit in hits if hit["kind"] == "user"]
        return len(found) == 2 and len(set(found)) == 1


def tells_of_other_projects(side: Side) -> bool:
    other = side.project.parent / "other"
    (other / ".git").mkdir(parents=True, exist_ok=True)
    elsewhere = side._replace(
        project=other, environment={**side.environment, "MEMORY_PROJECT": str(other)}
    )
    with talking(elsewhere) as client:
        session = client.told("start_session", project=str(other))
        client.call(
            "log", session=session, kind="note", text="the xylophone belongs to the other one"
        )
    with talking(side) as client:
        return "xylophone belongs" in str(
            client.told("inject", query="xylophone", project=str(side.project))
        )


def tells_nothing_by_itself(side: Side) -> bool:
    event = {
        "session_id": "told",
        "cwd": str(side.project),
        "prompt": "Redis 缓存的 TTL 定多少秒？",
        "hook_event_name": "UserPromptSubmit",
    }
    return "TTL" not in run_hook(side, "UserPromptSubmit", event)


def loses_sessions_that_begin_at_once(side: Side) -> bool:
    count = 12
    running = [
        subprocess.Popen(
            [*side.hook, *(["UserPromptSubmit"])],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=side.environment,
            cwd=side.project,
        )
        for _ in range(count)
    ]
    for number, process in enumerate(running):
        event = {
            "session_id": f"at-once-{number}",
            "cwd": str(side.project),
            "prompt": f"simultaneous {number}",
            "hook_event_name": "UserPromptSubmit",
        }
        assert process.stdin is not None
        process.stdin.write(json.dumps(event).encode())
        process.stdin.close()
    for process in running:
        process.wait(ANSWER_S)
    # The second prompt of each must find the session of the first.
    for number in range(count):
        event = {
            "session_id": f"at-once-{number}",
            "cwd": str(side.project),
            "prompt": f"afterwards {number}",
            "hook_event_name": "UserPromptSubmit",
        }
        run_hook(side, "UserPromptSubmit", event)
    with talking(side) as client:
        first = {
            hit["session_id"] for hit in client.told("search", query="simultaneous", limit=100)
        }
        second = {hit["session_id"] for hit in client.told("search", query="afterwards", limit=100)}
    return not (len(first) == len(second) == count and first == second)


def run_hook(side: Side, event: str, payload: object) -> str:
    done = subprocess.run(
        [*side.hook, event],
        input=json.dumps(payload, ensure_ascii=False),
        capture_output=True,
        text=True,
        env=side.environment,
        cwd=side.project,
        check=False,
    )
    return json.dumps(json.loads(done.stdout), ensure_ascii=False) if done.stdout.strip() else ""


def answers_without_a_token(side: Side) -> bool:
    with serving(side) as server:
        return bool(server.get("/search", {}, q="TTL")["status"] == 200)


def answers_any_host_name(side: Side) -> bool:
    with serving(side) as server:
        headers = {**server.headers, "Host": "evil.example"}
        return bool(server.get("/search", headers, q="TTL")["status"] == 200)


def answers_any_origin(side: Side) -> bool:
    with serving(side) as server:
        headers = {**server.headers, "Origin": "https://evil.example"}
        return bool(server.get("/search", headers, q="TTL")["status"] == 200)


def closes_at_a_limit_that_is_no_number(side: Side) -> bool:
    with serving(side) as server:
        return bool(server.get("/search", q="TTL", limit="many")["status"] == 0)


def is_held_up_by_a_slow_client(side: Side) -> bool:
    with serving(side) as server, socket.create_connection(("127.0.0.1", server.port)) as slow:
        slow.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1")
        time.sleep(0.2)
        request = urllib.request.Request(
            f"http://127.0.0.1:{server.port}/health", headers=server.headers
        )
        try:
            urllib.request.urlopen(request, timeout=SILENCE_S).close()
        except OSError:
            return True
        return False


QUESTIONS = (
    "API重构",
    "播放器优化",
    "连接池超时",
    "预加载",
    "重构",
    "redis TTL",
    "connection-pool timeout",
    "what TTL did we choose for redis?",
    "C++",
    "缓存",
    '"unclosed',
    "NOT redis",
)
NOTES = (
    "播放器的预加载策略要优化：缓冲 5 秒。API 的重构先拆 handlers。"
    "连接池超时定为 3 秒，缓存放在本地。",
    "We chose a redis TTL of 300 seconds. The connection pool has a timeout of 3 s."
    " The C++ part is not done, and the word unclosed stands here.",
)


def finds_nothing_for_questions(side: Side) -> bool:
    with talking(side) as client:
        session = client.told("start_session", project=str(side.project))
        own = {client.told("log", session=session, kind="note", text=text) for text in NOTES}
        missed = [
            question
            for question in QUESTIONS
            if not own
            & {hit["id"] for hit in client.told("search", query=question, limit=50) or []}
        ]
    print(f"{side.name}: nothing found for {missed}", file=sys.stderr)
    return bool(missed)


FAULTS: tuple[tuple[str, Callable[[Side], bool]], ...] = (
    ("a wrong event name ends the MCP server", ends_at_a_wrong_event),
    ("a notification that it does not know is answered with an error", answers_a_notification),
    ("`ping` is refused", does_not_answer_ping),
    ("no answer to what is no JSON", is_silent_at_what_is_no_json),
    ("any protocol version is agreed to", agrees_to_any_version),
    ("`<private>` in a tool's input is stored and found", stores_private_input_of_a_tool),
    ("what an unclosed `<private>` hides is stored", stores_what_an_open_tag_hides),
    ("a token of GitHub is stored", stores_secrets),
    ("answers of the assistant are not kept", forgets_answers),
    ("events without a session id share one session", mixes_sessions_without_an_id),
    ("`inject` for one project tells of another", tells_of_other_projects),
    ("a hook tells the conversation nothing", tells_nothing_by_itself),
    ("sessions that begin at once are torn in two", loses_sessions_that_begin_at_once),
    (f"nothing found for some of {len(QUESTIONS)} questions", finds_nothing_for_questions),
    ("HTTP: no token is asked for", answers_without_a_token),
    ("HTTP: any `Host` is answered", answers_any_host_name),
    ("HTTP: any `Origin` is answered", answers_any_origin),
    ("HTTP: `limit=many` closes the connection", closes_at_a_limit_that_is_no_number),
    ("HTTP: a slow client holds up all others", is_held_up_by_a_slow_client),
)


# ---------------------------------------------------------------------------- all of it


def sides(checkout: Path, command: str, folder: Path) -> tuple[Side, Side]:
    """Return both programs, each with an empty memory of its own."""
    python = sys.executable
    base = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TZ")}
    made = []
    for name in ("trae-mem", "ours"):
        project = folder / name / "app"
        (project / ".git").mkdir(parents=True)
        (folder / name / "home").mkdir()
        made.append((project, {**base, "HOME": str(folder / name / "home")}))
    (their_project, theirs), (our_project, ours) = made
    theirs.update(PYTHONPATH=str(checkout), TRAE_MEM_HOME=str(folder / "trae-mem/store"))
    ours["MEMORY_PROJECT"] = str(our_project)
    words = shlex.split(command)
    return (
        Side(
            "trae-mem",
            [python, "-m", "trae_mem.mcp_server"],
            [python, "-m", "trae_mem.cli", "serve"],
            [python, "-m", "trae_mem.hooks_bridge", "--event"],
            theirs,
            their_project,
        ),
        Side(
            "ours",
            [*words, "mcp", "--names", "trae-mem"],
            [*words, "serve"],
            [*words, "hook", "trae"],
            ours,
            our_project,
        ),
    )


def compare(rival: Side, own: Side) -> bool:
    """Print how the fields of both compare; tell whether none of them is missed."""
    print("| call | fields of trae-mem | missed in ours |\n| --- | --- | --- |")
    is_same = True
    for ask in (mcp_answers, http_answers):
        theirs, ours = ask(rival), ask(own)
        for name, answer in theirs.items():
            missed = differences(answer, ours[name])
            is_same = is_same and not missed
            print(f"| {name} | {len(shape(answer))} | {'; '.join(missed) or 'none'} |", flush=True)
    return is_same


def look_for_faults(rival: Side, own: Side) -> bool:
    """Print which faults each has; tell whether we have none."""
    print("\n| fault | trae-mem | ours |\n| --- | --- | --- |")
    is_clean = True
    for about, has in FAULTS:
        found = has(rival), has(own)
        is_clean = is_clean and not found[1]
        print(f"| {about} | {' | '.join('yes' if one else 'no' for one in found)} |", flush=True)
    return is_clean


def main() -> int:
    parser = argparse.ArgumentParser(description="compare with trae-mem")
    parser.add_argument("--trae-mem", type=Path, required=True, metavar="CHECKOUT")
    own = str(Path(sys.executable).with_name("memory"))
    parser.add_argument("--memory", default=own, metavar="COMMAND", help="how to run ours")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        rival, ours = sides(options.trae_mem.resolve(), options.memory, folder)
        is_same = compare(rival, ours)
        is_clean = look_for_faults(rival, ours)
    return 0 if is_same and is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
