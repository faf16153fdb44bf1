"""Holds conversations in the real clients, and prints what came of each as a table.

    python scripts/clients.py --harness DIR --prefix DIR [--memory COMMAND] [CLIENT ...]

DIR of the harness has `run_client.py`, `fake_model.py` and `plans/`: scripted conversations with a
model on this computer, so that no account and no network is needed. PREFIX is where
`npm install --prefix` put the clients; one that is missing is skipped. Each conversation has a home
and a project of its own.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

CLIENTS = ("claude", "codex", "qwen", "gemini", "copilot", "opencode")
SECRETS = ("wJalrXUtnFEMI", "hunter2xyz", "sk-proj-Qx7", "星辰集团")
WORK, ASK = "帮我给报表加一个缓存方案", "上次的缓存 TTL 是多少"
DECISION = "TTL 定为 300 秒"
# Text of memories in a request, however the client escapes it.
BLOCK = re.compile(r"(?:<|&lt;|\\u003c)daily-memory-[0-9a-f]{6,}")
MEMORIES = ".cursor/skills/memories"
# Files that clients, or people, have before an installation.
BEFORE = {
    ".claude/settings.local.json": '{\n  "permissions": {}\n}',
    ".codex/hooks.json": '{"hooks": {}}\n',
    # Qwen Code rewrites settings without a version.
    ".qwen/settings.json": '{\n  "ui": {\n    "theme": "x"\n  },\n  "$version": 4\n}\n',
    ".gemini/settings.json": '{\n\t"ui": {}\n}\n',
    # So does OpenCode without a schema.
    "opencode.json": (
        '{\n  "$schema": "https://opencode.ai/config.json",\n  // mine\n  "share": "disabled"\n}\n'
    ),
    ".mcp.json": '{"mcpServers": {}}',
    "AGENTS.md": "# Rules\n\n- be brief",
    "GEMINI.md": "# Rules\r\n",
}


class WrongOutcomeError(Exception):
    """A cell of the table is not as it must be."""


class NotThereError(Exception):
    """A client has no such thing."""


class Desk:
    """One home and one project, in which one client is set up."""

    def __init__(self, client: str, options: argparse.Namespace, folder: Path) -> None:
        self.client, self.options, self.home = client, options, folder / "home"
        self.project = folder / "app"
        self.home.mkdir(parents=True)
        self.project.mkdir()
        subprocess.run(["git", "init", "-q"], cwd=self.project, check=True)
        (self.project / "app.py").write_text("def report():\n    return 1\n")
        (self.project / ".env.sample").write_text("API_HOST=example.com\n")
        self.plan = folder / "plan.json"
        plans = options.harness / "plans"
        turns = [turn for name in ("chinese", "english") for turn in _load(plans, name)["turns"]]
        turns.append({"when": "不要保存", "steps": [{"text": "好的，不保存。"}]})
        self.plan.write_text(json.dumps({"prompts": [], "turns": turns}), encoding="utf-8")

    def memory(self, *words: str) -> str:
        """Run our command, with nothing but this home around it."""
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.home), "LANG": "C.UTF-8"}
        command = [self.options.memory, *words]
        done = subprocess.run(
            command, cwd=self.project, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    def say(self, *prompts: str, resume: bool = False, plan: Path | None = None) -> None:
        """Hold a conversation; each prompt after the first resumes it."""
        started = self.start(*prompts, resume=resume, plan=plan)
        output, _ = started.communicate()
        if started.returncode or "killed after" in output:
            raise WrongOutcomeError(f"the client failed: {output[-300:]}")
        time.sleep(1.5)  # what follows an end runs in the background

    def start(
        self, *prompts: str, resume: bool = False, plan: Path | None = None
    ) -> subprocess.Popen[str]:
        words = [sys.executable, str(self.options.harness / "run_client.py"), self.client]
        words += ["--prefix", str(self.options.prefix), "--home", str(self.home)]
        words += ["--project", str(self.project), "--plan", str(plan or self.plan)]
        words += [word for prompt in prompts for word in ("--prompt", prompt)]
        words += ["--resume"] * resume
        return subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=self.project
        )

    def days(self) -> str:
        """Return what the day files hold."""
        paths = sorted((self.project / MEMORIES / "daily").glob("*.md"))
        return "\n".join(path.read_text(encoding="utf-8") for path in paths)

    def requests(self) -> list[str]:
        """Return what the model was asked in the last conversation."""
        log = max((self.home / "fake-model").glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
        lines = log.read_text(encoding="utf-8").splitlines()
        return [json.dumps(json.loads(line)["body"], ensure_ascii=False) for line in lines]

    def kept(self) -> str:
        """Return everything that we wrote, in the project and in the home."""
        folders = [self.project / ".cursor", self.home / ".cursor"]
        paths = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
        return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in paths)


def _load(folder: Path, name: str) -> dict[str, list[dict[str, object]]]:
    plan: dict[str, list[dict[str, object]]] = json.loads(
        (folder / f"{name}.json").read_text(encoding="utf-8")
    )
    return plan


def _demand(is_so: object, message: str) -> None:
    if not is_so:
        raise WrongOutcomeError(message)


# ---------------------------------------------------------------------------- cells


def records(desk: Desk) -> None:
    """A decision of a conversation is in the day file, under the client's name."""
    desk.say(WORK)
    _demand(DECISION in desk.days(), "the decision is not in the day file")
    _demand(f'"source":"{desk.client}"' in desk.days(), "filed under another name")


