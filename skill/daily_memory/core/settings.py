"""The values of all settings, with their defaults; `setting_keys` has what each may be."""

from __future__ import annotations

from daily_memory.named_tuples import NamedTuple


class Storage(NamedTuple):
    location: str = "project-first"
    retention_days: int = 90
    auto_archive: bool = False
    max_file_size_mb: float = 10.0
    encryption: str = "none"
    key_file: str = ""
    passphrase_command: str = ""
    shared_mode: str = "private"
    worktrees: str = "shared"
    safe_folders: tuple[str, ...] = ()


class Recording(NamedTuple):
    auto_save: bool = True
    save_code_snippets: bool = False
    sanitize_sensitive: bool = True
    redact_private_addresses: bool = True
    redact_patterns: tuple[str, ...] = ()
    redact_allow: tuple[str, ...] = ()
    min_conversation_length: int = 3
    language: str = "auto"
    digest: str = "brief"
    agent_digest: str = "when-it-fits"
    summarizer: str = "heuristic"
    summarizer_model: str = ""
    summarizer_url: str = ""
    summarizer_timeout_s: float = 30.0
    summarizer_daily_calls: int = 50
    summarizer_daily_tokens: int = 500_000


class RecallSettings(NamedTuple):
    at_start: bool = True
    at_prompt: bool = True
    max_chars: int = 4000
    review_days: int = 30
    team: bool = False


class Retrieval(NamedTuple):
    method: str = "hybrid"
    max_results: int = 5
    time_decay_rate: float = 0.9923
    time_decay_floor: float = 0.85
    search_scope_days: int = 0
    keyword_weight: float = 0.7
    translation_weight: float = 1.0
    semantic_weight: float = 0.3


class Semantic(NamedTuple):
    enabled: bool = False
    provider: str = "local"
    model: str = "all-MiniLM-L6-v2"
    url: str = ""


class MirrorSettings(NamedTuple):
    enabled: bool = False
    engine: str = "sqlite"
    url: str = ""
    projects: tuple[str, ...] = ()

    @property
    def has_team(self) -> bool:
        """Whether a team database is configured."""
        return self.enabled and self.engine == "postgresql" and bool(self.url)

    def shares(self, project: str) -> bool:
        """Whether a project's memory is pushed to the team."""
        return self.has_team and project in self.projects


class SyncSettings(NamedTuple):
    automatic: bool = False


class Settings(NamedTuple):
    """All settings of one root.

    `closed` says why nothing may be saved now: a setting about what to redact or where to save is
    unusable. It is "" otherwise.
    """

    storage: Storage = Storage()
    recording: Recording = Recording()
    recall: RecallSettings = RecallSettings()
    retrieval: Retrieval = Retrieval()
    semantic: Semantic = Semantic()
    mirror: MirrorSettings = MirrorSettings()
    sync: SyncSettings = SyncSettings()
    closed: str = ""


DEFAULTS = Settings()
