"""`memory save` and `memory add`"""

from __future__ import annotations

import sys

from daily_memory import results
from daily_memory.errors import InvalidInputError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.memory import Memory
from daily_memory.text import counted, filled

# Options that can be given several times: their fields, and what they add.
_LISTS = {
    "point": ("key_points", "a key point"),
    "decision": ("decisions", "a decision"),
    "question": ("open_questions", "an open question"),
    "next": ("next_steps", "a next step"),
    "file": ("files", "a file that it is about"),
    "tag": ("tags", "a tag; important, outdated and private are flags"),
}
_FIELDS = ("topic", "summary", "time", "source")
_NO_SESSION = 'give an object such as {"topic": "…"}; `memory add -` saves a text'


def run(options: Options) -> Output:
    given = _from_options(options)
    text = " ".join(options.text)
    if text and text != "-" and not _is_json(text):
        if not given.keys() <= {"tags", "important"}:
            raise InvalidInputError("a note is text alone", hint="give the text with --topic")
        return _add(options)
    data = _with_input(given, text.removeprefix("-"))
    memory = open_memory(options)
    return _output(memory, memory.save(data, scope=options.scope))


def _add(options: Options) -> Output:
    text = " ".join(options.text)
    if text == "-":
        text = terminal.read_input()
    if not text.strip():
        raise InvalidInputError("nothing to save", hint='as in: memory add "we use pnpm"')
    memory = open_memory(options)
    tags = [*options.tag, *(["important"] if options.important else [])]
    return _output(memory, memory.add(text, tags=tags, scope=options.scope))


def _output(memory: Memory, result: results.SaveResult) -> Output:
    value = json_shapes.saved(result)
    warnings = (*map(str, memory.settings_problems), *result.warnings)
    if result.skipped:
        return Output(value, notes=[filled("not saved: {}", result.skipped)], warnings=warnings)
    hidden = sum(count for _, count in result.redactions)
    note = filled("saved to {}:{}", result.path, result.span.first)
    if hidden:
        note = filled(
            "saved to {}:{}; {} hidden", result.path, result.span.first, counted(hidden, "secret")
        )
    return Output(value, [result.id], [note], warnings)


def _from_options(options: Options) -> dict[str, object]:
    data: dict[str, object] = {
        name: getattr(options, name) for name in _FIELDS if getattr(options, name) is not None
    }
    if options.date:
        data["date"] = options.date.isoformat()
    for name, (field, _) in _LISTS.items():
        if getattr(options, name):
            data[field] = getattr(options, name)
    if options.code:
        data["code"] = [_code(path) for path in options.code]
    if options.important:
        data["important"] = True
    return data


def _with_input(given: dict[str, object], text: str) -> dict[str, object]:
    """Return the session of a JSON text, or of stdin, with what the options add.

    A list is that of the messages of a conversation.

    A caller may leave stdin open and never write: if the options alone make a session, it is
    read only if it has something.
    """
    is_session = any(name in given for name in ("topic", "summary", "key_points"))
    where = "TEXT" if text else "stdin"
    if not text:
        if is_session and not terminal.has_input():
            return given
        text = "" if sys.stdin.isatty() else terminal.read_input()
    if not text.strip():
        if given:
            return given
        raise InvalidInputError("nothing to save", hint="give --topic, or JSON on stdin")
    if text.lstrip().startswith("["):
        text = f'{{"messages": {text}}}'
    data = terminal.parse_json(text, where, hint=_NO_SESSION)
    joined = {**data, **given}
    for field, _ in _LISTS.values():
        values, more = data.get(field), given.get(field)
        if values and isinstance(more, list):
            values = [values] if isinstance(values, str) else values
            # Anything but a list is refused by `Memory.save`.
            joined[field] = [*values, *more] if isinstance(values, list) else values
    return joined


def _is_json(text: str) -> bool:
    return "".join(text[:100].split()).startswith(('{"', '[{"'))


def _code(path: str) -> dict[str, str]:
    text = terminal.read_file(path)
    extension = path.rpartition(".")[2] if "." in path else ""
    return {"language": extension, "text": text.rstrip("\n")}


SAVE = CliCommand(
    run,
    (
        command.argument("text", "TEXT", "a note, as `memory add` saves it, or JSON", nargs="*"),
        command.argument("--topic", "TEXT", "the topic, in one line"),
        command.argument("--summary", "TEXT", "a short summary"),
        *(
            command.repeated(f"--{name}", "TEXT", filled("{}; again for more", text))
            for name, (_, text) in _LISTS.items()
        ),
        command.repeated("--code", "FILE", "a file to add as a code block"),
        command.day("--date", "its day: YYYY-MM-DD, or words such as yesterday; default: today"),
        command.argument("--time", "HH:MM", "its time; default: now"),
        command.argument("--source", "NAME", "the program it comes from, such as cursor"),
        *command.shared("important", "save_scope"),
    ),
    """examples:
  echo '{"topic": "Redis TTL", "key_points": ["TTL 300 s"]}' | memory save
  memory save --topic "缓存方案" --point "TTL 定为 300 秒" --tag redis
  memory save --tag billing < session.json     the JSON, plus a tag
  memory save "we use pnpm"                    the same as memory add
  memory save < conversation.json              [{"role": "user", "content": "…"}, …]

It prints the id once the session is on disk.""",
)

ADD = CliCommand(
    _add,
    (
        command.argument(
            "text", "TEXT", "the note, - for stdin; words like #redis become tags", nargs="+"
        ),
        *command.shared("important", "tag", "save_scope"),
    ),
    """examples:
  memory add "我们用 pnpm，不用 npm #tooling"
  memory add "deploy only from main" --important
  memory add "TODO: rotate the signing key"      as a next step; also Decision:, 风险：
  git log -1 --format=%B | memory add -          what another program prints""",
)
