"""`memory demo`"""

from __future__ import annotations

import os
import shutil
import tempfile
from datetime import datetime, timedelta

from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.command import CliCommand, Options, flag
from daily_memory.memory import Memory

# Put together here, so that no scanner takes this file for a leak.
_SECRET = "sk-" + "proj-" + "Zk3vTq8LmN2xWc7RbY5dHj9PfA4sGu6E"
_SESSIONS: tuple[dict[str, object], ...] = (
    {
        "topic": "报表接口的缓存方案",
        "key_points": [
            "报表页每 5 分钟刷新一次，缓存过期时间 TTL 定为 300 秒",
            "缓存放在 Redis，不用进程内缓存，因为有三个实例",
        ],
        "decisions": ["用 Redis 做缓存，key 带上租户 ID"],
        "next_steps": ["给缓存命中率加监控"],
        "tags": ["redis", "缓存"],
        "source": "demo",
    },
    {
        "topic": "Replace Flask by FastAPI in the order service",
        "key_points": [
            "Flask blocked a worker while it waited for the payment provider",
            "FastAPI with async handlers took p95 from 2.1 s to 380 ms",
        ],
        "code": [
            {
                "language": "python",
                "text": '@app.get("/orders/{id}")\nasync def order(id: int): ...',
            }
        ],
        "tags": ["fastapi", "performance"],
        "source": "demo",
    },
    {
        "topic": "Staging 环境的支付密钥",
        "key_points": [f"the payment key on staging is {_SECRET}", "轮换周期 90 天，负责人 小林"],
        "tags": ["payment"],
        "source": "demo",
    },
)
_OLD, _NEW = "TTL 定为 300 秒", "TTL 改为 600 秒"


def run(options: Options) -> int:
    folder = tempfile.mkdtemp(prefix="memory-demo-")
    try:
        _show_all(folder)
    finally:
        if options.keep:
            terminal.show()
            terminal.show(terminal.say(f"The folder stays: {folder}"))
        else:
            shutil.rmtree(folder)
    return 0


def _show_all(folder: str) -> None:
    memory = Memory(_made(folder, "shop"), home=_made(folder, "home"))
    memory.setup.init("project")
    path = _save_all(memory)
    _title("2. The day file, as you can read, edit and commit it")
    terminal.show(terminal.read_file(path).split("\n## Session 3")[0].rstrip())
    _edit_by_hand(memory, path)
    _title("4. Questions")
    _ask(memory, "为什么报表不用进程内缓存？")
    _ask(memory, "why did we drop Flask?")
    _ask(memory, "fastapi perfromance")
    _ask(memory, "kubernetes ingress")
    _show_secret(memory, path)
    _title("6. What a new conversation starts with: `memory inject`")
    terminal.show(memory.inject("报表为什么用 Redis 缓存？", max_chars=1200).text.rstrip())


def _made(folder: str, name: str) -> str:
    path = os.path.join(folder, name)
    os.mkdir(path)
    return path


def _title(text: str) -> None:
    terminal.show(f"\n== {terminal.say(text)}\n")


def _save_all(memory: Memory) -> str:
    _title("1. Conversations are saved: `memory save`")
    yesterday = datetime.now().astimezone() - timedelta(days=1)
    path = ""
    for place, session in enumerate(_SESSIONS):
        time = f"{10 + 2 * place}:30:00"
        result = memory.save({**session, "date": yesterday.date().isoformat(), "time": time})
        path = result.path
        hidden = "".join(f"  ({count} × {kind} hidden)" for kind, count in result.redactions)
        terminal.show(f"{result.id}  {session['topic']}{hidden}")
    return path


def _edit_by_hand(memory: Memory, path: str) -> None:
    _title("3. A change by hand is found at once, with its lines")
    text = terminal.read_file(path)
    # As an editor does, without updating the index.
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text.replace(_OLD, _NEW))
    terminal.show(terminal.say(f"edited {os.path.basename(path)}: “{_OLD}” → “{_NEW}”"))
    _ask(memory, "600 秒")


def _ask(memory: Memory, query: str) -> None:
    result = memory.search(query, k=1)
    terminal.show(f"? {query}")
    for hit in result.hits:
        lines = f"lines {hit.span.first}–{hit.span.last}"
        terminal.show(f"  {hit.id}  {hit.score:.2f}  {hit.session.topic}  ({lines})")
        terminal.show(f"  {hit.snippet}")
    if not result.hits:
        terminal.show(terminal.say("  nothing relevant is stored"))


def _show_secret(memory: Memory, path: str) -> None:
    _title("5. Secrets never reach the disk")
    result = memory.search("payment key staging", k=1)
    for hit in result.hits:
        terminal.show(f"- {hit.session.key_points[0]}")
    root = os.path.dirname(os.path.dirname(path))
    found = [
        name
        for parent, _, names in os.walk(root)
        for name in names
        if _SECRET in terminal.read_file(os.path.join(parent, name))
    ]
    count = f"files under {os.path.basename(root)}/ that hold the key: {len(found)}"
    terminal.show(terminal.say(count))


DEMO = CliCommand(
    run,
    (flag("--keep", "keep the folder"),),
    """examples:
  memory demo           in a temporary folder, removed at the end
  memory demo --keep    keep the folder""",
)
