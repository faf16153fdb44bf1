"""The token of the HTTP API: who can read its file may use the API."""

from __future__ import annotations

from daily_memory.services.setup import init
from daily_memory.storage import token_file
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.roots import Root


def get_token(root: Root, *, is_new: bool = False) -> str:
    """Return the token of the user's root; with `is_new`, or without one yet, a new one.

    Never that of a project: who wrote its repository could know the token in it.
    """
    with locked(root):
        init.ignore_derived(root)
        token = "" if is_new else token_file.load_token(root)
        return token or token_file.make_token(root)
