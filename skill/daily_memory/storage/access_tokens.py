"""Access tokens for MCP over HTTP, one per person, and the audit log.

`index/mcp-tokens.json` of the global root has the SHA-256 of each token, of 256 random bits.
`index/mcp-audit.jsonl` has a line for each call, without memory text.
"""

from __future__ import annotations

import json
import os
from datetime import datetime
from hashlib import sha256

from daily_memory.errors import ConflictError, DamagedDataError, NotFoundError
from daily_memory.named_tuples import NamedTuple
from daily_memory.storage.fs import files
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.roots import Root
from daily_memory.text import filled

# The log before this one is kept too.
MOST_LOG_BYTES = 10_000_000
_PREFIX = "dm_"


class AccessToken(NamedTuple):
    """Whose token it is, and which projects it opens: these, or all if there are none."""

    name: str
    digest: str
    can_write: bool = False
    projects: tuple[str, ...] = ()
    created: str = ""


def load(root: Root) -> tuple[AccessToken, ...]:
    """Return all tokens, oldest first."""
    data = files.find_bytes(tokens_path(root)) or b"[]"
    try:
        return tuple(
            AccessToken(**{**entry, "projects": tuple(entry["projects"])})
            for entry in json.loads(data)
        )
    except (ValueError, TypeError, KeyError) as error:
        hint = "remove it, and make the tokens again"
        raise DamagedDataError("{!r} can't be read", tokens_path(root), hint=hint) from error


def make(root: Root, token: AccessToken) -> str:
    """Store a token for a person, and return the secret, which is not kept."""
    secret = f"{_PREFIX}{os.urandom(32).hex()}"
    with locked(root):
        tokens = load(root)
        if any(known.name == token.name for known in tokens):
            hint = filled("`memory token revoke {}` ends it", token.name)
            raise ConflictError("{!r} has a token", token.name, hint=hint)
        _store(root, (*tokens, token._replace(digest=digest(secret))))
    return secret


def revoke(root: Root, name: str) -> AccessToken:
    """Remove a person's token, with immediate effect."""
    with locked(root):
        tokens = load(root)
        for token in tokens:
            if token.name == name:
                _store(root, tuple(known for known in tokens if known != token))
                return token
    raise NotFoundError("{!r} has no token", name, hint="`memory token list` shows all")


def digest(secret: str) -> str:
    """Return the hash of a secret, as it is stored."""
    return sha256(files.to_bytes(secret)).hexdigest()


def log(root: Root, entry: dict[str, object], now: datetime) -> None:
    """Add a line to the log; `entry` holds no memory text."""
    path = log_path(root)
    if files.stamp(path)[0] > MOST_LOG_BYTES:
        os.replace(path, f"{path}.1")
    line = json.dumps({"at": now.isoformat(timespec="seconds"), **entry}, ensure_ascii=False)
    files.append_line(path, files.to_bytes(f"{line}\n"), root.modes)


def tokens_path(root: Root) -> str:
    return root.in_index("mcp-tokens.json")


def log_path(root: Root) -> str:
    return root.in_index("mcp-audit.jsonl")


def _store(root: Root, tokens: tuple[AccessToken, ...]) -> None:
    listed = [{**token._asdict(), "projects": list(token.projects)} for token in tokens]
    text = json.dumps(listed, indent=2, sort_keys=True, ensure_ascii=False)
    files.replace(tokens_path(root), f"{text}\n".encode())