def recalls(desk: Desk) -> None:
    """The very next conversation is told, once."""
    desk.say(ASK)
    requests = [request for request in desk.requests() if ASK in request]
    _demand(requests, "no request has the question")
    _demand(DECISION in requests[0], "the first request has no memory")
    # A question may bring further lines of what a start has told.
    _demand(requests[0].count(DECISION) == 1, "the same is told twice")


def edits_and_errors(desk: Desk) -> None:
    """The section has the file that was edited, and the command that failed."""
    desk.say(WORK, "跑一下测试")
    _demand("- cache.py" in desk.days(), "the edited file is missing")
    _demand("test_ttl expected 300" in desk.days(), "the failing test is missing")


def resume(desk: Desk) -> None:
    """A conversation that is resumed has one section, renewed in place."""
    desk.say("跑一下测试", resume=True)
    sources = re.findall(r'"conversation":"([^"]+)"', desk.days())
    _demand(len(sources) == len(set(sources)), "two sections of one conversation")
    _demand("test_ttl" in desk.days(), "what was said later is missing")


def secrets(desk: Desk) -> None:
    """No secret is kept, whether it was said, printed or answered."""
    desk.say("打印密钥看看，密码 password=hunter2xyz", resume=True)
    found = [secret for secret in SECRETS if secret in desk.kept()]
    _demand(not found, f"kept: {', '.join(found)}")
    _demand("REDACTED" in desk.kept(), "nothing was recorded")


def private(desk: Desk) -> None:
    """What the user marks as private is not kept."""
    desk.say(f"<private>客户是星辰集团</private>{WORK}")
    _demand("星辰集团" not in desk.kept(), "kept")
    _demand(DECISION in desk.days(), "the rest was not recorded")


def do_not_save(desk: Desk) -> None:
    """A conversation that the user does not want saved leaves nothing."""
    desk.say(WORK, "这次谈话不要保存")
    _demand(DECISION not in desk.kept(), "kept")


def killed(desk: Desk) -> None:
    """What was done before kill -9 is told to the next conversation."""
    plan = desk.options.harness / "plans" / "killed.json"
    started = desk.start(plan=plan)
    started.communicate()
    desk.say("继续上次没做完的")
    requests = [request for request in desk.requests() if "继续上次没做完的" in request]
    _demand(requests, "no request has the question")
    _demand("cache.py" in requests[0] and BLOCK.search(requests[0]), "it is told nothing")


def two_windows(desk: Desk) -> None:
    """Two conversations at once have a section each."""
    windows = [desk.start(WORK)]
    time.sleep(1.5)  # their logs are named after the second
    windows.append(desk.start("Add a rate limit to the report API"))
    for window in windows:
        window.communicate()
    time.sleep(1.5)
    sections = desk.days().split("\n## Session ")[1:]
    _demand(len(sections) == 2, "not two sections")
    files = [{name for name in ("cache.py", "limiter.py") if name in part} for part in sections]
    _demand(sorted(map(len, files)) == [1, 1], "mixed up")


def compaction(desk: Desk) -> None:
    """A compaction leaves one section, without the summary of it."""
    if desk.client != "claude":
        raise NotThereError("can't be asked for without a window")
    desk.say(WORK)
    desk.say("/compact", resume=True, plan=desk.options.harness / "plans" / "compact.json")
    _demand(desk.days().count("### 主题") == 1, "not one section")
    _demand("\n- ?\n" not in desk.days(), "an empty key point")


