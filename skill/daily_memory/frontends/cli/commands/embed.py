"""`memory embed`"""

from __future__ import annotations

from collections.abc import Iterator

from daily_memory import results
from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.text import counted, filled, joined


def run(options: Options) -> Output:
    if options.pending + options.all + options.status + options.remove > 1:
        raise InvalidInputError("--pending, --all, --status and --remove do not go together")
    memory = open_memory(options)
    if options.remove:
        memory.embedding.drop(scope=options.scope)
    if options.remove or options.status:
        found = memory.embedding.status(scope=options.scope)
    else:
        with terminal.progress("sessions embedded"):
            found = memory.embedding.run(scope=options.scope, from_scratch=options.all)
    nothing = "no memory here yet; create one with `memory save` or `memory init`"
    value = {"roots": [{**each._asdict(), "pending": each.pending} for each in found]}
    lines = [line for each in found for line in _lines(each)]
    return Output(value, lines, [] if found else [nothing], is_ours=True)


def _lines(status: results.EmbeddingStatus) -> Iterator[str]:
    of = counted(status.sessions, "session")
    done = filled(
        "{:,} of {} embedded with {} {}", status.embedded, of, status.provider, status.model
    )
    yield joined(": ", (status.path, done))
    if status.vectors:
        yield filled("  {}, {:.1f} MB", counted(status.vectors, "vector"), status.bytes / 1e6)
    scripts = [f"{name} {known:.2f}" for name, known in status.known.items() if name != "measured"]
    if scripts:
        yield filled("  how well the model tells your texts apart: {}", ", ".join(scripts))


EMBED = CliCommand(
    run,
    (
        command.flag("--pending", "embed what is not embedded yet (default)"),
        command.flag("--all", "embed everything again"),
        command.flag("--status", "only show what is embedded"),
        command.flag("--remove", "remove all vectors"),
        *command.shared("scope"),
    ),
    """examples:
  memory embed               embed what is not embedded yet
  memory embed --status      how much is embedded, with which model
  memory embed --all         embed everything again

Saves embed in the background. To switch search by meaning on:
  memory config set --global semantic.enabled true""",
)
