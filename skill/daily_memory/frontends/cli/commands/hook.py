"""`memory hook`"""

from __future__ import annotations

from daily_memory.core.hosts.names import HOSTS
from daily_memory.frontends import hooks
from daily_memory.frontends.cli import command
from daily_memory.frontends.cli.command import CliCommand, Options
from daily_memory.text import filled


def run(options: Options) -> int:
    # A call without options never comes here (`__main__`): the host waits for it.
    return hooks.main([options.host, options.event])


HOOK = CliCommand(
    run,
    (
        command.argument(
            "host", "HOST", filled("who calls: {}", ", ".join(HOSTS)), nargs="?", default=""
        ),
        command.argument(
            "event", "EVENT", "the event, if the JSON does not name it", nargs="?", default=""
        ),
    ),
    """example:
  echo '{"hook_event_name": "stop", "conversation_id": "1"}' | memory hook cursor

Hosts call it. `memory doctor` reports problems.""",
)
