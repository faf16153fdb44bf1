"""`memory mcp`"""

from __future__ import annotations

import argparse
from importlib.util import find_spec

from daily_memory.frontends.cli import screen
from daily_memory.frontends.cli.arguments import open_memory

EXAMPLES = """examples:
  memory mcp                           serve the memory of this project on stdio
  memory mcp --tools read              … without what saves, changes or deletes
  memory mcp --names trae-mem          … under the names of trae-mem's tools
  memory mcp --project ~/app --allow-project ~/lib

A host starts it: `memory install` writes the entry. docs/servers.md tells the rest."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--names",
        choices=("memory", "trae-mem"),
        default="memory",
        help="what the tools are called: memory_search … or trae_mem_search …",
    )
    parser.add_argument(
        "--tools", choices=("all", "read"), default="all", help="all tools, or those that only read"
    )
    parser.add_argument(
        "--allow-project",
        action="append",
        default=[],
        metavar="DIR",
        help="a further project that calls may name; again for more",
    )


def run(options: argparse.Namespace) -> int:
    if find_spec("mcp") is None:
        raise screen.missing("mcp", extra="mcp")
    # No other command needs these, and the SDK takes longer to load than a search.
    from daily_memory.frontends.mcp_server import server
    from daily_memory.frontends.mcp_server.access import Access

    access = Access(lambda: open_memory(options), options.allow_project)
    server.run(access, options.names, reads_only=options.tools == "read")
    return 0
