"""`memory upgrade`"""

from __future__ import annotations

import os

from daily_memory import __version__
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.installation import find_origin, upgrade_commands

_UNKNOWN = "where the program came from was not noted: install it once more in the same way"


def run(options: Options) -> Output:
    del options
    origin = find_origin()
    commands = upgrade_commands(origin=origin)
    note = "run this; memories need no conversion" if commands else _UNKNOWN
    if os.path.isfile(origin.place):
        note = "the program was installed from a file: replace it with a newer one, then run this"
    return Output({"version": __version__, "commands": commands}, commands, [note])


UPGRADE = CliCommand(
    run,
    (),
    """examples:
  memory upgrade           what to run
  memory upgrade | sh      run it

It prints the command that reinstalls the program from its source.""",
)
