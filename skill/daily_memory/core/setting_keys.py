"""All settings in one table: their meaning, their values, and what a project's file may change.

Only commands that read or change a `config.json` load it; most searches use the defaults.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping

from daily_memory.core.settings import DEFAULTS, Settings
from daily_memory.named_tuples import NamedTuple
from daily_memory.text import filled, joined

# What a project's `config.json` may do to a setting of the user: replace it, make it stricter, or
# nothing. The file comes with a repository, and anybody may have written it.
FREE, TIGHTEN, OWN = "free", "tighten", "own"
# Switched off while a setting that guards it is unusable.
RECORDING = "recording.auto_save"
SUMMARIZING = "recording.summarizer"
ARCHIVING = "storage.auto_archive"
SEMANTIC = "semantic.enabled"
_MOST_SHOWN = 60
_MOST_ITEMS = 100
_MOST_LETTERS = 8_000
_MOST_WIDTH = 1_000_000
# One character of a pattern, as it is written there.
_CHARACTER = r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|N\{[^}]{1,99}\}|.)|."


class Key(NamedTuple):
    """One setting: its name, its meaning, and the texts or the range of numbers allowed.

    `rule` says what a project's file may do, see FREE.
    `strict` is the value that protects: the only one a project may choose under TIGHTEN, and the
    one in force while a file is unusable. Lists have none: under TIGHTEN those of both files are
    united. `guards` names the setting that gets its strict value while this one is unusable.
    """

    name: str
    choices: tuple[str, ...] = ()
    meaning: str = ""
    low: float = 0
    high: float = 0
    rule: str = FREE
    strict: object = None
    guards: str = ""

    @property
    def section(self) -> str:
        return self.name.partition(".")[0]

    @property
    def field(self) -> str:
        return self.name.partition(".")[2]

    @property
    def default(self) -> object:
        return getattr(getattr(DEFAULTS, self.section), self.field)

    @property
    def is_own(self) -> bool:
        """Whether only the user's own file may set it."""
        return self.rule == OWN

    @property
    def protects(self) -> bool:
        """Whether something must not happen while it is unusable."""
        return self.strict is not None or bool(self.guards)


