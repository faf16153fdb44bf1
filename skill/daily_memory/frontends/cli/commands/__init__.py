"""The list of commands. Only the module of the one that is called is loaded."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.frontends.cli.command import CliCommand

# Commands and what they do, by the heading they have in the help. The page of `memory --help` has
# the first five groups, `memory help --all` has all.
GROUPS = {
    "get started": {
        "init": "create the memories folder of this project",
        "install": "set up assistants such as Cursor or Claude Code, or undo that",
        "status": "show which memories are used here",
        "doctor": "find problems, and fix them with --fix or --restore",
    },
    "save": {
        "save": "save a session or a conversation, from JSON on stdin or from options",
        "add": "save a note",
    },
    "find": {
        "search": "search sessions or observations",
        "list": "list sessions, newest first",
        "show": "show a session or a day",
        "report": "show statistics as text or as a page",
    },
    "change": {
        "edit": "edit a session in your editor or from stdin",
        "delete": "delete sessions by id, day, words, age or tag",
        "undo": "undo the last change",
        "review": "list contradictions, and outdated, duplicate or poor sessions",
        "cleanup": "find old, duplicate or sensitive memories (previews by default)",
    },
    "settings and files": {
        "config": "show or change settings",
        "import": "import files, or conversations of other programs with --from",
        "export": "export sessions as JSON, JSONL, Markdown, HTML or zip",
        "sync": "sync the memory with your other machines over git",
        "serve": "open the memory in your browser",
    },
    "more": {
        "demo": "try everything in a temporary project",
        "today": "show what was saved today",
        "mark": "mark sessions as important, outdated or private",
        "summarize": "update summary.md, which every new conversation starts with",
        "restore": "bring sessions back from the archive",
        "upgrade": "show how to get a newer version of the program",
        "uninstall": "remove everything but the memories",
        "projects": "list, add, rename or forget projects",
        "do": 'run a command said in plain words, such as "搜索记忆: redis"',
        "help": "show this help, or the help of a command",
        "completion": "print the completion script for a shell",
    },
    "encryption": {
        "encrypt": "encrypt the memory with a key of your own",
        "decrypt": "decrypt the memory",
        "rekey": "encrypt all memories with a new key",
        "unlock": "print an encrypted day as plain text",
    },
    "for hosts and scripts": {
        "inject": "print the context block for a new conversation",
        "hook": "handle an event of an assistant: JSON in, JSON out",
        "mcp": "serve the memory over MCP on stdio",
        "token": "make, list or revoke tokens for MCP over HTTP",
        "start": "start a live session",
        "log": "add an observation to a live session",
        "end": "end a live session and save it",
        "timeline": "list live sessions, or what happened around an observation",
        "observations": "show the observations of a live session",
        "redact": "hide secrets in text from stdin",
        "merge-driver": "merge two versions of a day, for git",
        "reindex": "rebuild the index",
        "mirror": "show, update, rebuild or remove the SQLite mirror, and push to your team",
        "embed": "embed sessions for search by meaning",
    },
}
FRONT_GROUPS = 5
COMMANDS = {name: what for group in GROUPS.values() for name, what in group.items()}
# Modules that have another name than their commands, or several of them.
_MODULES = {
    "import": "import_",
    "add": "save",
    "today": "show",
    "reindex": "doctor",
    "mcp": "serve",
    "completion": "help",
    **dict.fromkeys(("start", "log", "end", "timeline", "observations"), "live"),
    **dict.fromkeys(("encrypt", "decrypt", "rekey", "unlock"), "encryption"),
}


def load(name: str) -> CliCommand:
    constant = name.upper().replace("-", "_")
    module = _MODULES.get(name, name.replace("-", "_"))
    # As `importlib.import_module` does, which itself would have to be loaded first.
    loaded = __import__(f"{__name__}.{module}", fromlist=[constant])
    command: CliCommand = getattr(loaded, constant)
    return command
