"""Notes in the user's home about which memories are encrypted.

`config.json` says so too, but it may be in git: checking out an older branch would turn encryption
off. A note is a small file, named after the path of the root or the id of the project.
"""

from __future__ import annotations

import os

from daily_memory.errors import DailyMemoryError
from daily_memory.storage import discovery, project_list, roots
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root

_ENCRYPTED, _PLAIN = "age", "none"


def is_noted(home: str, root: Root) -> bool:
    """Tell whether a root is to be encrypted, whatever its settings say.

    A moved root is known by its project's id; a worktree follows the main checkout.
    """
    own = _find(home, _key(root))
    if own:
        return own[0] == _ENCRYPTED
    folder = roots.project_folder(root)
    moved = _find(home, project_list.load_id(folder))
    main = discovery.main_checkout(folder)
    above = _find(home, _key(roots.project_root(main))) if main else ()
    return _ENCRYPTED in (*moved[:1], *above[:1])


def note(home: str, root: Root, *, by_user: bool = False) -> None:
    """Note that a root is encrypted. One that was decrypted here stays plain unless `by_user`."""
    if _find(home, _key(root))[:1] == (_PLAIN,) and not by_user:
        return
    id_ = project_list.load_id(roots.project_folder(root))
    before = _find(home, id_)
    if before and not os.path.exists(before[1]):
        # It was moved: a folder at its old path is another memory.
        _remove(home, _path_key(before[1]))
    for key in (_key(root), id_):
        _store(home, key, _ENCRYPTED, root)


def forget(home: str, root: Root) -> None:
    id_ = project_list.load_id(roots.project_folder(root))
    by_id = _find(home, id_)
    if by_id and (by_id[1] == os.path.realpath(root.path) or not os.path.exists(by_id[1])):
        _remove(home, id_)
    if is_noted(home, root):
        _store(home, _key(root), _PLAIN, root)


def _find(home: str, key: str) -> tuple[str, ...]:
    if not key:
        return ()
    try:
        data = files.find_bytes(os.path.join(roots.notes_folder(home), key))
    except DailyMemoryError:
        return (_ENCRYPTED, "")  # there is a note, which nobody can read: in doubt nothing is plain
    if data is None:
        return ()
    state, _, path = data.decode("utf-8", "surrogateescape").partition("\n")
    return (_PLAIN if state == _PLAIN else _ENCRYPTED, path.removesuffix("\n"))


def _store(home: str, key: str, state: str, root: Root) -> None:
    path = os.path.realpath(root.path)
    if not key or _find(home, key) == (state, path):
        return
    folder = roots.notes_folder(home)
    files.make_folder(folder)
    text = f"{state}\n{path}\n"
    files.replace(os.path.join(folder, key), text.encode("utf-8", "surrogateescape"))


def _remove(home: str, key: str) -> None:
    files.remove(os.path.join(roots.notes_folder(home), key))


def _key(root: Root) -> str:
    return _path_key(os.path.realpath(root.path))


def _path_key(path: str) -> str:
    return f"path-{files.digest(path.encode('utf-8', 'surrogateescape'))}"
