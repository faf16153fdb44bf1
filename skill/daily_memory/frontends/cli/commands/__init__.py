"""The commands: one module each, and here what there are.

Each module has `EXAMPLES`, `add_arguments` and `run`; only the one that is called is loaded.
"""

from __future__ import annotations

from types import ModuleType

# What is wanted → command → what it does, in the order of the help.
GROUPS = {
    "to begin": {
        "demo": "show everything in a temporary project",
        "init": "create the memory of this project",
        "install": "set up Cursor, Claude Code, Trae, VS Code or Codex",
        "doctor": "find faults, and fix them with --fix",
    },
    "to write": {
        "save": "save a session or conversation, from JSON or options",
        "add": "save a note",
    },
    "to read": {
        "search": "search sessions or observations",
        "inject": "print the context block for a new conversation",
        "list": "list sessions, oldest first",
        "show": "show a session, a day, or today",
        "today": "show what was saved today",
        "report": "show numbers and charts",
    },
    "to manage": {
        "edit": "edit a session",
        "mark": "mark sessions as important, outdated or private",
        "delete": "delete sessions by id, day, words, age or tag",
        "undo": "take back the last change",
        "review": "list contradictions, outdated, duplicate and thin sessions",
        "summarize": "write what still holds to summary.md",
        "cleanup": "find old, duplicate or sensitive sessions (previews by default)",
        "restore": "restore archived sessions",
    },
    "live sessions": {
        "start": "start a live session",
        "log": "add an observation to a live session",
        "end": "digest and save a live session",
        "timeline": "list live sessions, or what happened around an observation",
        "observations": "list the observations of a live session",
    },
    "settings and projects": {
        "do": 'do what the user said: "搜索记忆: …", "save this" …',
        "config": "show or change settings",
        "projects": "list known projects, or add, rename or forget one",
    },
    "in and out": {
        "import": "import files, folders and zips, or from other programs with --from",
        "export": "export as JSON, JSONL, Markdown, HTML or zip",
    },
    "encryption": {
        "encrypt": "encrypt the memory",
        "decrypt": "decrypt the memory and turn encryption off",
        "rekey": "change the encryption key",
        "unlock": "edit an encrypted day",
    },
    "for other programs": {
        "hook": "handle an event of a host, JSON on stdin",
        "mcp": "run the MCP server on stdio",
        "serve": "run the web page and HTTP API on 127.0.0.1",
        "merge-driver": "merge two versions of a day, for git",
        "redact": "redact text from stdin",
        "completion": "print a completion script",
    },
    "index and mirror": {
        "reindex": "rebuild the index",
        "mirror": "show, update, rebuild or remove the SQLite mirror",
    },
}
COMMANDS = {name: what for group in GROUPS.values() for name, what in group.items()}


def load(name: str) -> ModuleType:
    """Return the module of a command."""
    # `import` is no name that a module could have.
    module = "import_" if name == "import" else name.replace("-", "_")
    # As `importlib.import_module` does, which itself would have to be loaded first.
    return __import__(f"{__name__}.{module}", fromlist=["run"])