KEYS = (
    Key("storage.location", ("project-first", "project-only", "global-only"),
        rule=OWN, guards=RECORDING,
        meaning="where sessions are saved: in the project, or globally if there is none "
        "(project-first); only in the project; only globally"),
    Key("storage.retention_days", low=0, high=36500, guards=ARCHIVING,
        meaning="age in days at which `memory cleanup` archives a day; 0 keeps everything"),
    Key("storage.auto_archive", rule=OWN, strict=False,
        meaning="archive days past storage.retention_days automatically, once a day"),
    Key("storage.max_file_size_mb", low=0.1, high=1000,
        meaning="size limit of a day file in MB; `memory cleanup --oversized` archives the "
        "oldest sessions of larger ones"),
    Key("storage.encryption", ("none", "age"), rule=TIGHTEN, strict="age", guards=RECORDING,
        meaning="encryption of the memory; use `memory encrypt` to convert it"),
    Key("storage.key_file", rule=OWN,
        meaning="file with the encryption key; empty for ~/.config/daily-memory/key.txt"),
    Key("storage.passphrase_command", rule=OWN,
        meaning="command that prints the passphrase of the key"),
    Key("storage.shared_mode", ("private", "group"), rule=TIGHTEN, strict="private",
        meaning="who may read the files: only you (private), or your group as well (group)"),
    Key("storage.worktrees", ("shared", "separate"),
        meaning="a git worktree without day files of its own uses the memory of the main checkout "
        "(shared), or a new one (separate)"),
    Key("storage.safe_folders", rule=OWN,
        meaning="folders of other users to trust as projects; `/srv/work/*` includes subfolders"),
    Key("recording.auto_save", rule=TIGHTEN, strict=False,
        meaning="record conversations automatically"),
    Key("recording.save_code_snippets", rule=TIGHTEN, strict=False,
        meaning="keep the last short code block of a conversation"),
    Key("recording.sanitize_sensitive", rule=TIGHTEN, strict=True,
        meaning="redact secrets and personal data"),
    Key("recording.redact_private_addresses", rule=TIGHTEN, strict=True,
        meaning="redact addresses of private networks"),
    Key("recording.redact_patterns", rule=TIGHTEN, guards=RECORDING,
        meaning="more regular expressions to redact"),
    Key("recording.redact_allow", rule=OWN,
        meaning="texts or regular expressions that are never redacted"),
    Key("recording.min_conversation_length", low=0, high=1000,
        meaning="talk with fewer turns is not saved, unless something came of it"),
    Key("recording.language", ("auto", "zh", "en"),
        meaning="language of headings: as the text (auto), or always one"),
    Key("recording.digest", ("brief", "detailed"),
        meaning="length of digests: about 1,700 characters (brief) or 4,400 (detailed), a Chinese "
        "one counts two"),
    Key("recording.agent_digest", ("when-it-fits", "always", "off"),
        meaning="ask the agent itself to save what matters, once a conversation: with the user's "
        "next prompt (when-it-fits), at the end of a turn, which costs a request (always), or off"),
    Key("recording.summarizer", ("heuristic", "anthropic", "openai", "ollama"),
        rule=TIGHTEN, strict="heuristic",
        meaning="what digests conversations: local rules (heuristic), or a language model that "
        "receives them"),
    Key("recording.summarizer_model", rule=OWN,
        meaning="name of the language model; required to use one"),
    Key("recording.summarizer_url", rule=OWN, guards=SUMMARIZING,
        meaning="base URL of the API; empty for the provider's default"),
    Key("recording.summarizer_timeout_s", low=1, high=600, rule=OWN,
        meaning="timeout of the language model in seconds"),
    Key("recording.summarizer_daily_calls", low=0, high=100_000, rule=OWN, guards=SUMMARIZING,
        meaning="requests to the language model per day"),
    Key("recording.summarizer_daily_tokens", low=0, high=1_000_000_000,
        rule=OWN, guards=SUMMARIZING,
        meaning="tokens of the language model per day, sent and received"),
    Key("recall.at_start", rule=TIGHTEN, strict=False,
        meaning="show recent work to new conversations"),
    Key("recall.at_prompt", rule=TIGHTEN, strict=False,
        meaning="show related memories with each question"),
    Key("recall.max_chars", low=500, high=9500,
        meaning="characters shown to a conversation at once"),
    Key("recall.review_days", low=0, high=3650,
        meaning="days between reminders of `memory review`; 0 for never"),
    Key("recall.team", rule=OWN,
        meaning="show related sessions of your team's database with each question, if it answers "
        "within 0.3 s"),
    Key("retrieval.method", ("keyword", "semantic", "hybrid"),
        meaning="search by keywords, by meaning, or both (hybrid)"),
    Key("retrieval.max_results", low=1, high=100,
        meaning="number of search results"),
    Key("retrieval.time_decay_rate", low=0, high=1,
        meaning="share of its weight that a session keeps per day, above the floor"),
    Key("retrieval.time_decay_floor", low=0, high=1,
        meaning="minimum weight of old sessions; 0 for plain exponential decay"),
    Key("retrieval.search_scope_days", low=0, high=36500,
        meaning="search only this many days back; 0 for all"),
    Key("retrieval.keyword_weight", low=0, high=1,
        meaning="share of the keyword score in a hybrid search"),
    Key("retrieval.translation_weight", low=0, high=1,
        meaning="how much a session in the other language counts, Chinese or English; 0 is off"),
    Key("retrieval.semantic_weight", low=0, high=1,
        meaning="share of the semantic score in a hybrid search"),
    Key("semantic.enabled", rule=TIGHTEN, strict=False,
        meaning="search by meaning as well; needs an embedding model"),
    Key("semantic.provider", ("local", "model2vec", "openai", "ollama"),
        rule=OWN, guards=SEMANTIC,
        meaning="where embeddings come from: sentence-transformers on this machine (local), a "
        "static model (model2vec), a server with OpenAI's API (openai), or Ollama"),
    Key("semantic.model", rule=OWN, guards=SEMANTIC,
        meaning="the embedding model: its name, or its folder"),
    Key("semantic.url", rule=OWN, guards=SEMANTIC,
        meaning="base URL of the embedding server; empty for the provider's default"),
    Key("mirror.enabled",
        meaning="keep a SQLite copy of live sessions for fast full-text search"),
    Key("mirror.engine", ("sqlite", "postgresql"), rule=OWN,
        meaning="the mirror is on this machine only (sqlite), or also pushed to your team's "
        "database (postgresql)"),
    Key("mirror.url", rule=OWN,
        meaning="address of the team's database: postgresql://USER@HOST/NAME; the password is "
        "read from ~/.pgpass"),
    Key("mirror.projects", rule=OWN,
        meaning="names of the projects that are pushed to the team's database"),
    Key("sync.automatic", rule=OWN, strict=False,
        meaning="run `memory sync` in the background when a conversation starts or ends, for "
        "memories that were synced before"),
)  # fmt: skip

KEY_OF = {key.name: key for key in KEYS}
SECTIONS = tuple(dict.fromkeys(key.section for key in KEYS))


def get_key(name: str) -> Key:
    """Return a setting by name, such as `retrieval.max_results`."""
    if name not in KEY_OF:
        from daily_memory.errors import InvalidInputError  # reading settings needs none

        near = _near_names(name)
        hint = (
            filled("did you mean {}?", " or ".join(near))
            if near
            else "run `memory config` to see them"
        )
        raise InvalidInputError("no setting {!r}", name, hint=hint)
    return KEY_OF[name]


def _near_names(name: str) -> list[str]:
    """Return settings that a mistyped name may mean; a section is often left out."""
    import difflib  # only for typing errors

    field = name.rpartition(".")[2]
    same = [key.name for key in KEYS if field in (key.field, key.section)]
    same = same or [key.name for key in KEYS if len(field) > 2 and field in key.name]
    return same[:3] or difflib.get_close_matches(name, KEY_OF, n=2, cutoff=0.7)


