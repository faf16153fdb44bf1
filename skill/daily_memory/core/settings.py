"""`config.json` → Settings and problems; every key, its default and its meaning in one table."""

from __future__ import annotations

import re

from daily_memory.core.jsonc import line_of_key, parse_jsonc
from daily_memory.named_tuples import NamedTuple

VERSION = "1.0"
NO_EFFECT = "has no effect in this version"


class Storage(NamedTuple):
    location: str = "project-first"
    retention_days: int = 90
    auto_archive: bool = False
    max_file_size_mb: float = 10.0
    encryption: str = "none"
    key_file: str = ""
    passphrase_command: str = ""
    shared_mode: str = "private"
    worktrees: str = "separate"
    safe_folders: tuple[str, ...] = ()


class Recording(NamedTuple):
    auto_save: bool = True
    save_code_snippets: bool = True
    sanitize_sensitive: bool = True
    redact_private_addresses: bool = True
    redact_patterns: tuple[str, ...] = ()
    redact_allow: tuple[str, ...] = ()
    min_conversation_length: int = 3
    language: str = "auto"
    digest: str = "brief"
    summarizer: str = "heuristic"
    summarizer_model: str = ""
    summarizer_url: str = ""
    summarizer_timeout_s: float = 30.0
    summarizer_daily_calls: int = 50
    summarizer_daily_tokens: int = 500_000


class Recall(NamedTuple):
    at_start: bool = True
    at_prompt: bool = True
    max_chars: int = 4000
    review_days: int = 30


class Retrieval(NamedTuple):
    method: str = "hybrid"
    max_results: int = 5
    time_decay_rate: float = 0.9923
    time_decay_floor: float = 0.85
    search_scope_days: int = 0
    keyword_weight: float = 0.7
    semantic_weight: float = 0.3


class Semantic(NamedTuple):
    enabled: bool = False
    provider: str = "local"
    model: str = "all-MiniLM-L6-v2"


class Mirror(NamedTuple):
    enabled: bool = False


class Settings(NamedTuple):
    """All settings of one root. `DEFAULTS` is what holds where a file says nothing."""

    storage: Storage = Storage()
    recording: Recording = Recording()
    recall: Recall = Recall()
    retrieval: Retrieval = Retrieval()
    semantic: Semantic = Semantic()
    mirror: Mirror = Mirror()


DEFAULTS = Settings()


class Key(NamedTuple):
    """One setting: its name, what it may be, and what it does.

    `choices` are the texts, `low` and `high` the numbers that are allowed. Where `later` is
    set, this version knows the key, keeps it, and says that it has no effect yet. `own` is for the
    user's own file only: a project's comes with its repository.
    """

    name: str
    meaning: str
    choices: tuple[str, ...] = ()
    low: float = 0
    high: float = 0
    later: bool = False
    own: bool = False

    @property
    def section(self) -> str:
        return self.name.partition(".")[0]

    @property
    def field(self) -> str:
        return self.name.partition(".")[2]

    @property
    def default(self) -> object:
        return getattr(getattr(DEFAULTS, self.section), self.field)


