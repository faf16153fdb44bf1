"""One word for each host, whatever it is called: where a name comes in it passes here."""

from __future__ import annotations

_CALLED = {
    "claude-code": "claude",
    "claude code": "claude",
    "claude_code": "claude",
    "claudecode": "claude",
    "md": "notes",
    "markdown": "notes",
    "basic-memory": "notes",
    "vs-code": "vscode",
    "vs code": "vscode",
}


def host_name(text: str) -> str:
    """Return the word by which a host is known here; any other text stays as it is.

    >>> host_name("claude-code"), host_name("Claude Code"), host_name("my-editor")
    ('claude', 'claude', 'my-editor')
    """
    return _CALLED.get(text.lower(), text)
