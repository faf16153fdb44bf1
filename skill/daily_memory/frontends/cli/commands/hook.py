"""`memory hook`"""

from __future__ import annotations

import argparse

from daily_memory.core.hosts.events import HOSTS
from daily_memory.frontends import hooks

EXAMPLES = """example:
  echo '{"hook_event_name": "stop", "conversation_id": "1"}' | memory hook cursor

Hosts call it. `memory doctor` reports problems."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "host", nargs="?", default="", metavar="HOST", help=f"who calls: {', '.join(HOSTS)}"
    )
    parser.add_argument(
        "event", nargs="?", default="", metavar="EVENT", help="ignored; the JSON names the event"
    )


def run(options: argparse.Namespace) -> int:
    # A call without options never comes here (`__main__`): the host waits for it.
    return hooks.main([options.host])