KEYS = (
    Key(
        "storage.location",
        "where a session is saved: the project's root when inside one, else the global one "
        "(project-first); always the project's (project-only); always the global one (global-only)",
        ("project-first", "project-only", "global-only"),
    ),
    Key(
        "storage.retention_days",
        "age in days from which on `memory cleanup` archives a day; 0 keeps all for ever. Nothing "
        "is archived on its own, unless storage.auto_archive says so",
        low=0,
        high=36500,
    ),
    Key(
        "storage.auto_archive",
        "archive by itself what is past storage.retention_days, once a day when a conversation "
        "starts; `memory restore` brings it back. Counts in the global memory's config.json only",
        own=True,
    ),
    Key(
        "storage.max_file_size_mb",
        "size in MB that the file of a day should not pass: a save and `memory doctor` tell of it, "
        "and `memory cleanup --oversized` archives its oldest sessions until it fits",
        low=0.1,
        high=1000,
    ),
    Key(
        "storage.encryption",
        "how memories are written: as they are (none), or encrypted (age); `memory encrypt` "
        "converts what is there, docs/encryption.md",
        ("none", "age"),
    ),
    Key(
        "storage.key_file",
        "the key that opens what is encrypted; empty is ~/.config/daily-memory/key.txt. Counts in "
        "the global memory's config.json only",
        own=True,
    ),
    Key(
        "storage.passphrase_command",
        "a command that prints the passphrase of the key, run without a shell. Counts in the "
        "global memory's config.json only",
        own=True,
    ),
    Key(
        "storage.shared_mode",
        "who may read what is written: you alone (private), or your group as well (group)",
        ("private", "group"),
    ),
    Key(
        "storage.worktrees",
        "whether a git worktree has a memory of its own (separate), or that of the main checkout "
        "of its repository (shared)",
        ("separate", "shared"),
    ),
    Key(
        "storage.safe_folders",
        "project folders that are used though they belong to another user; `/srv/work/*` is all "
        "below one. Counts in the global memory's config.json only",
        own=True,
    ),
    Key("recording.auto_save", "record conversations without being asked"),
    Key("recording.save_code_snippets", "keep code blocks of a conversation"),
    Key(
        "recording.sanitize_sensitive", "hide secrets and personal data before anything is written"
    ),
    Key("recording.redact_private_addresses", "hide addresses of private networks"),
    Key("recording.redact_patterns", "further regular expressions whose matches are hidden"),
    Key("recording.redact_allow", "texts or regular expressions that are never hidden"),
    Key(
        "recording.min_conversation_length",
        "a conversation with fewer turns of the user is not saved",
        low=0,
        high=1000,
    ),
    Key(
        "recording.language",
        "language of the headings: that of the text (auto), or always one",
        ("auto", "zh", "en"),
    ),
    Key(
        "recording.digest",
        "how much is kept of a conversation: 900 characters (brief) or 3,200 (detailed)",
        ("brief", "detailed"),
    ),
    Key(
        "recording.summarizer",
        "who digests a conversation: rules on this machine (heuristic), or a language model, to "
        "which it is sent; docs/summarizers.md",
        ("heuristic", "anthropic", "openai", "ollama"),
    ),
    Key("recording.summarizer_model", "the model to ask; there is none unless you name it"),
    Key(
        "recording.summarizer_url",
        "where to ask: the address of the API without its last part; empty is the vendor's own, "
        "or Ollama on this machine",
    ),
    Key(
        "recording.summarizer_timeout_s",
        "seconds to wait for the model at the most",
        low=1,
        high=600,
    ),
    Key(
        "recording.summarizer_daily_calls",
        "requests that a memory may send to a model on one day",
        low=0,
        high=100_000,
    ),
    Key(
        "recording.summarizer_daily_tokens",
        "tokens, sent and answered, that they may take on one day",
        low=0,
        high=1_000_000_000,
    ),
    Key("recall.at_start", "tell a new conversation what was decided and done lately"),
    Key("recall.at_prompt", "tell a conversation what the memory knows about a question"),
    Key(
        "recall.max_chars",
        "characters that a conversation is told at once",
        low=500,
        high=9500,
    ),
    Key(
        "recall.review_days",
        "so many days after the last `memory review` you are reminded of it, when a conversation "
        "starts or on the terminal, and again after as many; 0 is never",
        low=0,
        high=3650,
    ),
    Key(
        "retrieval.method",
        "how to search: by keywords, by meaning, or by all that is available (hybrid)",
        ("keyword", "semantic", "hybrid"),
    ),
    Key("retrieval.max_results", "how many results a search gives", low=1, high=100),
    Key(
        "retrieval.time_decay_rate",
        "how much of its weight a memory keeps per day, above the floor",
        low=0,
        high=1,
    ),
    Key(
        "retrieval.time_decay_floor",
        "the weight that the oldest memory keeps; 0 is the formula score × rate^days",
        low=0,
        high=1,
    ),
    Key(
        "retrieval.search_scope_days",
        "search only so many days back; 0 is everything",
        low=0,
        high=36500,
    ),
    Key(
        "retrieval.keyword_weight",
        "share of the keyword score in a hybrid search",
        low=0,
        high=1,
        later=True,
    ),
    Key(
        "retrieval.semantic_weight",
        "share of the semantic score in a hybrid search",
        low=0,
        high=1,
        later=True,
    ),
    Key("semantic.enabled", "search by meaning as well; needs an embedding model", later=True),
    Key(
        "semantic.provider", "where embeddings come from", ("local", "openai", "ollama"), later=True
    ),
    Key("semantic.model", "the embedding model", later=True),
    Key(
        "mirror.enabled",
        "keep a SQLite copy of live sessions, for fast full-text search; docs/mirror.md",
    ),
)

