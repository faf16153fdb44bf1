"""The commands: one module each, and here what there are.

Each module has `EXAMPLES`, `add_arguments` and `run`; only the one that is called is loaded.
"""

from __future__ import annotations

from types import ModuleType

# What is wanted → command → what it does, in the order of the help.
GROUPS = {
    "to begin": {
        "demo": "show all of it in a temporary project",
        "init": "make the memories folder of this project",
        "install": "put it into Cursor, Claude Code, Trae, VS Code or Codex, or take it out",
        "doctor": "look for faults, and mend them with --fix or --restore",
    },
    "to write": {
        "save": "save a session or a conversation: JSON on stdin, or --topic and --point",
        "add": "save a note in one line",
    },
    "to read": {
        "search": "find sessions, or observations, by what they say",
        "inject": "print the context block for a new conversation",
        "list": "list sessions, oldest first",
        "show": "show a session, a day, or today",
        "today": "show what was saved today",
        "report": "show numbers and pictures: days, topics, sizes, recall, quality",
    },
    "to manage": {
        "edit": "edit the text of a session, in an editor or from stdin",
        "mark": "mark sessions as important, outdated or private",
        "delete": "delete sessions, by id, day, words, age or tag",
        "undo": "bring back what was deleted, edited or marked",
        "review": "list what to look at: contradictions, outdated, doubled and thin sessions",
        "summarize": "keep summary.md: what every new conversation is told first",
        "cleanup": "archive, merge or hide what is old, doubled or secret; alone it only proposes",
        "restore": "bring sessions back from the archive",
    },
    "live sessions": {
        "start": "begin a live session, which grows as things happen",
        "log": "add an observation to a live session",
        "end": "digest a live session and save it",
        "timeline": "list the last live sessions, or what happened around an observation",
        "observations": "show what happened in a live session",
    },
    "settings and projects": {
        "do": 'do what the user said to the memory: "搜索记忆: …", "save this" …',
        "config": "show the settings and what they mean, or change them",
        "projects": "list the projects that were seen, add, forget or rename one",
    },
    "in and out": {
        "import": "import files, folders and zips, or conversations of other programs with --from",
        "export": "export sessions: JSON, JSONL, Markdown, a page to read, or a zip of everything",
    },
    "encryption": {
        "encrypt": "encrypt the memory with a key of your own, and keep it encrypted",
        "decrypt": "write an encrypted memory in the clear again",
        "rekey": "encrypt all memories for another key",
        "unlock": "open an encrypted day in your editor, and encrypt it again",
    },
    "for other programs": {
        "hook": "take an event of Cursor, Claude Code or Trae: JSON on stdin, JSON on stdout",
        "mcp": "serve the memory to a host with MCP, on stdio",
        "serve": "serve the memory to your browser and programs on this machine",
        "merge-driver": "merge two versions of a day; git calls it",
        "redact": "hide secrets in text from stdin",
        "completion": "print the completion script of a shell",
    },
    "index and mirror": {
        "reindex": "make the index anew from the day files",
        "mirror": "look at the SQLite mirror, bring it up to date, make it anew, or remove it",
    },
}
COMMANDS = {name: what for group in GROUPS.values() for name, what in group.items()}


def load(name: str) -> ModuleType:
    """Return the module of a command."""
    # `import` is no name that a module could have.
    module = "import_" if name == "import" else name.replace("-", "_")
    # As `importlib.import_module` does, which itself would have to be loaded first.
    return __import__(f"{__name__}.{module}", fromlist=["run"])
