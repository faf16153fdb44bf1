"""What a tool was given and gave back → the few lines of it that are worth remembering.

    read    src/a.py:10-40
    edit    src/a.py, then `- ` and `+ ` before the lines that differ
    write   src/a.py (new, 42 lines), then the first lines that tell
    delete  src/a.py
    shell   $ pytest -q, then `exit 1`, then the lines that name the error or the count
    search  "retry" in src (*.py): 12 matches in 3 files
    list    src: 12 items
    fetch   https://example.org 404
    task    what was asked, then what came of it
    mcp:…   what was asked, then the beginning of the answer

It runs inside a hook, for any host: hosts differ in names and shapes and change both, so that
every field may be missing or odd. Of long output the two ends are read, and nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, takewhile

from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.redaction.command_output import hidden_output
from daily_memory.named_tuples import NamedTuple

MAX_CHARS = 1200
MAX_COMMAND_CHARS = 300
MAX_LINE_CHARS = 200
MAX_PATH_CHARS = 400

_HEAD_CHARS, _TAIL_CHARS = 20_000, 60_000
_MOST_FILES = 20
_MOST_LINES = 8
_MOST_DEPTH = 6

# Names are compared without case, blanks, `_` and `-`.
_NAMES = {
    "read": "read readfile view viewfile openfile notebookread beforereadfile",
    "edit": "edit multiedit editfile updatefile strreplace searchreplace notebookedit applypatch"
    " afterfileedit aftertabfileedit strreplacebasededittool",
    "write": "write writefile createfile writetofile",
    "delete": "delete deletefile removefile",
    "shell": "shell bash runcommand runterminalcmd runterminalcommand terminal executecommand"
    " powershell aftershellexecution execcommand",
    "search": "search grep glob grepsearch filesearch searchfiles codebasesearch searchcodebase"
    " semanticsearch searchbyregex websearch ripgrep findfiles",
    "list": "list ls listdir listdirectory listfiles viewfolder",
    "fetch": "fetch webfetch fetchurl",
    "task": "task agent subagent subagentstop",
}
_KNOWN = {name: tool for tool, names in _NAMES.items() for name in names.split()}

_PATH_KEYS = ("file_path", "filePath", "path", "target_file", "notebook_path", "relative_path")
_FILES_KEYS = ("files", "paths", "file_paths", "modified_files")
_OLD_KEYS = ("old_string", "old_str", "oldString", "old_text", "old_line")
_NEW_KEYS = ("new_string", "new_str", "newString", "new_text", "new_line", "new_source")
_TEXT_KEYS = ("contents", "content", "text", "file_text", "code_edit")
_COMMAND_KEYS = ("command", "cmd", "script")
_QUERY_KEYS = ("pattern", "query", "regex", "glob_pattern", "search_term", "information_request")
_PLACE_KEYS = ("path", "target_directory", "directory", "folder")
_STATUS_KEYS = ("exitCode", "exit_code", "exitcode", "returncode", "returnCode")
_OUTPUT_KEYS = (
    *("stdout", "output", "stderr", "result", "content", "text", "summary", "message", "error"),
)
_COUNT_KEYS = ("numMatches", "matchCount", "totalMatches", "total", "count")

# Words and not patterns: to compile these as patterns takes longer than all else a hook does.

# What only looks, and answers "no" by status 1.
_LOOKING = frozenset(
    "ls cat head tail less grep egrep rg ag find fd wc pwd cd which type echo printf tree stat file"
    " diff cmp test [ sleep true env ps pgrep du df date dir jq awk lsof sort uniq history whoami"
    " hostname uname read open code clear export source . set for while until if done fi"
    " Get-Content Get-ChildItem Select-String".split()
)
_LOOKING_WITH = {
    "sed": ("-n",),
    "git": tuple("status diff log show branch blame ls-files rev-parse fetch".split()),
    "docker": ("ps", "logs", "images", "inspect"),
    "kubectl": ("get", "describe", "logs"),
}
_LEADS = ("do ", "then ", "else ", "sudo ", "time ", "env ")
_FILTERS = frozenset("tail head grep tee cat less sed awk wc sort".split())
_RECALLING = (
    *("search", "inject", "show", "list", "today", "do", "export", "observations", "timeline"),
)
# What names an error, in compilers, test runners, shells and run-times: in lower case.
_ERROR_WORDS = (
    *("error", "fatal", "panic", "fail", "cannot", "can't", "could not", "not found", "no such"),
    *("denied", "refused", "undefined", "unresolved", "exception", "traceback", "timed out"),
    *(
        "timeout",
        "unable to",
        "invalid",
        "missing",
        "killed",
        "segmentation",
        "aborted",
        "warning:",
    ),
    *("npm err!", "err_", "econn", "enoent", "eacces", "✗", "✘", "×", "●", "❌", "mismatch"),
    *("错误", "失败", "异常", "找不到", "无法", "不存在", "拒绝", "报错"),
)
_NO_ERROR_WORDS = ("0 error", "no error", "0 fail", "no fail", "0 problem", "0 warning", "0 个错误")
_FRAMES = ("at ", 'file "', "... ")
# What says how it came out.
_COUNTED = (
    *("passed", "failed", "passing", "failing", "test", "error", "warning", "problem"),
    *("skipped", "examples", "assertions", "ran ", "coverage", "total"),
)
_CAME_OUT = (
    *("Found ", "Success", "success", "Compiled", "compiled", "Finished", "BUILD ", "Build "),
    *(
        "files changed",
        "file changed",
        "All checks",
        "All tests",
        "complete",
        "通过",
        "成功",
        "完成",
    ),
)
_NO_NEWS = (
    *("#!", "//", "/*", "*", "<!--", "-- ", "import ", "from ", "use ", "using ", "package "),
    *("#include", '"use ', "'use ", '"""'),
)
_BRACKETS = "{}()[]; \t"