_KEY_OF = {key.name: key for key in KEYS}
_SECTIONS = tuple(dict.fromkeys(key.section for key in KEYS))


def parse_settings(text: str, path: str = "config.json") -> tuple[Settings, tuple[Problem, ...]]:
    """Return the settings, and a problem for each key that is unknown, wrong or without effect.

    Nothing stops: a key that can't be used has its default.
    """
    from daily_memory.model import Problem  # a root without `config.json` has none

    try:
        data = parse_jsonc(text)
    except ValueError as error:
        line = getattr(error, "lineno", 0)
        return DEFAULTS, (Problem(path, line, "not JSON; the defaults are used"),)
    if not isinstance(data, dict):
        return DEFAULTS, (Problem(path, 1, "not a JSON object; the defaults are used"),)
    problems = list(_unknown(data, text, path))
    sections: dict[str, dict[str, object]] = {name: {} for name in _SECTIONS}
    for key in KEYS:
        section = data.get(key.section)
        if isinstance(section, dict) and key.field in section:
            value, message = check_value(key, section[key.field])
            sections[key.section][key.field] = value
            if message:
                line = line_of_key(text, key.section, key.field)
                problems.append(Problem(path, line, f"{key.name}: {message}"))
    return _settings(sections), tuple(problems)


def names_summarizer(text: str) -> bool:
    """Tell whether a `config.json` says who digests conversations.

    True also for what can't be used or read: what was wanted by it is not known.
    """
    try:
        data = parse_jsonc(text)
    except ValueError:
        return True
    section = data.get("recording") if isinstance(data, dict) else None
    return not isinstance(data, dict) or (isinstance(section, dict) and "summarizer" in section)


def check_value(key: Key, value: object) -> tuple[object, str]:
    """Return the value to use, and what is wrong with the one given ("" for nothing)."""
    if isinstance(key.default, tuple) and isinstance(value, list):
        return _usable_items(key, value)
    fault = _fault(key, value)
    if fault:
        return key.default, f"{fault}; {key.default!r} is used"
    usable = int(value) if type(key.default) is int and isinstance(value, float) else value
    if key.later and usable != key.default:
        return usable, NO_EFFECT
    return usable, ""


def get_key(name: str) -> Key:
    """Return the row of a setting, by a name such as `retrieval.max_results`.

    Raises:
        InvalidInputError: there is no such setting.
    """
    if name not in _KEY_OF:
        from daily_memory.errors import InvalidInputError  # reading settings needs none

        near = _near_names(name)
        hint = f"did you mean {' or '.join(near)}?" if near else "run `memory config` to see them"
        raise InvalidInputError(f"no setting {name!r}", hint=hint)
    return _KEY_OF[name]


def _near_names(name: str) -> list[str]:
    """Return what a name may have meant: a section is often left out."""
    import difflib  # only for a slip of the fingers

    field = name.rpartition(".")[2]
    same = [key.name for key in KEYS if field in (key.field, key.section)]
    return same[:3] or difflib.get_close_matches(name, _KEY_OF, n=2, cutoff=0.7)


def value_fault(key: Key, value: object) -> str:
    """Return why a setting can't have a value, "" where it can."""
    if isinstance(key.default, tuple) and isinstance(value, list):
        return "; ".join(fault for fault in (_item_fault(key, one) for one in value) if fault)
    return _fault(key, value)


def _usable_items(key: Key, values: list[object]) -> tuple[object, str]:
    """Return the items that can be used: one that is wrong must not switch off the others."""
    faults = [fault for fault in (_item_fault(key, value) for value in values) if fault]
    usable = tuple(value for value in values if not _item_fault(key, value))
    return usable, f"{'; '.join(faults)}; left out" if faults else ""


