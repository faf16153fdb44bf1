"""The hosts that call our hooks, and their canonical names."""

from __future__ import annotations

CURSOR, CLAUDE, TRAE, CODEX = "cursor", "claude", "trae", "codex"
QWEN, GEMINI, COPILOT, OPENCODE = "qwen", "gemini", "copilot", "opencode"
CODEBUDDY, QODER = "codebuddy", "qoder"
HOSTS = (CURSOR, CLAUDE, TRAE, CODEX, QWEN, GEMINI, COPILOT, OPENCODE, CODEBUDDY, QODER)

_CALLED = {
    "claude-code": CLAUDE,
    "claude code": CLAUDE,
    "claude_code": CLAUDE,
    "claudecode": CLAUDE,
    "qwen-code": QWEN,
    "gemini-cli": GEMINI,
    "copilot-cli": COPILOT,
    "md": "notes",
    "markdown": "notes",
    "basic-memory": "notes",
    "vs-code": "vscode",
    "vs code": "vscode",
}


def host_name(text: str) -> str:
    """Return the canonical name of a host; other texts stay unchanged.

    >>> host_name("claude-code"), host_name("Claude Code"), host_name("my-editor")
    ('claude', 'claude', 'my-editor')
    """
    return _CALLED.get(text.lower(), text)
