"""Who may use the HTTP door: whoever can read one file."""

from __future__ import annotations

from daily_memory.services.setup import init
from daily_memory.storage import token_file
from daily_memory.storage.fs.lock import locked
from daily_memory.storage.roots import Root


def get_token(root: Root, *, is_new: bool = False) -> str:
    """Return the token of a root; with `is_new`, or where there is none yet, a new one.

    `root` must be the user's own: that of a project comes with its repository, and whoever wrote
    it could know the token in it.

    Raises:
        ConflictError: another process held the lock for too long.
        BackendError: the system refused to write.
    """
    with locked(root):
        init.ignore_derived(root)
        token = "" if is_new else token_file.load_token(root)
        return token or token_file.make_token(root)
