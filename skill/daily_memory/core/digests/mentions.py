"""Files, functions, classes and error codes that a conversation names, and its tags."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from daily_memory.core.digests.actions import Actions
from daily_memory.core.digests.messages import MessageParts
from daily_memory.core.format import markdown
from daily_memory.core.redaction.view import MARK
from daily_memory.core.search import keywords
from daily_memory.model import Session

MAX_PATH_CHARS = 200
MAX_TAGS = 7
# A capital not at the beginning of a sentence.
_PROPER = re.compile(r"(?<=[a-z,，、：（\u3400-\u9fff]) ?\b([A-Z][A-Za-z]{2,20})(?![\w.-])")


# Chinese file names only in backticks: elsewhere they can't be told from the sentence.
_PATH_LIKE = re.compile(r"`([^`\s=(){}\"'<>|*$,;]{3,200})`|[A-Za-z0-9_.@~+\\/:%-]{3,}")
_LINE_SUFFIX = re.compile(r":\d.{0,12}$")
_EXTENSIONS = (
    "py pyi ipynb js jsx mjs cjs ts tsx vue svelte java kt kts scala go rs rb php c h cc cpp hpp cs"
    " swift m mm lua pl r jl ex exs erl hs clj dart sh bash zsh ps1 bat sql html htm css scss sass"
    " less json jsonc json5 jsonl yml yaml toml ini cfg conf env xml md mdx mdc rst txt csv tsv"
    " proto graphql gradle tf lock log svg png jpg jpeg gif pdf docx xlsx pptx"
)
_FILE_NAME = re.compile(
    rf".{{1,120}}\.(?:{_EXTENSIONS.replace(' ', '|')})|(?:Docker|Make|Jenkins|Proc|Gem|Rake)file"
    r"|LICENSE|\.env[\w.]{0,20}|\.(?:git|docker)ignore|\.editorconfig"
)
# `Node.js` and `Vue.js` are names of things, not of files.
_PRODUCT = re.compile(
    r"(?:node|vue|next|nuxt|react|express|three|d3|socket|nest|ember|backbone)\.(?:js|io)",
    re.IGNORECASE,
)
# ASCII: a name may be between Chinese characters. In small letters only as code or as a call.
_IDENTIFIER = re.compile(
    r"(?<![\w/-])(?:(?:[A-Z][a-z0-9]+){2,5}(?![\w-])"
    r"|(?:[a-z]+(?:[A-Z][a-z0-9]+){1,5}|[A-Za-z]+_\w{1,40})(?=[(`]|\.\w))",
    re.ASCII,
)
_ERROR_CODE = re.compile(
    r"""
    (?<![\w./#-]) (?: SQLSTATE [\[\s:=(]{1,3} (?P<state>[0-9A-Z]{5})
    | (?: HTTP (?:/\d(?:\.\d)?)? [\s-] (?:status\ |code\ )? | status\ (?:code\ )?
        | 状态码 \s? | 返回 \s? | 报 \s? ) (?P<status>[45]\d\d)
    | [A-Z]\w{1,50}(?:Error|Exception|Warning|Failure) | OOMKilled | CrashLoopBackOff
    | ImagePullBackOff | Segmentation\ fault | CVE-\d{4}-\d{4,7} | 0x8[0-9A-Fa-f]{7}
    | E(?:CONN|ADDR|ACC|NO|PIPE|TIME|PERM|EXIST|NOT|HOST|NET|BUSY|MFILE|AI_)[A-Z_]{0,20}
    | ERR_[A-Z_]{3,40} | SIG(?:SEGV|KILL|ABRT|TERM|BUS)
    | (?:E|C|LNK|TS|CS|CA|RS|SC|SQL|ORA-|MSB|NU|NETSDK|P|F|W)\d{3,5} ) (?!\w)
    """,
    re.VERBOSE | re.ASCII,
)


def tags_of(session: Session, parts: Sequence[MessageParts], done: Actions) -> tuple[str, ...]:
    """Return tags: codes of errors, functions and classes, then words of the digest."""
    lists = (session.key_points, session.decisions, session.open_questions, session.next_steps)
    # What was hidden is no word of the user.
    topic = MARK.sub(" ", session.topic)
    chosen = MARK.sub(" ", "\n".join((topic, *(text for texts in lists for text in texts))))
    said = MARK.sub(" ", "\n".join(part.prose for part in parts))
    codes = _ranked(error_codes(f"{chosen}\n{said}\n{MARK.sub(' ', done.errors)}"))
    codes = [code for code in codes if code != "AssertionError" or code in said][:3]
    files = "\n".join(f"`{path.rpartition('/')[2]}`" for path in done.touched)
    kept = set(identifiers(f"{chosen}\n{files}"))
    named = [name for name in _ranked(identifiers(f"{chosen}\n{said}\n{files}")) if name in kept]
    # A name such as Redis, used more than once.
    capitals = Counter(_PROPER.findall(said)).most_common(20)
    proper = [name for name, count in capitals if count > 1 and name in chosen][:2]
    words = keywords.suggest_tags(Session(session.date, topic=topic, summary=chosen), said=said)
    first = (*codes, *named[:3])
    known = " ".join(first).lower()
    others = (word for word in (*proper, *words) if word.lower() not in known)
    tags = [markdown.clean_tag(name.replace(" ", "-")) for name in (*first, *others)]
    spelled = {tag.lower(): tag for tag in reversed(tags)}
    ordered = dict.fromkeys(spelled[tag.lower()] for tag in tags if tag)
    return tuple(keywords.without_flags(ordered))[:MAX_TAGS]


def _ranked(names: Iterable[str]) -> list[str]:
    return [name for name, _ in Counter(names).most_common()]


def file_paths(text: str) -> Iterator[str]:
    """Return the file paths in a text, with repetitions.

    >>> list(file_paths("see `src/a.py:42`, not https://x.org/b.html"))
    ['src/a.py']
    """
    for match in _PATH_LIKE.finditer(text):
        path = _LINE_SUFFIX.sub("", (match[1] or match[0]).rstrip(".:,-/\\"))
        path = path.removeprefix("file:").removeprefix("./")
        name = path.replace("\\", "/").rpartition("/")[2]
        is_address = "://" in path or path.startswith(("//", "www.", "http:")) or "@" in path
        is_file = _FILE_NAME.fullmatch(name) and not _PRODUCT.fullmatch(path)
        if is_file and not is_address and len(path) <= MAX_PATH_CHARS:
            yield path


def identifiers(text: str) -> list[str]:
    """Return the functions and classes that a text names, with repetitions.

    >>> identifiers("`TokenStore.refresh()` calls retry_later() in a RetryPolicy")
    ['TokenStore', 'retry_later', 'RetryPolicy']
    """
    return _IDENTIFIER.findall(text)


def error_codes(text: str) -> Iterator[str]:
    """Return the error codes and error names in a text, with repetitions.

    >>> list(error_codes("HTTP 500: SQLSTATE[42P01], then ECONNREFUSED and a TypeError"))
    ['HTTP-500', 'SQLSTATE-42P01', 'ECONNREFUSED', 'TypeError']
    """
    for match in _ERROR_CODE.finditer(text):
        kind = match.lastgroup
        name = {"state": "SQLSTATE-", "status": "HTTP-"}.get(kind, "") if kind else ""
        yield name + (match[kind] if kind else match[0]).replace(" ", "-")