_ESCAPE_CODE = lazy_pattern(r"\x1b\[[0-9;?]{0,12}[A-Za-z]|\x1b\][^\x07\n]{0,200}\x07|\x1b")
_EXIT_STATUS = lazy_pattern(r"[Ee]xit(?:ed)?(?: with)?(?: code| status)?:? (-?\d{1,10})")
_PATCHED = lazy_pattern(r"^\*\*\* (?:Update|Add|Delete) File: (\S.{0,399})$", re.M)
_JOINED = lazy_pattern(r"&&|\|\||;|\n")


class ToolUse(NamedTuple):
    """What a tool did, in at most MAX_CHARS; `files` are those that it read or changed."""

    tool: str
    text: str
    files: tuple[str, ...] = ()
    failed: bool = False


class Ran(NamedTuple):
    """A command as `compress` writes it down; `status` is None where the host told none."""

    command: str
    status: int | None
    failed: bool
    lines: tuple[str, ...]


class _Output(NamedTuple):
    text: str  # without escape codes, its two ends where it is long
    fields: Mapping[str, object]
    status: int | None
    failed: bool


def compress(tool: str, arguments: object, output: object, error: str = "") -> ToolUse:
    """Return what is worth remembering of one use of a tool, whichever host it ran in.

    `arguments` and `output` are values of JSON, or JSON in a text, or plain text. `error` is what
    the host says where the tool failed.

    >>> compress("Bash", {"command": "make"}, {"stdout": "cc a.c\\na.c:1: error: x"}, "Exit code 2")
    ToolUse(tool='shell', text='$ make\\nexit 2\\na.c:1: error: x', files=(), failed=True)
    """
    given = _mapping(arguments)
    name = _name(tool, given)
    gave = _output(output, error, is_shell=name == "shell")
    gave = gave._replace(text=hidden_output(_text(given, _COMMAND_KEYS), gave.text))
    writer = _WRITERS.get(name, _other)
    text = _gist_of_mcp(given, gave, name) if name.startswith("mcp:") else writer(given, gave)
    failed = gave.failed
    if name == "shell":
        failed = failed and not _is_answer_no(given, gave)
    return ToolUse(name, _clean(text), _files(name, given), failed)


def is_known(tool: str) -> bool:
    """Tell whether `ToolUse.tool` is one of our own names, and not as the host says it."""
    return tool in _NAMES


def parse_ran(text: str) -> Ran:
    """Return the command that a text of `compress` tells of; the command is "" for another text.

    >>> parse_ran("$ make\\nexit 2\\nmake: *** [all] Error 2")
    Ran(command='make', status=2, failed=True, lines=('make: *** [all] Error 2',))
    """
    first, *rest = text.split("\n")
    if not first.startswith("$ "):
        return Ran("", None, False, tuple(rest))
    verdict = rest[0] if rest else ""
    if verdict == "failed":
        return Ran(first[2:], None, True, tuple(rest[1:]))
    if verdict.startswith("exit ") and verdict[5:].lstrip("-").isdecimal():
        return Ran(first[2:], int(verdict[5:]), verdict != "exit 0", tuple(rest[1:]))
    return Ran(first[2:], None, False, tuple(rest))