def value_fault(key: Key, value: object) -> str:
    """Return why a value is invalid, "" if it is valid."""
    if isinstance(key.default, tuple) and isinstance(value, list):
        faults = (_item_fault(key, item) for item in value)
        return _list_fault(value) or joined("; ", filter(None, faults))
    return _fault(key, value)


def usable_value(key: Key, value: object) -> object:
    """Return the usable part of a value, None for nothing; of a list, the valid items."""
    if isinstance(key.default, tuple):
        values = value if isinstance(value, list) and not _list_fault(value) else []
        return tuple(item for item in values if not _item_fault(key, item))
    if _fault(key, value):
        return None
    return int(value) if type(key.default) is int and isinstance(value, float) else value


def _list_fault(values: list[object]) -> str:
    """Return why a whole list is unusable: it would take too long to compile.

    The pattern `[Ā-￿]`, ignoring case, takes 10 ms.
    """
    texts = [value for value in values if isinstance(value, str)]
    if len(values) > _MOST_ITEMS or sum(map(len, texts)) > _MOST_LETTERS:
        return filled("more than {} items or {:,} characters", _MOST_ITEMS, _MOST_LETTERS)
    if sum(map(_width, texts)) > _MOST_WIDTH:
        return "ranges of characters that are too wide, or too many"
    return ""


def _width(pattern: str) -> int:
    """Return how many characters the ranges of a pattern cover, at least."""
    ranges = re.finditer(rf"(?s)(?=({_CHARACTER})-({_CHARACTER}))", pattern)
    return sum(max(0, _code(found[2]) - _code(found[1])) for found in ranges)


def _code(written: str) -> int:
    if len(written) > 2:
        return sys.maxunicode if written[1] == "N" else int(written[2:], 16)
    return ord(written[-1])


def _item_fault(key: Key, value: object) -> str:
    if not isinstance(value, str):
        return filled("{} is not a text", _shown(value))
    if key.name == "mirror.projects":
        return ""
    if key.name == "storage.safe_folders":
        is_path = value.startswith(("/", "~/")) or value[1:3] in (":\\", ":/")
        shown = _shown(value)
        return (
            ""
            if is_path
            else filled("{} is not the path of a folder from the top or from ~", shown)
        )
    from daily_memory.core.redaction.user_patterns import pattern_fault  # few settings have any

    fault = pattern_fault(value)
    return filled("{} can't be used: {}", _shown(value), fault) if fault else ""


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def _fault(key: Key, value: object) -> str:
    default = key.default
    if isinstance(default, bool):
        return "" if isinstance(value, bool) else filled("{} is not true or false", _shown(value))
    if isinstance(default, str):
        return _text_fault(key, value)
    if isinstance(default, tuple):
        return filled("{} is not a list of texts", _shown(value))
    return _number_fault(key, value, whole=isinstance(default, int))


def _text_fault(key: Key, value: object) -> str:
    if not isinstance(value, str):
        return filled("{} is not a text", _shown(value))
    if key.choices and value not in key.choices:
        return filled("{} is not one of {}", _shown(value), ", ".join(key.choices))
    if key.name == "mirror.url":
        return _database_fault(value) if value else ""
    return _address_fault(value) if key.field.endswith("_url") and value else ""


def _address_fault(value: str) -> str:
    # The address is not shown, as it may contain a password.
    if not value.startswith(("http://", "https://")):
        return "not an address that begins with http:// or https://"
    if any(character in value for character in "@?#"):
        return "an address with a user, a password or a question; a key belongs in the environment"
    if not re.fullmatch(
        r"https?://(?:\[[0-9A-Fa-f:.]+\]|[\w.-]+)(?::\d+)?(?:/[!-~]*)?", value, re.A
    ):
        return "an address without a host, or with characters that none has"
    return ""


def _database_fault(value: str) -> str:
    # As above.
    if not re.match(r"postgres(?:ql)?://", value):
        return "not an address that begins with postgresql://"
    if re.match(r"[a-z]+://[^/@]*:[^/@]*@", value) or "password=" in value:
        return "an address with a password, which belongs in ~/.pgpass"
    return ""


def _number_fault(key: Key, value: object, *, whole: bool) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return filled("{} is not a number", _shown(value))
    # Negated so that NaN is out of range too.
    if not key.low <= value <= key.high:
        return filled("{} is not between {:g} and {:g}", _shown(value), key.low, key.high)
    if whole and value != int(value):
        return filled("{} is not a whole number", _shown(value))
    return ""


def make_settings(values: Mapping[str, object], closed: str = "") -> Settings:
    """Return settings with these checked values, the others with defaults."""
    sections: dict[str, dict[str, object]] = {name: {} for name in SECTIONS}
    for name, value in values.items():
        key = KEY_OF[name]
        sections[key.section][key.field] = value
    made = {name: type(getattr(DEFAULTS, name))(**fields) for name, fields in sections.items()}
    return Settings(**made, closed=closed)


def setting_values(settings: Settings) -> dict[str, object]:
    return {key.name: getattr(getattr(settings, key.section), key.field) for key in KEYS}
