"""What a text names: files, functions and classes, and the codes of errors."""

from __future__ import annotations

import re
from collections.abc import Iterator

MAX_PATH_CHARS = 200

# Chinese file names only in code quotes: elsewhere nothing tells them from the sentence.
_PATH_LIKE = re.compile(
    r"""
      ` ([^`\s=(){}"'<>|*$,;]{3,200}) `
    | [A-Za-z0-9_.@~+\\/:%-]{3,}
    """,
    re.VERBOSE,
)
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
_QUOTED = re.compile(r"`([^`\n]{2,80})`")
# ASCII: a name may stand between Chinese characters.
_CAMEL = re.compile(
    r"""
    (?<![\w./-]) (?: (?:[A-Z][a-z0-9]+){2,5} (?![\w-]) | [a-z]+ (?:[A-Z][a-z0-9]+){1,5} (?=\() )
    """,
    re.VERBOSE | re.ASCII,
)
_CALL = re.compile(r"(?<![\w/-])(?:[A-Za-z_]\w{0,40}\.){0,2}([A-Za-z_]\w{2,40})\(", re.ASCII)
_DOT = re.compile(r"\.|::|#")
_NAME = re.compile(
    r"([A-Za-z_]\w{0,40}(?:(?:\.|::|\#)[A-Za-z_]\w{0,40}){0,3})(?:\([^()`]{0,40}\))?", re.ASCII
)
_IS_IDENTIFIER = re.compile(r"[a-z][A-Z]|[A-Za-z]_[A-Za-z]|^[A-Z][a-z]+[A-Z]")
_ERROR_CODE = re.compile(
    r"""
    (?<![\w./#-]) (?:
      ( [A-Z]\w{1,50}(?:Error|Exception|Warning|Failure) )      # TypeError
    | ( E(?:CONN|ADDR|ACC|NO|PIPE|TIME|PERM|EXIST|NOT|HOST|NET|BUSY|MFILE|RESOLVE|LIFE|BAD|IS|INTR
          |PROTO|AI_)[A-Z_]{0,20} | ERR_[A-Z_]{3,40} | SIG(?:SEGV|KILL|ABRT|TERM|BUS) )
    | ( OOMKilled | CrashLoopBackOff | ImagePullBackOff | Segmentation\ fault )
    | ( (?:E|C|LNK|TS|CS|CA|RS|SC|SQL|ORA-|MSB|NU|NETSDK|P|F|W)\d{3,5} )   # E404, C1083, TS2345
    | ( CVE-\d{4}-\d{4,7} | 0x8[0-9A-Fa-f]{7} )
    | SQLSTATE [\[\s:=(]{1,3} ( [0-9A-Z]{5} )
    | HTTP (?:/\d(?:\.\d)?)? [\s-] (?:status\ |code\ )? ( [45]\d\d ) | (?: status\ (?:code\ )?
        | 状态码 \s? | 返回 \s? | 报 \s? ) ( [45]\d\d )
    ) (?!\w)
    """,
    re.VERBOSE | re.ASCII,
)


def paths(text: str) -> Iterator[str]:
    """Return the paths of files that a text names, as often as it names them.

    >>> list(paths("see `src/a.py:42`, not https://x.org/b.html"))
    ['src/a.py']
    """
    for match in _PATH_LIKE.finditer(text):
        path = _LINE_SUFFIX.sub("", (match[1] or match[0]).rstrip(".:,-/\\"))
        path = path.removeprefix("file:").removeprefix("./")
        name = path.replace("\\", "/").rpartition("/")[2]
        if len(path) <= MAX_PATH_CHARS and _is_path(path) and _FILE_NAME.fullmatch(name):
            yield path


def _is_path(path: str) -> bool:
    is_address = "://" in path or path.startswith(("//", "www.", "http:"))
    return not (is_address or "@" in path or _PRODUCT.fullmatch(path))


def identifiers(text: str) -> Iterator[str]:
    """Return the functions and classes that a text names, as often as it names them.

    >>> list(identifiers("`TokenStore.refresh()` calls retry_later() in a RetryPolicy"))
    ['TokenStore', 'RetryPolicy', 'retry_later']
    """
    for quoted in _QUOTED.findall(text):
        named = _NAME.fullmatch(quoted)
        if named:
            parts = _DOT.split(named[1])
            yield from [part for part in parts if _IS_IDENTIFIER.search(part)][:1]
        else:
            yield from _CAMEL.findall(quoted.rpartition("/")[2])
    bare = _QUOTED.sub(" ", text)
    yield from _CAMEL.findall(bare)
    yield from (name for name in _CALL.findall(bare) if _IS_IDENTIFIER.search(name))


def error_codes(text: str) -> Iterator[str]:
    """Return the codes and names of errors in a text, as often as they occur.

    >>> list(error_codes("HTTP 500: SQLSTATE[42P01], then ECONNREFUSED and a TypeError"))
    ['HTTP-500', 'SQLSTATE-42P01', 'ECONNREFUSED', 'TypeError']
    """
    for match in _ERROR_CODE.finditer(text):
        *plain, state, status, told = match.groups()
        if state:
            yield f"SQLSTATE-{state}"
        elif status or told:
            yield f"HTTP-{status or told}"
        else:
            yield next(code for code in plain if code).replace(" ", "-")
