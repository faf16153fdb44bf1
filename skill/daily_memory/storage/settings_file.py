"""`config.json` on disk."""

from __future__ import annotations

from daily_memory.core import settings
from daily_memory.core.settings import Settings
from daily_memory.errors import DailyMemoryError
from daily_memory.model import Problem
from daily_memory.storage import files
from daily_memory.storage.roots import Root


def load_settings(root: Root) -> tuple[Settings, tuple[Problem, ...]]:
    """Return the settings of a root, the defaults where it has no file, and what is wrong."""
    try:
        data = files.find_bytes(root.config)
    except DailyMemoryError as error:
        problem = Problem(root.config, 0, f"{error.message}; the defaults are used")
        return settings.DEFAULTS, (problem,)
    if data is None:
        return settings.DEFAULTS, ()
    return settings.parse_settings(data.decode("utf-8", "replace"), root.config)


def is_encrypted(root: Root) -> bool:
    """Tell whether the file of a root says that it is to be encrypted."""
    try:
        data = files.find_bytes(root.config) or b""
    except DailyMemoryError:
        return False
    if b"encryption" not in data:  # as almost always: nothing has to be parsed
        return False
    found, _ = settings.parse_settings(data.decode("utf-8", "replace"), root.config)
    return found.storage.encryption != "none"


def _is_silent(root: Root) -> bool:
    """Tell whether a root's file can be read and says nothing of who digests conversations."""
    try:
        data = files.find_bytes(root.config)
    except DailyMemoryError:
        return False
    return not settings.names_summarizer((data or b"").decode("utf-8", "replace"))


def load_agreed_settings(root: Root, own: Root) -> tuple[Settings, tuple[Problem, ...]]:
    """Return the settings of a root; a language model is in them only if `own` agrees.

    `own` is the user's global root: a project's file comes with its repository, and whoever wrote
    it must not choose where conversations are sent, or that files are moved by themselves.
    """
    found, problems = load_settings(root)
    if root.path == own.path:
        return found, problems
    mine = load_settings(own)[0]
    if found.storage.key_file or found.storage.passphrase_command:
        found, problems = _with_own_key(found, problems, root, own)
    if found.storage.auto_archive and not mine.storage.auto_archive:
        message = (
            "storage.auto_archive: not used, since a project's file comes with its repository;"
            f" set it in {own.config!r}"
        )
        problems = (*problems, Problem(root.config, 0, message))
    storage = found.storage._replace(auto_archive=mine.storage.auto_archive)
    found = found._replace(storage=storage)
    wanted, is_silent = found.recording.summarizer, _is_silent(root)
    if wanted == settings.DEFAULTS.recording.summarizer and not is_silent:
        return found, problems
    agreed = settings.with_consent(found, mine, is_silent=is_silent)
    if agreed.recording.summarizer != wanted and not is_silent:
        message = (
            f"recording.summarizer: {wanted!r} is not used, since a project's file comes with its"
            f" repository; set it in {own.config!r} too"
        )
        problems = (*problems, Problem(root.config, 0, message))
    return agreed, problems


def _with_own_key(
    found: Settings, problems: tuple[Problem, ...], root: Root, own: Root
) -> tuple[Settings, tuple[Problem, ...]]:
    """Return the settings with the user's own about the key: whose program is run is theirs."""
    message = (
        "storage.key_file, storage.passphrase_command: not used, since a project's file comes with"
        f" its repository; set them in {own.config!r}"
    )
    agreed = load_settings(own)[0].storage
    storage = found.storage._replace(
        key_file=agreed.key_file, passphrase_command=agreed.passphrase_command
    )
    return found._replace(storage=storage), (*problems, Problem(root.config, 0, message))