def mcp(desk: Desk) -> None:
    """The model can call our tools, and finds what is stored."""
    desk.memory("save", "--topic", "缓存", "--point", f"redis 缓存 {DECISION}")
    desk.say("用记忆工具查一下")
    answers = [request for request in desk.requests() if "memory_search" in request]
    _demand(len(answers) > 1 and DECISION in answers[-1], "no answer of memory_search")


def uninstall(desk: Desk) -> None:
    """Every file is what it was before, to the byte."""
    for name, text in BEFORE.items():
        path = desk.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    desk.memory("install", desk.client, "--uninstall")  # from its first installation
    before = _tree(desk.project)
    desk.memory("install", desk.client)
    installed = _tree(desk.project)
    _demand(installed != before, "nothing was installed")
    desk.say(WORK)
    (desk.project / "cache.py").unlink(missing_ok=True)
    desk.memory("install", desk.client, "--uninstall")
    after = _tree(desk.project)
    # What the client itself made is none of ours: OpenCode puts its packages into .opencode.
    differing = sorted(name for name in installed if before.get(name) != after.get(name))
    _demand(not differing, f"differs: {', '.join(differing)}")


def _tree(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    named = ((path.relative_to(folder).as_posix(), path) for path in paths)
    return {
        name: path.read_bytes() for name, path in named if not name.startswith((MEMORIES, ".git/"))
    }


# Cells of one group share a desk, one after the other.
GROUPS: tuple[tuple[Callable[[Desk], None], ...], ...] = (
    (records, recalls),
    (edits_and_errors, resume, secrets),
    (private,),
    (do_not_save,),
    (killed,),
    (two_windows,),
    (compaction,),
    (mcp,),
    (uninstall,),
)


def results(client: str, options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Yield the outcome of each cell of a client: `ok`, `–` or `FAIL`, and why."""
    for group in GROUPS:
        if options.only and not any(cell.__name__ in options.only for cell in group):
            continue
        folder = Path(tempfile.mkdtemp(prefix=f"{client}-", dir=options.folder))
        desk = Desk(client, options, folder)
        if group[0] is not uninstall:
            desk.memory("install", client)
        for cell in group:
            try:
                cell(desk)
                outcome = "ok"
            except NotThereError as reason:
                outcome = f"–  {reason}"
            except WrongOutcomeError as reason:
                outcome = f"FAIL  {reason}  ({folder})"
            except subprocess.CalledProcessError as error:
                outcome = f"FAIL  {error.cmd[-1]}: {error.stderr[-300:]}"
            print(f"{client:<9} {cell.__name__:<17} {outcome}", flush=True)
            yield cell.__name__, outcome
        if not options.folder:
            shutil.rmtree(folder, ignore_errors=True)


def _folder(text: str) -> Path:
    return Path(text).resolve()  # the clients run elsewhere


def run() -> int:
    """Print the table; the exit status is 1 if a cell failed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("clients", nargs="*", metavar="CLIENT")
    parser.add_argument("--harness", type=_folder, required=True, help="where run_client.py is")
    parser.add_argument("--prefix", type=_folder, required=True, help="where npm put the clients")
    parser.add_argument(
        "--memory",
        metavar="COMMAND",
        default=str(Path(sys.executable).parent / "memory"),
        help="the command that is installed into them; default: that of this Python",
    )
    parser.add_argument("--folder", type=_folder, help="keep homes and projects here")
    parser.add_argument("--only", action="append", help="one cell; may be repeated")
    options = parser.parse_args()
    if not (options.harness / "run_client.py").is_file():
        print(f"skipped: no harness in {options.harness}")
        return 0
    table: dict[str, dict[str, str]] = {}
    for client in options.clients or CLIENTS:
        if (options.prefix / "node_modules" / ".bin" / client).exists():
            table[client] = dict(results(client, options))
        else:
            print(f"{client:<9} skipped: not installed in {options.prefix}")
    print("\n| client | " + " | ".join(cell.__name__ for group in GROUPS for cell in group) + " |")
    print("| --- " * (1 + sum(map(len, GROUPS))) + "|")
    for client, cells in table.items():
        row = [cells.get(cell.__name__, "").partition(" ")[0] for group in GROUPS for cell in group]
        print(f"| {client} | {' | '.join(row)} |")
    return int(any(cell.startswith("FAIL") for cells in table.values() for cell in cells.values()))


if __name__ == "__main__":
    sys.exit(run())