# ---------------------------------------------------------------------------- what comes in


def _name(tool: str, given: Mapping[str, object]) -> str:
    lowered = tool.strip().lower()
    if lowered.startswith("mcp__"):
        server, _, name = lowered[5:].partition("__")
        return f"mcp:{server}.{name}" if name else f"mcp:{server}"
    if lowered.startswith("mcp:"):
        server = _text(given, ("server", "server_name"))
        name = lowered[4:].strip()
        return f"mcp:{server}.{name}" if server else f"mcp:{name}"
    known = _KNOWN.get("".join(lowered.replace("_", " ").replace("-", " ").split()), "")
    if known == "write" and _edits(given):
        return "edit"
    return known or lowered[:80]


def _mapping(value: object) -> Mapping[str, object]:
    """Return the fields of a value; a plain text stands under "text"."""
    value = _decoded(value)
    if isinstance(value, Mapping):
        return value
    return {"text": value} if isinstance(value, str) else {}


def _decoded(value: object) -> object:
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _output(output: object, error: str, *, is_shell: bool) -> _Output:
    value = _decoded(output)
    fields = value if isinstance(value, Mapping) else {}
    said = [part for part in (_said(value), _said(error)) if part]
    text = _without_recalled(_ends("\n".join(dict.fromkeys(said))))
    status = _status(fields)
    said_first = error[:2000] or text[:200].lstrip()
    if is_shell and status is None and "xit" in said_first:
        found = _EXIT_STATUS.search(said_first) if error else _EXIT_STATUS.match(said_first)
        status = int(found[1]) if found else None
    told = fields.get("isError") is True or fields.get("is_error") is True
    told = told or fields.get("success") is False or fields.get("interrupted") is True
    return _Output(text, fields, status, bool(error) or told or bool(status))


def _status(fields: Mapping[str, object]) -> int | None:
    for key in _STATUS_KEYS:
        value = fields.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, str) and value.strip().lstrip("-").isdecimal():
            return int(value)
    return None


def _said(value: object, depth: int = 0) -> str:
    """Return the text in a value: that of the fields which hosts put text into, or of all items."""
    if isinstance(value, str):
        return _ends(value)
    if depth < _MOST_DEPTH and isinstance(value, Mapping):
        parts = [_said(value[key], depth + 1) for key in _OUTPUT_KEYS if key in value]
        return "\n".join(dict.fromkeys(part for part in parts if part.strip()))
    if depth < _MOST_DEPTH and isinstance(value, list):
        return "\n".join(part for item in value[:200] if (part := _said(item, depth + 1)))
    return ""


def _ends(text: str) -> str:
    if len(text) > _HEAD_CHARS + _TAIL_CHARS:
        return f"{text[:_HEAD_CHARS]}\n{text[-_TAIL_CHARS:]}"
    return text


def _without_recalled(text: str) -> str:
    if "daily-memory-" in text:
        # Loaded here: next to no output holds recalled text, and the module takes a while to load.
        from daily_memory.core.context import without_context

        return without_context(text)
    return text


def _text(fields: Mapping[str, object], keys: Sequence[str]) -> str:
    """Return the first text under one of the keys, "" for none."""
    for key in keys:
        value = fields.get(key)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def _number(fields: Mapping[str, object], keys: Sequence[str]) -> int:
    """Return the first number under one of the keys, -1 for none."""
    for key in keys:
        value = fields.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return -1


def _files(name: str, given: Mapping[str, object]) -> tuple[str, ...]:
    if name not in ("read", "edit", "write", "delete", "task"):
        return ()
    found = [_text(given, _PATH_KEYS)] if name != "task" else []
    for key in _FILES_KEYS:
        value = given.get(key)
        items = value[:_MOST_FILES] if isinstance(value, list) else []
        found += [item for item in items if isinstance(item, str)]
    found += _PATCHED.findall(_ends(_patch(given))) if name == "edit" else []
    cut = (path.strip() for path in found if len(path) <= MAX_PATH_CHARS and "\n" not in path)
    return tuple(dict.fromkeys(path for path in cut if path))[:_MOST_FILES]


