"""`memory.tokens`: the tokens for the servers, the user's own and those of other people."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence

from daily_memory.errors import BackendError, InvalidInputError
from daily_memory.services import MemoryPart
from daily_memory.services.setup import init
from daily_memory.storage import access_tokens
from daily_memory.storage.access_tokens import AccessToken
from daily_memory.storage.fs import files
from daily_memory.storage.fs.lock import locked

_NAME = re.compile(r"[\w.@-]{1,80}")
_OWN = re.compile(rb"[0-9a-f]{64}\n?")


class Tokens(MemoryPart):
    """Tokens, stored in the global memory: a project's memory may come from a stranger.

    Those of people are for MCP over HTTP, with scopes, and stored as hashes.
    """

    def own(self, *, renew: bool = False) -> str:
        """Return the user's token for `memory serve`, which stays the same until it is renewed."""
        root = self._workspace.global_root
        path = root.in_index("http-token")
        with locked(root):
            init.ignore_derived(root)
            token = "" if renew else _own_token(path)
            if not token:
                token = os.urandom(32).hex()
                # Replacing a file would keep its modes, which may be too open.
                files.remove(path)
                files.replace(path, f"{token}\n".encode())
        return token

    def list(self) -> tuple[AccessToken, ...]:
        """Return all tokens, oldest first."""
        return access_tokens.load(self._workspace.global_root)

    def make(self, name: str, *, write: bool = False, projects: Sequence[str] = ()) -> str:
        """Return a new token for a person. It is shown once: only its hash is stored.

        Without `write` it only reads; `projects` are folders or names, all of the server if none.
        """
        if not _NAME.fullmatch(name):
            hint = "letters, digits and . _ @ -"
            raise InvalidInputError("{!r} is not a valid name for a token", name[:80], hint=hint)
        root = self._workspace.global_root
        with locked(root):
            init.ignore_derived(root)
        now = self._workspace.now().isoformat(timespec="seconds")
        return access_tokens.make(root, AccessToken(name, "", write, tuple(projects), now))

    def revoke(self, name: str) -> AccessToken:
        """End the token of a person: its next request is refused."""
        return access_tokens.revoke(self._workspace.global_root, name)

    def digest(self, secret: str) -> str:
        """Return the hash by which a token is known."""
        return access_tokens.digest(secret)

    def stamp(self) -> files.Stamp:
        """Return the stamp of the file of tokens."""
        return files.stamp(access_tokens.tokens_path(self._workspace.global_root))

    def log(self, entry: dict[str, object]) -> None:
        """Log what somebody did, without any text of memories."""
        access_tokens.log(self._workspace.global_root, entry, self._workspace.now())


def _own_token(path: str) -> str:
    """Return the token in a file; "" if there is none, or others could read it."""
    try:
        status = os.lstat(path)
        data = files.find_bytes(path) or b""
    except (OSError, BackendError):
        return ""
    is_private = os.name == "nt" or not stat.S_IMODE(status.st_mode) & 0o077
    return data.decode().strip() if is_private and _OWN.fullmatch(data) else ""
