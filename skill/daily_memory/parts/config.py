"""`memory.config`: the settings with their meaning and source, and changes to `config.json`."""

from __future__ import annotations

from daily_memory.parts import MemoryPart
from daily_memory.services.setup import config
from daily_memory.services.setup.config import Setting


class Config(MemoryPart):
    """The `config.json` of the project; outside any project, the user's own for all of them."""

    @property
    def path(self) -> str:
        """The path of the `config.json` that is changed."""
        return self._workspace.settings_root.config

    @property
    def global_path(self) -> str:
        """The path of the user's own `config.json`."""
        return self._workspace.global_root.config

    def describe(self) -> tuple[Setting, ...]:
        """Return every setting with its value, default, meaning and source."""
        return config.describe(self._workspace.load_settings())

    def set(self, name: str, value: object) -> None:
        """Change a setting, such as `retrieval.max_results`."""
        root = self._workspace.settings_root
        config.change(root, self._workspace.global_root, name, value)
        self._workspace.reload_settings()

    def parse_value(self, name: str, text: str) -> object:
        """Return the value that a user typed, checked."""
        return config.checked_value(name, config.parse_value(name, text))

    def set_text(self, name: str, text: str) -> None:
        """Change a setting to the value that a user typed: JSON, or a plain text."""
        self.set(name, config.parse_value(name, text))

    def unset(self, name: str) -> None:
        """Remove a setting from the file, so that its default applies again."""
        config.reset(self._workspace.settings_root, name)
        self._workspace.reload_settings()

    def text(self) -> str:
        """Return the text of the file, for an editor."""
        return config.load_text(self._workspace.settings_root)

    def replace_text(self, text: str, before: str) -> bool:
        """Replace the text `before` of the file; return whether anything changed."""
        is_changed = config.replace_text(self._workspace.settings_root, text, before)
        self._workspace.reload_settings()
        return is_changed
