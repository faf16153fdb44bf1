"""`memory serve`"""

from __future__ import annotations

import argparse
import gc
import sys
import traceback

from daily_memory.frontends.cli import terminal
from daily_memory.frontends.cli.arguments import open_memory

EXAMPLES = """examples:
  memory serve                 print the address with its token; stop with Ctrl-C
  memory serve --port 0        on any free port
  memory serve --new-token     replace the token

It only listens on 127.0.0.1. Routes: /docs there, and docs/servers.md."""

_PORT = 37777


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--port",
        type=int,
        default=_PORT,
        metavar="N",
        help=f"the port; 0 is any free one; default: {_PORT}",
    )
    parser.add_argument("--new-token", action="store_true", help="replace the token")


def run(options: argparse.Namespace) -> int:
    try:
        # Loaded here: the packages are optional, and no other command shall wait for them.
        from daily_memory.frontends.http import app, server
    except ModuleNotFoundError as error:
        raise terminal.missing((error.name or "").partition(".")[0], extra="web") from error
    memory = open_memory(options)
    terminal.warn(tuple(map(str, memory.settings_problems)))
    memory.encryption.open_key()
    with server.open_socket(options.port) as listening:
        port: int = listening.getsockname()[1]
        token = memory.setup.token(renew=options.new_token)
        url = f"http://{server.ADDRESS}:{port}/#token={token}"

        def ready() -> None:
            terminal.talk(f"serving {memory.project or 'the global memory'}; Ctrl-C ends it")
            if options.json:
                terminal.show_json({"url": url, "port": port})
            else:
                terminal.show(url)
            sys.stdout.flush()

        # Other commands end before garbage matters; this one may run for months.
        gc.enable()
        report = traceback.print_exception if options.debug else _report_bug
        host = app.ServerContext(lambda: memory.in_folder(memory.project), report)
        server.run(server.make_server(app.build(host, token, port)), listening, ready)
    return 0


def _report_bug(error: Exception) -> None:
    """Tell on stderr of an error that nobody expected; its text may hold memory text."""
    terminal.talk(f"error: this is a bug in daily-memory ({type(error).__name__})")