# ---------------------------------------------------------------------------- files


def _of_read(given: Mapping[str, object], gave: _Output) -> str:
    first = _number(given, ("offset", "start_line", "start_line_one_indexed"))
    last = _number(given, ("end_line", "end_line_one_indexed_inclusive"))
    limit = _number(given, ("limit",))
    if last < 0 <= limit:
        last = max(first, 1) + limit - 1
    lines = f":{max(first, 1)}-{last}" if last > 0 else f":{first}-" if first > 1 else ""
    return _with_error(f"{_paths(given, 'read')}{lines}", gave)


def _of_edit(given: Mapping[str, object], gave: _Output) -> str:
    lines = [line for old, new in _edits(given) for line in _differing(old, new)]
    lines += [line for line in _ends(_patch(given)).split("\n") if line[:1] in ("+", "-")]
    return _with_error("\n".join((_paths(given, "edit"), *_shortest(lines))), gave)


def _of_write(given: Mapping[str, object], gave: _Output) -> str:
    content = _text(given, _TEXT_KEYS)
    is_new = gave.fields.get("type") == "create"
    lines = content.removesuffix("\n").split("\n")
    size = _counted(len(lines), "line") if content else ""
    facts = ", ".join(fact for fact in ("new" if is_new else "", size) if fact)
    head = f"{_paths(given, 'write')} ({facts})" if facts else _paths(given, "write")
    telling = [_cut(line) for line in lines[:400] if not _is_no_news(line.strip())]
    return _with_error("\n".join((head, *telling[:4])), gave)


def _is_no_news(line: str) -> bool:
    return line.startswith(_NO_NEWS) or not line.strip(_BRACKETS)


def _of_delete(given: Mapping[str, object], gave: _Output) -> str:
    return _with_error(_paths(given, "delete"), gave)


def _paths(given: Mapping[str, object], name: str) -> str:
    return ", ".join(_files(name, given)) or "?"


def _patch(given: Mapping[str, object]) -> str:
    text = _text(given, ("patch", "diff", "input", "text"))
    return text if text.startswith(("***", "---", "diff ")) else ""


