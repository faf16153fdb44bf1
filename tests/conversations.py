"""Conversations as other programs keep them: made from what is known of their forms."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

# A conversation of three turns in each language, with what was decided and one secret.
CHINESE = (
    ("user", "登录测试为什么失败？数据库密码是 password=hunter2xyz99"),
    ("assistant", "原因是 token 过期时间写成了毫秒。已经在 src/auth.py 修复，改为秒。"),
    ("user", "好的。我们决定 token 有效期定为 300 秒。"),
    ("assistant", "测试通过了。"),
    ("user", "继续"),
)
ENGLISH = (
    ("user", "Why does the checkout page load slowly?"),
    ("assistant", "The cause is an N+1 query in orders.py. I fixed it with a join."),
    ("user", "Great. We decided to use Redis for the cart."),
    ("assistant", "Next step: measure the checkout again."),
    ("user", "thanks"),
)
Said = Iterable[tuple[str, str]]


# ---------------------------------------------------------------------------- transcripts


def claude_line(role: str, content: object, **fields: Any) -> dict[str, Any]:
    message: dict[str, Any] = {"role": role, "content": content}
    for name in ("id", "model"):
        if f"message_{name}" in fields:
            message[name] = fields.pop(f"message_{name}")
    return {
        "type": role,
        "sessionId": "S1",
        "cwd": "/p",
        "timestamp": "2026-01-20T01:02:03.000Z",
        "message": message,
        **fields,
    }


def claude_lines(said: Said, session: str, folder: object, **fields: Any) -> list[dict[str, Any]]:
    own = {"sessionId": session, "cwd": str(folder), **fields}
    return [claude_line(role, text, **own) for role, text in said]


def cursor_line(role: str, *texts: str) -> dict[str, Any]:
    content = [{"type": "text", "text": text} for text in texts]
    return {"role": role, "message": {"content": content}}


def cursor_lines(said: Said) -> list[dict[str, Any]]:
    lines = [
        cursor_line(role, f"<user_query>\n{text}\n</user_query>" if role == "user" else text)
        for role, text in said
    ]
    return [*lines, {"type": "turn_ended", "status": "success"}]


def as_lines(records: Iterable[object]) -> list[bytes]:
    return [json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records]


def write_lines(path: Path, records: Iterable[object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(as_lines(records)))
    return path


# ---------------------------------------------------------------------------- databases


def make_trae_mem(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(path)
    database.executescript(
        """
        CREATE TABLE sessions (id TEXT PRIMARY KEY, started_at INTEGER NOT NULL, ended_at INTEGER,
            project_path TEXT, meta_json TEXT);
        CREATE TABLE observations (id TEXT PRIMARY KEY, session_id TEXT NOT NULL,
            ts INTEGER NOT NULL, kind TEXT NOT NULL, tool_name TEXT, content TEXT NOT NULL,
            private INTEGER NOT NULL DEFAULT 0, tags_json TEXT);
        CREATE TABLE summaries (id TEXT PRIMARY KEY, session_id TEXT NOT NULL,
            created_at INTEGER NOT NULL, level TEXT NOT NULL, content TEXT NOT NULL);
        """
    )
    return database


def add_trae_mem(database: sqlite3.Connection, session: str, folder: object, *rows: Any) -> None:
    """Add a session that began at 2026-01-20 01:00 UTC; each row is (kind, content, private).

    A fourth value names the tool.
    """
    database.execute(
        "INSERT INTO sessions VALUES (?, 1768870800, NULL, ?, '{}')", (session, str(folder))
    )
    for number, row in enumerate(rows):
        add_observation(database, f"{session}-{number}", session, *row)
    database.commit()


def add_observation(
    database: sqlite3.Connection,
    name: str,
    session: str,
    kind: str,
    content: str,
    private: int = 0,
    tool: str | None = None,
) -> None:
    """Add an observation, a second after the one before."""
    (seconds,) = database.execute(
        "SELECT COUNT(*) FROM observations WHERE session_id = ?", (session,)
    ).fetchone()
    tags = '{"redis": true, "where": "login", "off": false}'
    database.execute(
        "INSERT INTO observations VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (name, session, 1768870800 + seconds, kind, tool, content, private, tags),
    )
    database.commit()


def end_trae_mem(database: sqlite3.Connection, session: str, brief: str, detailed: str) -> None:
    """End a session after ten minutes, and add its summaries, as trae-mem does."""
    database.execute("UPDATE sessions SET ended_at = 1768871400 WHERE id = ?", (session,))
    for level, content in (("brief", brief), ("detailed", detailed)):
        database.execute(
            "INSERT INTO summaries VALUES (hex(randomblob(16)), ?, 1768871400, ?, ?)",
            (session, level, content),
        )
    database.commit()


def make_claude_mem(path: Path, *, with_prompts: bool = True) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(path)
    database.executescript(
        """
        CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, content_session_id TEXT UNIQUE NOT NULL,
            memory_session_id TEXT UNIQUE, project TEXT NOT NULL, user_prompt TEXT,
            started_at TEXT NOT NULL, started_at_epoch INTEGER NOT NULL, custom_title TEXT);
        CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT NOT NULL,
            text TEXT, type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT,
            concepts TEXT, files_read TEXT, files_modified TEXT);
        CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, memory_session_id TEXT NOT NULL,
            request TEXT, investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT,
            files_read TEXT, files_edited TEXT, notes TEXT);
        """
    )
    if with_prompts:
        database.execute(
            "CREATE TABLE user_prompts (id INTEGER PRIMARY KEY, content_session_id TEXT NOT NULL,"
            " prompt_number INTEGER NOT NULL, prompt_text TEXT NOT NULL)"
        )
    return database


def add_claude_mem(database: sqlite3.Connection, session: str, project: str) -> None:
    database.execute(
        "INSERT INTO sdk_sessions VALUES (NULL, ?, ?, ?, '加一个缓存',"
        " '2026-01-20T01:00:00.000Z', 1768870800000, NULL)",
        (session, f"m-{session}", project),
    )
    database.execute(
        "INSERT INTO session_summaries VALUES (NULL, ?, '给购物车加缓存', '', 'TTL 用秒计算',"
        " 'Redis cache added', '压测缓存', '[]', '[\"cart.py\"]', '')",
        (f"m-{session}",),
    )
    for kind, title, subtitle in (
        ("decision", "Redis for the cart", "缓存 300 秒"),
        ("bugfix", "TTL was in milliseconds", ""),
    ):
        database.execute(
            "INSERT INTO observations VALUES (NULL, ?, NULL, ?, ?, ?, '[]', '', '[\"gotcha\"]',"
            " '[]', '[\"cart.py\", \"cache.py\"]')",
            (f"m-{session}", kind, title, subtitle),
        )
    database.commit()


def add_prompts(database: sqlite3.Connection, session: str, *texts: str) -> None:
    for number, text in enumerate(texts, 1):
        database.execute("INSERT INTO user_prompts VALUES (NULL, ?, ?, ?)", (session, number, text))
    database.commit()


def make_cursor(user: Path) -> sqlite3.Connection:
    """Make the database of an editor whose folder `User` is given."""
    path = user / "globalStorage" / "state.vscdb"
    path.parent.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(path)
    database.executescript(
        """
        CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
        """
    )
    return database


def put(database: sqlite3.Connection, key: str, value: object) -> None:
    text = value if value is None else json.dumps(value, ensure_ascii=False).encode()
    database.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (key, text))
    database.commit()


def add_cursor(database: sqlite3.Connection, name: str, said: Said, **fields: object) -> None:
    """Add a conversation that began at 2026-01-20 01:00 UTC, each message in a row of its own."""
    bubbles = [
        {"_v": 3, "type": 1 if role == "user" else 2, "text": text, "bubbleId": str(number)}
        for number, (role, text) in enumerate(said)
    ]
    headers = [{"bubbleId": bubble["bubbleId"], "type": bubble["type"]} for bubble in bubbles]
    head = {"createdAt": 1768870800000, "fullConversationHeadersOnly": headers, **fields}
    put(database, f"composerData:{name}", {"composerId": name, "_v": 16, **head})
    for bubble in bubbles:
        put(database, f"bubbleId:{name}:{bubble['bubbleId']}", bubble)
