"""`memory.tokens`: who may use the MCP server over HTTP."""

from __future__ import annotations

import re
from collections.abc import Sequence

from daily_memory.errors import InvalidInputError
from daily_memory.parts import MemoryPart
from daily_memory.services.setup import init
from daily_memory.storage import person_tokens
from daily_memory.storage.fs import files
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.person_tokens import PersonToken

_NAME = re.compile(r"[\w.@-]{1,80}")


class Tokens(MemoryPart):
    """The tokens of people, each with its scopes; they are in the global memory, as hashes."""

    def list(self) -> tuple[PersonToken, ...]:
        """Return all tokens, oldest first."""
        return person_tokens.load(self._workspace.global_root)

    def make(self, name: str, *, write: bool = False, projects: Sequence[str] = ()) -> str:
        """Return a new token for a person. It is shown once: only its hash is stored.

        Without `write` it only reads; `projects` are folders or names, all of the server if none.
        """
        if not _NAME.fullmatch(name):
            hint = "letters, digits and . _ @ -"
            raise InvalidInputError(f"{name[:80]!r} is no name for a token", hint=hint)
        root = self._workspace.global_root
        with locked(root):
            init.ignore_derived(root)
        now = self._workspace.now().isoformat(timespec="seconds")
        return person_tokens.make(root, PersonToken(name, "", write, tuple(projects), now))

    def revoke(self, name: str) -> PersonToken:
        """End the token of a person: its next request is refused."""
        return person_tokens.revoke(self._workspace.global_root, name)

    def digest(self, secret: str) -> str:
        """Return the hash by which a token is known."""
        return person_tokens.digest(secret)

    def stamp(self) -> files.Stamp:
        """Return what changes whenever the tokens do."""
        return files.stamp(person_tokens.tokens_path(self._workspace.global_root))

    def log(self, entry: dict[str, object]) -> None:
        """Write down what somebody did, without any text."""
        person_tokens.log(self._workspace.global_root, entry, self._workspace.now())
