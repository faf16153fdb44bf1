"""What `encrypt`, `decrypt` and `rekey` share: what they show, ask and answer."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence

from daily_memory.errors import DamagedDataError, InvalidInputError
from daily_memory.frontends import json_shapes
from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import ask_passphrase
from daily_memory.model import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from daily_memory.results import Conversion, EncryptionPlan, KeyInfo


_ENVIRONMENT = "MEMORY_PASSPHRASE"


def is_to_be_done(
    plans: Sequence[EncryptionPlan], verb: str, question: str, options: argparse.Namespace
) -> bool:
    """Say what would be done and see that the user wants it; False for a dry run.

    Raises:
        InvalidInputError: the answer is no, or there is no terminal.
    """
    for plan in plans:
        terminal.talk(f"{plan.root.path}: {counted(len(plan.change), 'file')} to {verb}")
        for name in plan.remove:
            terminal.talk(f"  removes {name}; it is rebuilt")
    if options.dry_run:
        terminal.talk("nothing was done: this was a dry run")
        if options.json:
            terminal.show_json({"plans": [json_shapes.encryption_plan(plan) for plan in plans]})
        return False
    terminal.confirm(question, is_sure=options.yes)
    return True


def new_passphrase(environment: Mapping[str, str] = os.environ) -> str:
    """Return the passphrase that a key is to get: of the environment, or typed twice.

    Raises:
        InvalidInputError: there is none, or it was not typed twice the same.
    """
    given = environment.get(_ENVIRONMENT, "")
    if given:
        return given
    if not terminal.is_terminal():
        raise InvalidInputError(
            "no passphrase", hint=f"set {_ENVIRONMENT}, or run it in a terminal"
        )
    first = ask_passphrase("passphrase for the key, which nobody can bring back: ")
    if not first or first != ask_passphrase("the same again: "):
        raise InvalidInputError("the passphrase is empty, or was not the same", hint="try again")
    terminal.talk("protecting the key: this takes some seconds, on purpose")
    return first


def show_key(key: KeyInfo) -> None:
    """Say where the key is, and what it means to lose it."""
    terminal.talk(f"{'new key' if key.is_new else 'key'}: {key.path}")
    if key.copy:
        terminal.talk(f"the old key stays in {key.copy}; copies and git may still want it")
    terminal.talk(
        "Keep a copy of it elsewhere, now: without it nobody can read these memories again."
    )
    if key.is_protected:
        terminal.talk("Without its passphrase that file opens nothing.")


def show_results(results: Sequence[Conversion], verb: str) -> int:
    """Say what was done, and return the exit status."""
    for result in results:
        terminal.talk(f"{result.root.path}: {verb} {counted(result.changed, 'file')}")
        for fault in result.failed:
            terminal.talk(f"left as it is: {fault.message}")
    return status_of(results)


def status_of(results: Sequence[Conversion]) -> int:
    """Return the exit status of what was done."""
    return DamagedDataError.exit_status if any(result.failed for result in results) else 0


def key_as_json(key: KeyInfo) -> dict[str, object]:
    """Return a key as JSON; nothing that opens anything is in it."""
    return {
        "key_file": key.path,
        "recipient": key.recipient,
        "passphrase": key.is_protected,
        "new_key": key.is_new,
        "old_key": key.copy or None,
    }
