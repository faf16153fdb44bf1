"""`memory mcp`"""

from __future__ import annotations

import argparse
from importlib.util import find_spec

from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import open_memory

EXAMPLES = """examples:
  memory mcp                           serve this project on stdio
  memory mcp --tools read              only tools that read
  memory mcp --names trae-mem          under the names of trae-mem's tools
  memory mcp --project ~/app --allow-project ~/lib

Hosts start it; `memory install` writes the entry. See docs/servers.md."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--names",
        choices=("memory", "trae-mem"),
        default="memory",
        help="names of the tools: memory_search … or trae_mem_search …",
    )
    parser.add_argument(
        "--tools", choices=("all", "read"), default="all", help="all tools, or only those that read"
    )
    parser.add_argument(
        "--allow-project",
        action="append",
        default=[],
        metavar="DIR",
        help="another project that calls may name; repeatable",
    )


def run(options: argparse.Namespace) -> int:
    if find_spec("mcp") is None:
        raise terminal.missing("mcp", extra="mcp")
    # No other command needs these, and the SDK takes longer to load than a search.
    from daily_memory.frontends.mcp_server import server
    from daily_memory.frontends.mcp_server.access import Access

    access = Access(lambda: open_memory(options), options.allow_project)
    server.run(access, options.names, reads_only=options.tools == "read")
    return 0