def _edits(given: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return what each edit replaced, and by what."""
    value = given.get("edits")
    items = value if isinstance(value, list) else [given]
    edits = [item for item in items if isinstance(item, Mapping)]
    pairs = [(_text(edit, _OLD_KEYS), _text(edit, _NEW_KEYS)) for edit in edits[:_MOST_FILES]]
    return [pair for pair in pairs if any(pair)]


def _differing(old: str, new: str) -> Iterator[str]:
    """Yield the lines that went and those that came, without what both begin and end with."""
    gone, come = _ends(old).split("\n"), _ends(new).split("\n")
    head = _shared(gone, come)
    gone, come = gone[head:], come[head:]
    tail = _shared(gone[::-1], come[::-1])
    for mark, lines in (("-", gone), ("+", come)):
        kept = lines[: len(lines) - tail]
        yield from (f"{mark} {line.strip()}" for line in kept if line.strip())


def _shared(some: list[str], others: list[str]) -> int:
    """Return with how many equal lines two lists begin."""
    pairs = zip(some, others, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _shortest(lines: list[str]) -> list[str]:
    """Return some of the lines of a diff, as many of what came as of what went."""
    half = _MOST_LINES // 2
    kept = {mark: [line for line in lines if line[0] == mark][:half] for mark in "-+"}
    return [_cut(line) for line in lines if line in kept[line[0]]][:_MOST_LINES]


# ---------------------------------------------------------------------------- commands, searches


def _of_shell(given: Mapping[str, object], gave: _Output) -> str:
    command = _command(given)
    failed = gave.failed and not _is_answer_no(given, gave)
    verdict = f"exit {gave.status}" if gave.status is not None else "failed" if failed else ""
    lines = [] if _is_recalling(command) else _telling(command, gave.text, failed=failed)
    head = f"$ {_shortened(' '.join(command.split()), MAX_COMMAND_CHARS)}"
    return "\n".join(part for part in (head, verdict, *lines) if part)


def _command(given: Mapping[str, object]) -> str:
    command = _text(given, _COMMAND_KEYS) or _text(given, ("text",)) or "?"
    return command[: 4 * MAX_COMMAND_CHARS]


def bare_command(command: str) -> str:
    """Return the part of a command line that does something, without what it only looks at.

    >>> bare_command("cd /work/app && CI=1 npm test 2>&1 | tail -20")
    'npm test'
    """
    parts = [_without_leads(part.strip()) for part in _JOINED.split(command)]
    acting = next((part for part in parts if part and not is_looking(part)), parts[-1])
    if acting.count('"') % 2 or acting.count("'") % 2:
        # A quoted text with a semicolon in it.
        acting = command.strip()
    return _without_filters(acting) or command.strip()


def is_looking(command: str) -> bool:
    """Tell whether a bare command changes nothing and finds nothing out but what there is."""
    words = command.split(None, 2)
    if len(words) > 1 and words[0] in _LOOKING_WITH:
        return words[1] in _LOOKING_WITH[words[0]]
    return bool(words) and words[0] in _LOOKING


def _without_leads(command: str) -> str:
    """Return a command without words such as `sudo` and the variables that are set before it."""
    while True:
        first, _, rest = command.partition(" ")
        name, sign, _ = first.partition("=")
        is_set = sign and name.isupper() and name.isidentifier()
        if not rest or not (is_set or command.startswith(_LEADS)):
            return command
        command = rest.lstrip()


def _without_filters(command: str) -> str:
    """Return a command without the pipe that only shortens what it puts out."""
    parts = command.replace("2>&1", "").split("|")
    while len(parts) > 1 and parts[-1].split(None, 1)[:1] and parts[-1].split()[0] in _FILTERS:
        parts.pop()
    return "|".join(parts).strip()


def _is_recalling(command: str) -> bool:
    words = command.replace("/", " ").replace("memory.py", "memory").split()
    return any(one.endswith("memory") and two in _RECALLING for one, two in pairwise(words))


def _is_answer_no(given: Mapping[str, object], gave: _Output) -> bool:
    """Tell whether status 1 only says that nothing was found, or that two things differ."""
    return gave.status == 1 and is_looking(bare_command(_command(given)))


def _telling(command: str, text: str, *, failed: bool) -> list[str]:
    """Return the lines of an output that name an error, or say how it came out."""
    lines = [_cut(line) for line in _lines(text)]
    lines = [line for line in lines if line and not line.lower().startswith("exit code")]
    summaries = [line for line in lines if _sums_up(line)]
    if failed:
        errors = [line for line in lines if _names_an_error(line.lower())]
        chosen = dict.fromkeys((*errors[: _MOST_LINES - 2], *summaries[-2:]))
        return list(chosen or lines[-3:])
    if is_looking(bare_command(command)):
        return []
    return list(dict.fromkeys(summaries[-3:])) or lines[-1:]


def _names_an_error(lowered: str) -> bool:
    if lowered.startswith(_FRAMES) or any(word in lowered for word in _NO_ERROR_WORDS):
        return False
    return lowered.startswith("e ") or any(word in lowered for word in _ERROR_WORDS)


def _sums_up(line: str) -> bool:
    if any(word in line for word in _CAME_OUT) or line.startswith(("ok ", "FAIL", "--- FAIL")):
        return True
    lowered = line.lower()
    is_count = any(word in lowered for word in _COUNTED)
    return is_count and any(character.isdigit() for character in line)


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        # What a progress bar wrote over is not on the screen any more.
        shown = line.rstrip("\r").rpartition("\r")[2][: 4 * MAX_LINE_CHARS]
        yield _ESCAPE_CODE.sub("", shown) if "\x1b" in shown else shown


def _of_search(given: Mapping[str, object], gave: _Output) -> str:
    pattern = _text(given, _QUERY_KEYS) or _text(given, ("glob", "text")) or "?"
    place = _text(given, _PLACE_KEYS)
    kinds = _text(given, ("glob", "include", "include_pattern", "type"))
    head = f'"{_cut(pattern)}"' + (f" in {_cut(place)}" if place else "")
    head += f" ({_cut(kinds)})" if kinds and kinds != pattern else ""
    return _with_error(f"{head}: {_found(gave)}", gave)


def _found(gave: _Output) -> str:
    names = gave.fields.get("filenames") or gave.fields.get("files")
    files = _number(gave.fields, ("numFiles", "totalFiles"))
    files = len(names) if files < 0 and isinstance(names, list) else files
    results = gave.fields.get("results")
    matches = _number(gave.fields, (*_COUNT_KEYS, "numLines"))
    matches = len(results) if matches < 0 and isinstance(results, list) else matches
    if matches >= 0:
        noun = "match" if matches == 1 else "matches"
        return f"{matches} {noun}" + (f" in {_counted(files, 'file')}" if files > 0 else "")
    if files >= 0:
        return _counted(files, "file")
    text = gave.text.strip()
    if not text or text[:40].lower().startswith(("no matches", "no files", "no results")):
        return "nothing found"
    return _counted(text.count("\n") + 1, "line")


def _of_list(given: Mapping[str, object], gave: _Output) -> str:
    place = _text(given, _PLACE_KEYS) or _text(given, ("relative_workspace_path", "text")) or "."
    return _with_error(f"{_cut(place)}: {_counted(len(gave.text.split()), 'item')}", gave)


def _of_fetch(given: Mapping[str, object], gave: _Output) -> str:
    url = _text(given, ("url", "uri", "text")) or "?"
    code = _number(gave.fields, ("code", "status", "statusCode", "status_code"))
    return _with_error(_cut(url) + (f" {code}" if code >= 0 else ""), gave)


# ---------------------------------------------------------------------------- the rest


def _of_task(given: Mapping[str, object], gave: _Output) -> str:
    asked = _text(given, ("description", "task", "prompt", "text"))
    outcome = gave.text.strip() or _text(given, ("summary", "status"))
    return "\n".join(part for part in (_cut(asked), _shortened(outcome, 800)) if part)


def _of_todos(given: Mapping[str, object], gave: _Output) -> str:
    """Return the list as one of check boxes, `[x]` for what is done."""
    value = given.get("todos")
    items = value[:30] if isinstance(value, list) else []
    lines = []
    for item in items:
        if isinstance(item, Mapping) and (said := _text(item, ("content", "title", "task"))):
            mark = "x" if item.get("status") in ("completed", "done", "cancelled") else " "
            lines.append(f"- [{mark}] {_cut(said)}")
    return "\n".join(lines) or _other(given, gave)


def _of_question(given: Mapping[str, object], gave: _Output) -> str:
    """Return what the user was asked and answered, a line each: `question → answer`."""
    answers = gave.fields.get("answers")
    if not isinstance(answers, Mapping):
        return _other(given, gave)
    told = [(str(asked), answer) for asked, answer in answers.items() if isinstance(answer, str)]
    return "\n".join(f"{_cut(asked)} → {_cut(answer)}" for asked, answer in told[:_MOST_LINES])


def _gist_of_mcp(given: Mapping[str, object], gave: _Output, name: str) -> str:
    # What our own tools answer was remembered before.
    return _arguments(given) if "memory" in name else _other(given, gave)


def _other(given: Mapping[str, object], gave: _Output) -> str:
    parts = (_arguments(given), _shortened(" ".join(gave.text[:4000].split()), 400))
    return "\n".join(part for part in parts if part)


def _arguments(given: Mapping[str, object]) -> str:
    said = (f"{key}={_value(value)}" for key, value in list(given.items())[:8])
    return _shortened(", ".join(said), 400)


def _value(value: object) -> str:
    if isinstance(value, (Mapping, list)):
        return f"({len(value)})"
    return _shortened(" ".join(str(value)[:1000].split()), 120)


def _with_error(text: str, gave: _Output) -> str:
    if not gave.failed:
        return text
    line = next((line for line in _lines(gave.text) if line.strip()), "")
    return "\n".join(part for part in (text, "failed", _cut(line)) if part)


def _cut(line: str) -> str:
    return _shortened(" ".join(line[: 4 * MAX_LINE_CHARS].split()), MAX_LINE_CHARS)


def _shortened(text: str, max_chars: int) -> str:
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + "…"


def _clean(text: str) -> str:
    """Return the text as any file can hold it: half a character of JSON is no character."""
    return _shortened(text, MAX_CHARS).encode("utf-8", "replace").decode()


_WRITERS = {
    "read": _of_read,
    "edit": _of_edit,
    "write": _of_write,
    "delete": _of_delete,
    "shell": _of_shell,
    "search": _of_search,
    "list": _of_list,
    "fetch": _of_fetch,
    "task": _of_task,
    "todowrite": _of_todos,
    "askuserquestion": _of_question,
}


def _counted(number: int, noun: str) -> str:
    from daily_memory.model import counted  # most tools count nothing, and a host waits for each

    return counted(number, noun)
