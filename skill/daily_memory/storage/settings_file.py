"""`config.json` on disk."""

from __future__ import annotations

from daily_memory.core import config_file, config_layers
from daily_memory.core.config_file import MOST_BYTES, ConfigFile
from daily_memory.core.config_layers import EffectiveSettings
from daily_memory.errors import DailyMemoryError
from daily_memory.storage.fs import files
from daily_memory.storage.roots import Root
from daily_memory.text import filled


def load_config(root: Root) -> ConfigFile:
    """Return the config file of a root, empty if there is none."""
    try:
        if files.stamp(root.config)[0] > MOST_BYTES:
            return config_file.broken(
                root.config, 0, filled("larger than {} KB", MOST_BYTES // 1024)
            )
        data = files.find_bytes(root.config)
        if data is None:
            return ConfigFile(root.config)
        return config_file.parse_config(data.decode("utf-8"), root.config)
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        return config_file.broken(root.config, line, "not UTF-8")
    except DailyMemoryError as error:
        # A message names the path, which the problem has already.
        return config_file.broken(root.config, 0, filled("can't be read: {}", error.message))


def load_settings(own: Root, root: Root | None = None) -> EffectiveSettings:
    """Return the effective settings of a root; `own` is the user's global root."""
    if root is None or root.path == own.path:
        return config_layers.effective(load_config(own))
    return config_layers.effective(load_config(own), load_config(root))


def is_encrypted(own: Root, root: Root) -> bool:
    """Tell whether a root is to be encrypted, by its own config or the user's."""
    return load_settings(own, root).settings.storage.encryption != "none"
