"""`memory demo`"""

from __future__ import annotations

import os
import shutil
import tempfile
from datetime import date
from itertools import islice

from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.command import CliCommand, Options
from daily_memory.memory import Memory

# Put together here, so that no scanner takes this file for a leak.
_SECRET = "sk-" + "proj-" + "Zk3vTq8LmN2xWc7RbY5dHj9PfA4sGu6E"
_TOPIC = "Staging 环境的支付密钥"
_POINTS = [f"the payment key on staging is {_SECRET}", "轮换周期 90 天，负责人 小林"]
# The example ends a day before.
_TODAY = date(2026, 3, 7)
_OLD, _NEW = "改为 600 秒", "改为 900 秒"
_QUESTIONS = (
    "缓存多久过期",
    "how do we verify payment webhooks",
    "wharehouse labels",
    "kubernetes ingress",
)


def run(options: Options) -> int:
    folder = tempfile.mkdtemp(prefix="memory-demo-")
    try:
        _show_all(folder)
    finally:
        if options.keep:
            terminal.show()
            terminal.show(terminal.say("The folder stays: {}", folder))
        else:
            shutil.rmtree(folder)
    return 0


def _show_all(folder: str) -> None:
    home, project = os.path.join(folder, "home"), os.path.join(folder, "bookshop")
    os.mkdir(home)
    elsewhere = Memory("", home=home)
    elsewhere.setup.copy_example(project)
    memory = elsewhere.in_folder(project)
    _title("1. Two months of an invented project: `memory list -n 5`")
    for stored in islice(memory.sessions(newest_first=True), 5):
        terminal.show(f"{stored.id}  {stored.session.topic}")
    _title("2. A conversation is saved, without its secret: `memory save`")
    saved = memory.save({"topic": _TOPIC, "key_points": _POINTS, "time": "10:30:00"})
    terminal.show(terminal.read_file(saved.path).rstrip())
    _title("3. Secrets never reach the disk")
    files = [os.path.join(top, name) for top, _, names in os.walk(project) for name in names]
    found = [path for path in files if _SECRET in terminal.read_file(path)]
    terminal.show(terminal.say("files under bookshop/ that hold the key: {}", len(found)))
    _title("4. Questions: `memory search`")
    for question in _QUESTIONS:
        _ask(memory, question)
    _title("5. A change by hand is found at once, with its lines")
    _edit_by_hand(memory)
    _title("6. What a new conversation gets with a question: `memory inject`")
    terminal.show(memory.inject(_QUESTIONS[0], limit=2, now=_TODAY).text.rstrip())


def _title(text: str) -> None:
    terminal.show(f"\n== {terminal.say(text)}\n")


def _edit_by_hand(memory: Memory) -> None:
    path = memory.search(_OLD, k=1).hits[0].path
    text = terminal.read_file(path)
    # As an editor does, without updating the index.
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text.replace(_OLD, _NEW))
    terminal.show(terminal.say("edited {}: “{}” → “{}”", os.path.basename(path), _OLD, _NEW))
    _ask(memory, "900 秒")


def _ask(memory: Memory, query: str) -> None:
    result = memory.search(query, k=1, now=_TODAY)
    terminal.show(f"? {query}")
    for hit in result.hits:
        lines = terminal.say("lines {}–{}", hit.span.first, hit.span.last)
        terminal.show(f"  {hit.id}  {hit.score:.2f}  {hit.session.topic}  ({lines})")
        terminal.show(f"  {hit.snippet}")
    if not result.hits:
        terminal.show("  " + terminal.say("nothing relevant is stored"))


DEMO = CliCommand(
    run,
    (command.flag("--keep", "keep the folder"),),
    """examples:
  memory demo           in a temporary folder, removed at the end
  memory demo --keep    keep the folder""",
)
