"""`memory encrypt`, `decrypt`, `rekey` and `unlock`"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from daily_memory import results
from daily_memory.core.format.session_json import parse_date
from daily_memory.errors import DamagedDataError, InvalidInputError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import ask_passphrase, open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.frontends.cli.terminal import say
from daily_memory.text import counted, filled

_PASSPHRASE = "MEMORY_PASSPHRASE"  # noqa: S105  # the name of a variable


def _encrypt(options: Options) -> Output:
    encryption = open_memory(options).encryption
    plans = encryption.plan("encrypt", scope=options.scope)
    if not _agree(plans, "encrypt", "Encrypt this memory, from now on?", options):
        return _dry_run(plans)
    passphrase = new_passphrase() if options.passphrase else ""
    with terminal.progress("files encrypted"):
        key, result = encryption.encrypt(
            scope=options.scope, passphrase=passphrase, recipients=options.recipient
        )
    notes = _key_notes(key)
    notes += [
        filled("another memory stays unencrypted: {}", root.path)
        for root in encryption.others_in_clear()
    ]
    if encryption.has_history(result.root):
        notes.append("git keeps what was committed before in the clear: see docs/security.md")
    value = {**json_shapes.key(key), **json_shapes.conversion(result)}
    return _converted(value, [result], "encrypted", notes)


def _decrypt(options: Options) -> Output:
    encryption = open_memory(options).encryption
    plans = encryption.plan("decrypt", scope=options.scope)
    if not _agree(plans, "decrypt", "Write this memory in the clear, from now on?", options):
        return _dry_run(plans)
    with terminal.progress("files decrypted"):
        result = encryption.decrypt(scope=options.scope)
    return _converted(json_shapes.conversion(result), [result], "decrypted")


def _rekey(options: Options) -> Output:
    memory = open_memory(options)
    plans = memory.encryption.plan("rekey")
    question = "Make another key, and encrypt all of this for it?"
    if not _agree(plans, "encrypt again", question, options):
        return _dry_run(plans)
    passphrase = new_passphrase() if options.passphrase else ""
    with terminal.progress("files encrypted"):
        key, conversions = memory.encryption.rekey(
            passphrase=passphrase, recipients=options.recipient
        )
    missing = [project.path or project.title for project in memory.projects.missing()]
    notes = [
        filled("not there, and still for the old key if it was encrypted: {}", name)
        for name in missing
    ]
    if any(result.failed for result in conversions):
        notes.insert(0, "the old key stays, until these can be read or are gone")
    memories = list(map(json_shapes.conversion, conversions))
    value = {**json_shapes.key(key), "memories": memories, "not_there": missing}
    return _converted(value, conversions, "encrypted again", [*notes, *_key_notes(key)])


def _agree(
    plans: Sequence[results.EncryptionPlan], verb: str, question: str, options: Options
) -> bool:
    """Show what would be done and ask; False for a dry run."""
    for plan in plans:
        files = say(counted(len(plan.change), "file"))
        terminal.talk(filled("{}: {} {}", plan.root.path, say(verb), files))
        for name in plan.remove:
            terminal.talk(filled("  removes {}; it is rebuilt", name))
    if not options.dry_run:
        terminal.confirm(question, is_sure=options.yes)
    return not options.dry_run


def _dry_run(plans: Sequence[results.EncryptionPlan]) -> Output:
    terminal.talk("nothing was done: this was a dry run")
    return Output({"plans": list(map(json_shapes.encryption_plan, plans))})


def _converted(
    value: object, conversions: Sequence[results.Conversion], verb: str, notes: Sequence[str] = ()
) -> Output:
    """Say what was done, with --json too: who loses the key loses the memory."""
    for result in conversions:
        files = say(counted(result.changed, "file"))
        terminal.talk(filled("{}: {} {}", result.root.path, say(verb), files))
        for fault in result.failed:
            terminal.talk(filled("left as it is: {}", fault.message))
    for note in notes:
        terminal.talk(note)
    has_failed = any(result.failed for result in conversions)
    return Output(value, status=DamagedDataError.exit_status if has_failed else 0)


def _key_notes(key: results.KeyInfo) -> list[str]:
    notes = [filled("new key: {}" if key.is_new else "key: {}", key.path)]
    if key.copy:
        notes.append(filled("the old key stays in {}; copies and git may still want it", key.copy))
    notes.append("Keep a copy of it elsewhere: without it nobody can read these memories again.")
    if key.is_protected:
        notes.append("Without its passphrase that file opens nothing.")
    return notes


def new_passphrase(environment: Mapping[str, str] = os.environ) -> str:
    """Return the passphrase for a new key: of the environment, or typed twice."""
    given = environment.get(_PASSPHRASE, "")
    if given:
        return given
    if not terminal.is_terminal():
        hint = filled("set {}, or run it in a terminal", _PASSPHRASE)
        raise InvalidInputError("no passphrase", hint=hint)
    first = ask_passphrase("passphrase for the key; nobody can recover it: ")
    if not first or first != ask_passphrase("the same passphrase again: "):
        raise InvalidInputError("the passphrase is empty, or was not the same", hint="try again")
    terminal.talk("protecting the key: this takes some seconds, on purpose")
    return first


def _unlock(options: Options) -> int:
    memory = open_memory(options)
    day = memory.today() if options.day == "today" else parse_date(options.day, "day")
    data = memory.encryption.unlock(day, scope=options.scope)
    if terminal.has_file():
        terminal.talk("stdin was not read: this only prints; `memory edit ID` changes a session")
    terminal.write(data.decode("utf-8", "backslashreplace"))
    return 0


_KEY = (
    command.flag("--passphrase", "protect the key with a passphrase"),
    command.repeated("--recipient", "AGE1…", "another public key that can read"),
)

ENCRYPT = CliCommand(
    _encrypt,
    (*_KEY, *command.shared("dry_run", "yes", "save_scope")),
    """examples:
  memory encrypt --dry-run           count the files
  memory encrypt                     create a key if you have none, and encrypt
  memory encrypt --passphrase        protect the key with a passphrase
  memory encrypt --recipient age1…   add a key that can read, such as a spare one

The key is ~/.config/daily-memory/key.txt. IF YOU LOSE IT, YOU LOSE THE MEMORY: keep a copy
elsewhere. Needs the extra `crypto`. Git history and backups keep their plain text:
docs/security.md.""",
)

DECRYPT = CliCommand(
    _decrypt,
    command.shared("dry_run", "yes", "save_scope"),
    """examples:
  memory decrypt --dry-run    count the files
  memory decrypt              write every file as plain text and turn encryption off

The key is kept. Run it again to continue after an interruption.""",
)

REKEY = CliCommand(
    _rekey,
    (*_KEY, *command.shared("dry_run", "yes")),
    """examples:
  memory rekey --dry-run         count the files
  memory rekey                   create a new key and encrypt all memories again

This covers all projects of `memory projects` and the global memory. A copy of the old key stays
next to the new one. Run it again to continue after an interruption. Older copies remain
readable with the old key.""",
)

UNLOCK = CliCommand(
    _unlock,
    (
        command.argument("day", "DAY", "YYYY-MM-DD; default: today", nargs="?", default="today"),
        *command.shared("save_scope"),
    ),
    """examples:
  memory unlock               today
  memory unlock 2026-01-29

`memory edit` changes a session of an encrypted memory.""",
)