def _item_fault(key: Key, value: object) -> str:
    if not isinstance(value, str):
        return f"{value!r} is not a text"
    if key.name == "storage.safe_folders":
        is_path = value.startswith(("/", "~/")) or value[1:3] in (":\\", ":/")
        return "" if is_path else f"{value!r} is not the path of a folder from the top or from ~"
    try:
        re.compile(value)
    except (re.error, OverflowError, RecursionError) as error:
        return f"{value!r} is not a regular expression ({error})"
    return ""


def _fault(key: Key, value: object) -> str:
    default = key.default
    if isinstance(default, bool):
        return "" if isinstance(value, bool) else f"{value!r} is not true or false"
    if isinstance(default, str):
        return _text_fault(key, value)
    if isinstance(default, tuple):
        return f"{value!r} is not a list of texts"
    return _number_fault(key, value, whole=isinstance(default, int))


def _text_fault(key: Key, value: object) -> str:
    if not isinstance(value, str):
        return f"{value!r} is not a text"
    if key.choices and value not in key.choices:
        return f"{value!r} is not one of {', '.join(key.choices)}"
    return _address_fault(value) if key.field.endswith("_url") and value else ""


def _address_fault(value: str) -> str:
    # What is wrong is not shown: it may be a password.
    if not value.startswith(("http://", "https://")):
        return "not an address that begins with http:// or https://"
    if any(character in value for character in "@?#"):
        return "an address with a user, a password or a question; a key belongs in the environment"
    if not re.fullmatch(
        r"https?://(?:\[[0-9A-Fa-f:.]+\]|[\w.-]+)(?::\d+)?(?:/[!-~]*)?", value, re.A
    ):
        return "an address without a host, or with characters that none has"
    return ""


def _number_fault(key: Key, value: object, *, whole: bool) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return f"{value!r} is not a number"
    # Written so that NaN is out of range as well.
    if not key.low <= value <= key.high:
        return f"{value!r} is not between {key.low:g} and {key.high:g}"
    if whole and value != int(value):
        return f"{value!r} is not a whole number"
    return ""


def _unknown(data: dict[str, object], text: str, path: str) -> list[Problem]:
    from daily_memory.model import Problem  # as above

    problems = []
    for name, section in data.items():
        if name == "version":
            continue
        if name not in _SECTIONS or not isinstance(section, dict):
            what = "unknown section" if name not in _SECTIONS else "not an object"
            problems.append(Problem(path, line_of_key(text, name, ""), f"{name}: {what}; ignored"))
            continue
        for field in section:
            if f"{name}.{field}" not in _KEY_OF:
                line = line_of_key(text, name, field)
                problems.append(Problem(path, line, f"{name}.{field}: unknown key; ignored"))
    return problems


def _settings(sections: dict[str, dict[str, object]]) -> Settings:
    # Each value has been checked against the type of its default just before.
    return Settings(
        Storage(**sections["storage"]),  # type: ignore[arg-type]  # checked by check_value
        Recording(**sections["recording"]),  # type: ignore[arg-type]  # checked by check_value
        Recall(**sections["recall"]),  # type: ignore[arg-type]  # checked by check_value
        Retrieval(**sections["retrieval"]),  # type: ignore[arg-type]  # checked by check_value
        Semantic(**sections["semantic"]),  # type: ignore[arg-type]  # checked by check_value
        Mirror(**sections["mirror"]),  # type: ignore[arg-type]  # checked by check_value
    )


def with_consent(project: Settings, own: Settings, *, is_silent: bool = False) -> Settings:
    """Return a project's settings, with a summarizer only if the user's own name the same.

    A project's file comes with its repository: a stranger's must not choose where conversations
    go, with whose key, or how much of it. All but whether there is one is the user's own, and that
    too where the project's file `is_silent` about it.
    """
    asked = project.recording
    names = [name for name in asked._fields if name.startswith("summarizer")]
    chosen = own if is_silent or own.recording.summarizer == asked.summarizer else DEFAULTS
    values = {name: getattr(chosen.recording, name) for name in names}
    return project._replace(recording=asked._replace(**values))


def setting_values(settings: Settings) -> dict[str, object]:
    """Return each setting by its name, in the order of the table."""
    return {key.name: getattr(getattr(settings, key.section), key.field) for key in KEYS}


TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.model import Problem
