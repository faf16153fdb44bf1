"""Shortens a tool call to the few lines worth recording.

    read    src/a.py
    edit    src/a.py, then `- ` and `+ ` before the lines that differ
    write   src/a.py (new, 42 lines), then its first lines
    delete  src/a.py
    shell   $ pytest -q, then `exit 1`, then the lines with the error or the count
    search  retry, src, *.py: the terms; list and fetch likewise
    task    the task, then its result
    todos   the tasks of a list, and plan: the approved plan, see `planning`
    mcp:…   the arguments, then the beginning of the answer

It runs inside a hook, for any host. Names and shapes differ between hosts and versions, so every
field may be missing or unexpected. Of long output only the two ends are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from daily_memory.core.json_fields import decoded, list_in, object_in, objects, text_in
from daily_memory.core.lazy_pattern import lazy_pattern
from daily_memory.core.redaction.command_output import hidden_output
from daily_memory.core.tools.commands import bare_command, is_looking, is_recalling
from daily_memory.core.tools.shorten import MAX_LINE_CHARS, one_line, shortened
from daily_memory.named_tuples import NamedTuple

MAX_CHARS = 1200
MAX_COMMAND_CHARS = 300
MAX_PATH_CHARS = 400

_HEAD_CHARS, _TAIL_CHARS = 20_000, 60_000
_MOST_FILES = 20
_MOST_LINES = 8
_MOST_DEPTH = 6

# Names are compared without case, blanks, `_` and `-`.
_NAMES = {
    "read": "read readfile view viewfile openfile notebookread beforereadfile",
    "edit": "edit multiedit editfile updatefile strreplace searchreplace notebookedit applypatch"
    " patch afterfileedit aftertabfileedit strreplacebasededittool replace replaceinfile",
    "write": "write writefile create createfile writetofile",
    "delete": "delete deletefile removefile",
    "shell": "shell bash runcommand runterminalcmd runterminalcommand terminal executecommand"
    " powershell aftershellexecution execcommand runshellcommand",
    "search": "search grep glob grepsearch filesearch searchfiles codebasesearch searchcodebase"
    " semanticsearch searchbyregex websearch ripgrep findfiles searchfilecontent googlewebsearch",
    "list": "list ls listdir listdirectory listfiles viewfolder",
    "fetch": "fetch webfetch fetchurl",
    "task": "task agent subagent subagentstop",
    "todos": "todowrite writetodos updateplan updatetodo updatetodos updatetodolist managetodolist"
    " todo taskcreate taskupdate taskget tasklist trackercreatetask trackerupdatetask",
    "plan": "exitplanmode",
}
# Those that change files.
CHANGING = ("edit", "write", "delete")
_KNOWN = {name: tool for tool, names in _NAMES.items() for name in names.split()}

_PATH_KEYS = ("file_path", "filePath", "path", "target_file", "notebook_path", "relative_path")
_FILES_KEYS = ("files", "paths", "file_paths", "modified_files")
_OLD_KEYS = ("old_string", "old_str", "oldString", "old_text", "old_line")
_NEW_KEYS = ("new_string", "new_str", "newString", "new_text", "new_line", "new_source")
_TEXT_KEYS = ("contents", "content", "text", "file_text", "code_edit")
_COMMAND_KEYS = ("command", "cmd", "script")
_LOOKING_KEYS = tuple(
    "pattern query regex glob_pattern search_term information_request url uri path target_directory"
    " directory folder relative_workspace_path glob include include_pattern type text".split()
)
_STATUS_KEYS = ("exitCode", "exit_code", "exitcode", "returncode", "returnCode")
_OUTPUT_KEYS = ("stdout", "output", "stderr", "result", "content", "text", "summary", "message")

# In lower case: what names an error in compilers, test runners, shells and run-times.
_ERROR_WORDS = tuple(
    "error|fatal|panic|fail|cannot|can't|could not|not found|no such|denied|refused|undefined"
    "|unresolved|exception|traceback|timed out|timeout|unable to|invalid|missing|killed"
    "|segmentation|aborted|warning:|npm err!|err_|econn|enoent|eacces|✗|✘|×|●|❌|mismatch"
    "|错误|失败|异常|找不到|无法|不存在|拒绝|报错".split("|")
)
_NO_ERROR_WORDS = ("0 error", "no error", "0 fail", "no fail", "0 problem", "0 warning", "0 个错误")
_FRAMES = ("at ", 'file "', "... ")

_ESCAPE_CODE = lazy_pattern(r"\x1b\[[0-9;?]{0,12}[A-Za-z]|\x1b\][^\x07\n]{0,200}\x07|\x1b")
_EXIT_STATUS = lazy_pattern(r"[Ee]xit(?:ed)?(?: with)?(?: code| status)?:? (-?\d{1,10})")
# The first line of the message, also of `-m "$(cat <<'EOF'`, unless the command is itself quoted.
_COMMIT = lazy_pattern(
    r"""(?<!["'`])\bgit commit\b[^\n"';&|]*? (?:-\w*m|--message)[ =]"""
    r"""(?:"\$\(cat <<-?\s*['"]?\w+['"]?\n\s*(.+)|"(?!\$)((?:[^"\\\n]|\\.)+)|'([^'\n]+))"""
)
COMMITTED = "committed: "
_PATCHED = lazy_pattern(r"(?m)^\*\*\* (?:Update|Add|Delete) File: (\S.{0,399})$")


class ToolUse(NamedTuple):
    """A tool call, shortened to MAX_CHARS; `files` were read or changed."""

    tool: str
    text: str
    files: tuple[str, ...] = ()
    failed: bool = False


class _Output(NamedTuple):
    text: str
    fields: Mapping[str, object]
    status: int | None
    failed: bool


def shorten_call(tool: str, arguments: object, output: object, error: str = "") -> ToolUse:
    """Return a tool call, shortened for the record.

    `arguments` and `output` are JSON values, JSON text, or plain text. `error` is what the host
    says where the tool failed.

    >>> shorten_call("Bash", {"command": "make"}, {"stdout": "a.c:1: error: x"}, "Exit code 2")
    ToolUse(tool='shell', text='$ make\\nexit 2\\na.c:1: error: x', files=(), failed=True)
    """
    args = _mapping(arguments)
    name = _name(tool, args)
    result = _output(output, error, is_shell=name == "shell")
    result = result._replace(text=hidden_output(text_in(args, *_COMMAND_KEYS), result.text))
    if name == "shell" and result.status == 1 and is_looking(bare_command(_command(args))):
        # Nothing was found, or two things differ: an answer.
        result = result._replace(failed=False)
    if name.startswith("mcp:") and "memory" in name:
        text = _arguments(args)  # what our own tools answer is remembered already
    else:
        text = _WRITERS.get(name, _other)(args, result)
    # A lone surrogate can't be written to a file.
    text = shortened(text, MAX_CHARS).encode("utf-8", "replace").decode()
    return ToolUse(name, text, _files(name, args), result.failed)


def is_known(tool: str) -> bool:
    """Tell whether a tool's name is ours, not the host's."""
    return tool in _NAMES


# ---------------------------------------------------------------------------- input


def _name(tool: str, args: Mapping[str, object]) -> str:
    lowered = tool.strip().lower()
    if lowered.startswith("mcp__"):
        return "mcp:" + lowered[5:].replace("__", ".", 1)
    if lowered.startswith("mcp:"):
        server = text_in(args, "server", "server_name")
        return f"mcp:{server}.{lowered[4:].strip()}" if server else f"mcp:{lowered[4:].strip()}"
    known = _KNOWN.get("".join(lowered.replace("_", " ").replace("-", " ").split()), "")
    if known == "write" and _edits(args):
        return "edit"
    return known or lowered[:80]


def _mapping(value: object) -> Mapping[str, object]:
    """Return a value as fields; a plain text becomes the field "text"."""
    value = decoded(value)
    if isinstance(value, Mapping):
        return value
    return {"text": value} if isinstance(value, str) else {}


def _output(output: object, error: str, *, is_shell: bool) -> _Output:
    value = decoded(output)
    fields = value if isinstance(value, Mapping) else {}
    printed = [part for part in (_printed(value), _printed(error)) if part]
    text = _ends("\n".join(dict.fromkeys(printed)))
    if "daily-memory-" in text:
        # Rare, and the module takes a while to load.
        from daily_memory.core.context import without_context

        text = without_context(text)
    codes = (str(fields.get(key)).strip() for key in _STATUS_KEYS)
    status = next((int(code) for code in codes if code.removeprefix("-").isdecimal()), None)
    beginning = error[:2000] or text[:200].lstrip()
    if is_shell and status is None and "xit" in beginning:
        find = _EXIT_STATUS.search if error else _EXIT_STATUS.match
        match = find(beginning)
        status = int(match[1]) if match else None
    flagged = any(fields.get(key) is True for key in ("isError", "is_error", "interrupted"))
    failed = bool(error or status) or flagged or fields.get("success") is False
    return _Output(text, fields, status, failed)


def _printed(value: object, depth: int = 0) -> str:
    """Return the text in a value: its output fields, or all items."""
    if isinstance(value, str):
        return _ends(value)
    if depth < _MOST_DEPTH and isinstance(value, Mapping):
        keys = (*_OUTPUT_KEYS, "error")
        parts = [_printed(value[key], depth + 1) for key in keys if key in value]
        return "\n".join(dict.fromkeys(part for part in parts if part.strip()))
    if depth < _MOST_DEPTH and isinstance(value, list):
        return "\n".join(part for item in value[:200] if (part := _printed(item, depth + 1)))
    return ""


def _ends(text: str) -> str:
    if len(text) > _HEAD_CHARS + _TAIL_CHARS:
        return f"{text[:_HEAD_CHARS]}\n{text[-_TAIL_CHARS:]}"
    return text


def _files(name: str, args: Mapping[str, object]) -> tuple[str, ...]:
    if name not in ("read", "edit", "write", "delete", "task"):
        return ()
    paths: list[object] = [text_in(args, *_PATH_KEYS)] if name != "task" else []
    for key in _FILES_KEYS:
        paths += list_in(args, key)[:_MOST_FILES]
    paths += _PATCHED.findall(_ends(_patch(args))) if name == "edit" else []
    texts = (path.strip() for path in paths if isinstance(path, str) and "\n" not in path)
    return tuple(dict.fromkeys(path for path in texts if 0 < len(path) <= MAX_PATH_CHARS))[
        :_MOST_FILES
    ]


# ---------------------------------------------------------------------------- files


def _of_path(args: Mapping[str, object], result: _Output) -> str:
    return _with_error(_paths(args, "read"), result)


def _of_edit(args: Mapping[str, object], result: _Output) -> str:
    lines = [line for old, new in _edits(args) for line in _differing(old, new)]
    lines += [line for line in _ends(_patch(args)).split("\n") if line[:1] in ("+", "-")]
    # As many of the new lines as of the old ones.
    each = ([line for line in lines if line[0] == mark][: _MOST_LINES // 2] for mark in "-+")
    return _with_error("\n".join((_paths(args, "edit"), *map(one_line, chain(*each)))), result)


def _of_write(args: Mapping[str, object], result: _Output) -> str:
    content = text_in(args, *_TEXT_KEYS)
    lines = content.removesuffix("\n").split("\n")
    facts = ["new"] * (result.fields.get("type") == "create")
    facts += [f"{len(lines)} line{'s' * (len(lines) > 1)}"] if content else []
    head = _paths(args, "write") + (f" ({', '.join(facts)})" if facts else "")
    telling = [one_line(line) for line in lines[:400] if any(map(str.isalnum, line))]
    return _with_error("\n".join((head, *telling[:4])), result)


def _paths(args: Mapping[str, object], name: str) -> str:
    return ", ".join(_files(name, args)) or "?"


def _patch(args: Mapping[str, object]) -> str:
    text = text_in(args, "patch", "patchText", "diff", "input", "command", "text")
    return text if text.startswith(("***", "---", "diff ")) else ""


def _edits(args: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return the old and the new text of each edit."""
    edits = objects(list_in(args, "edits")[:_MOST_FILES] or [args])
    pairs = [(text_in(edit, *_OLD_KEYS), text_in(edit, *_NEW_KEYS)) for edit in edits]
    return [pair for pair in pairs if any(pair)]


def _differing(old: str, new: str) -> Iterator[str]:
    """Yield the removed and the added lines."""
    gone, come = _ends(old).split("\n"), _ends(new).split("\n")
    for mark, lines, others in (("-", gone, set(come)), ("+", come, set(gone))):
        texts = (line.strip() for line in lines if line not in others)
        yield from (f"{mark} {line}" for line in texts if line)


# ---------------------------------------------------------------------------- commands, searches


def _of_shell(args: Mapping[str, object], result: _Output) -> str:
    command = _command(args)
    verdict = f"exit {result.status}" if result.status is not None else "failed" * result.failed
    printed = [] if is_recalling(command) else _telling(command, result)
    # What a program prints is no commit.
    lines = [line for line in printed if not line.startswith(COMMITTED)]
    head = f"$ {shortened(' '.join(command.split()), MAX_COMMAND_CHARS)}"
    commit = None if result.failed else _COMMIT.search(command)
    message = one_line(next(filter(None, commit.groups()))) if commit else ""
    committed = f"{COMMITTED}{message}" if message else ""
    return "\n".join(part for part in (head, verdict, committed, *lines) if part)


def _command(args: Mapping[str, object]) -> str:
    return (text_in(args, *_COMMAND_KEYS, "text") or "?")[: 4 * MAX_COMMAND_CHARS]


def _telling(command: str, result: _Output) -> list[str]:
    """Return the lines of an output that name an error, and the last that counts something."""
    lines = [one_line(line) for line in _lines(result.text)]
    lines = [line for line in lines if line and not line.lower().startswith("exit code")]
    counts = [line for line in lines if any(map(str.isdigit, line)) and not _is_frame(line)]
    if result.failed:
        errors = [line for line in lines if _names_an_error(line)]
        return list(dict.fromkeys((*errors[: _MOST_LINES - 2], *counts[-2:]))) or lines[-3:]
    if is_looking(bare_command(command)):
        return []
    return counts[-1:] or lines[-1:]


def _names_an_error(line: str) -> bool:
    lowered = line.lower()
    return (
        (lowered.startswith("e ") or any(word in lowered for word in _ERROR_WORDS))
        and not any(word in lowered for word in _NO_ERROR_WORDS)
        and not _is_frame(line)
    )


def _is_frame(line: str) -> bool:
    return line.lower().startswith(_FRAMES)


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        # A progress bar overwrites its line: only the last state was seen.
        shown = line.rstrip("\r").rpartition("\r")[2][: 4 * MAX_LINE_CHARS]
        yield _ESCAPE_CODE.sub("", shown) if "\x1b" in shown else shown


def _of_looking(args: Mapping[str, object], result: _Output) -> str:
    texts = [text for key in _LOOKING_KEYS if (text := text_in(args, key))]
    return _with_error(", ".join(map(one_line, texts)) or "?", result)


# ---------------------------------------------------------------------------- other tools


def _of_task(args: Mapping[str, object], result: _Output) -> str:
    task = text_in(args, "description", "task", "prompt", "text", "subagent_type")
    answer = result.text.strip() or text_in(args, "summary", "status")
    return "\n".join(part for part in (one_line(task), shortened(answer, 800)) if part)


def _of_todos(args: Mapping[str, object], result: _Output) -> str:
    from daily_memory.core.tools.planning import format_tasks  # most tools are none of these

    return ("" if result.failed else format_tasks(args, result.fields, result.text)) or _other(
        args, result
    )


def _of_plan(args: Mapping[str, object], result: _Output) -> str:
    from daily_memory.core.tools.planning import format_plan  # once a conversation

    return ("" if result.failed else format_plan(args, result.fields, result.text)) or _other(
        args, result
    )


def _of_question(args: Mapping[str, object], result: _Output) -> str:
    """Return the questions to the user with the answers, `question → answer` per line."""
    answers = object_in(result.fields, "answers")
    if not answers:
        return _other(args, result)
    texts = [(str(asked), answer) for asked, answer in answers.items() if isinstance(answer, str)]
    return "\n".join(
        f"{one_line(asked)} → {one_line(answer)}" for asked, answer in texts[:_MOST_LINES]
    )


def _other(args: Mapping[str, object], result: _Output) -> str:
    parts = (_arguments(args), shortened(" ".join(result.text[:4000].split()), 400))
    return "\n".join(part for part in parts if part)


def _arguments(args: Mapping[str, object]) -> str:
    return shortened(", ".join(f"{key}={_value(args[key])}" for key in list(args)[:8]), 400)


def _value(value: object) -> str:
    if isinstance(value, (Mapping, list)):
        return f"({len(value)})"
    return shortened(" ".join(str(value)[:1000].split()), 120)


def _with_error(text: str, result: _Output) -> str:
    if not result.failed:
        return text
    line = next((line for line in _lines(result.text) if line.strip()), "")
    return "\n".join(part for part in (text, "failed", one_line(line)) if part)


_WRITERS = {
    "read": _of_path,
    "edit": _of_edit,
    "write": _of_write,
    "delete": _of_path,
    "shell": _of_shell,
    "search": _of_looking,
    "list": _of_looking,
    "fetch": _of_looking,
    "task": _of_task,
    "todos": _of_todos,
    "plan": _of_plan,
    "askuserquestion": _of_question,
}
