"""`memory serve` and `memory mcp`"""

from __future__ import annotations

import sys
import traceback
from importlib.util import find_spec

from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options
from daily_memory.memory import Memory, long_lived
from daily_memory.text import filled

_PORT = 37777


def run(options: Options) -> int:
    if options.http_mcp:
        return _serve_remote_mcp(options)
    if options.allow_project or options.public_url:
        raise InvalidInputError("--allow-project and --public-url are for --http-mcp")
    try:
        # Loaded here: the packages are optional, and no other command shall wait for them.
        from daily_memory.frontends.http import app, server
    except ModuleNotFoundError as error:
        raise terminal.missing((error.name or "").partition(".")[0], extra="web") from error
    memory = open_memory(options)
    terminal.warn(map(str, memory.settings_problems))
    memory.encryption.open_key()
    with long_lived(), server.open_socket(options.port) as listening:
        port: int = listening.getsockname()[1]
        token = memory.tokens.own(renew=options.new_token)
        url = f"http://{server.ADDRESS}:{port}/#token={token}"
        note = filled("serving {}; Ctrl-C ends it", memory.project or "the global memory")
        report = traceback.print_exception if options.debug else report_bug
        host = app.ServerContext(lambda: memory.in_folder(memory.project), report)
        made = server.make_server(app.build(host, token, port))
        server.run(made, listening, lambda: _announce(note, url, port, options))
    return 0


def _announce(note: str, url: str, port: int, options: Options) -> None:
    """Say where the server is; whoever started it may read that from a pipe."""
    terminal.talk(note)
    if options.json:
        terminal.show_json({"url": url, "port": port})
    else:
        terminal.show(url)
    sys.stdout.flush()


def _serve_remote_mcp(options: Options) -> int:
    if find_spec("mcp") is None:
        raise terminal.missing("mcp", extra="mcp")
    if options.new_token:
        raise InvalidInputError("each person has a token", hint="memory token make NAME")
    # As above; uvicorn comes with the SDK.
    from daily_memory.frontends.http import server
    from daily_memory.frontends.mcp_server import remote

    def open_own() -> Memory:
        return open_memory(options)

    with long_lived(), server.open_socket(options.port) as listening:
        port: int = listening.getsockname()[1]
        doorway = remote.Doorway(
            open_own, tuple(options.allow_project), port, options.public_url, options.rate
        )
        made = server.make_server(remote.build(doorway), has_lifespan=True)
        url = options.public_url or f"http://{server.ADDRESS}:{port}{remote.PATH}"
        note = "serving MCP; Ctrl-C ends it"
        server.run(made, listening, lambda: _announce(note, url, port, options))
    return 0


def report_bug(error: Exception) -> None:
    """Say on stderr that there is a bug; the text of the error may hold memory text."""
    message = terminal.say("this is a bug in daily-memory ({})", type(error).__name__)
    terminal.talk((terminal.say("error: "), message))


def _serve_mcp(options: Options) -> int:
    if find_spec("mcp") is None:
        raise terminal.missing("mcp", extra="mcp")
    # No other command needs these, and the SDK takes longer to load than a search.
    from daily_memory.frontends.mcp_server import server
    from daily_memory.frontends.mcp_server.access import Access

    access = Access(lambda: open_memory(options), options.allow_project)
    with long_lived():
        server.run(access, options.names, options.tools)
    return 0


SERVE = CliCommand(
    run,
    (
        command.argument(
            "--port",
            "N",
            filled("the port; 0 is any free one; default: {}", _PORT),
            type=int,
            default=_PORT,
        ),
        command.flag("--new-token", "replace the token"),
        command.flag("--http-mcp", "serve MCP over HTTP instead, for people with a `memory token`"),
        command.repeated("--allow-project", "DIR", "with --http-mcp: one more project; repeatable"),
        command.argument(
            "--public-url", "URL", "with --http-mcp: its https:// address at a proxy", default=""
        ),
        command.number(
            "--rate", "with --http-mcp: calls a minute of one person; default: 120", 120
        ),
    ),
    """examples:
  memory serve                 print the address with its token; stop with Ctrl-C
  memory serve --port 0        on any free port
  memory serve --http-mcp --public-url https://memory.example.com/mcp

It only listens on 127.0.0.1. Routes: /docs there, and docs/servers.md.""",
)

MCP = CliCommand(
    _serve_mcp,
    (
        command.choice(
            "--names",
            ("memory", "trae-mem"),
            "names of the tools: memory_search … or trae_mem_search …",
            default="memory",
        ),
        command.choice(
            "--tools",
            ("all", "beside-hooks", "read"),
            "all tools, those that hooks don't replace, or those that only read",
            default="all",
        ),
        command.repeated(
            "--allow-project", "DIR", "another project that calls may name; repeatable"
        ),
    ),
    """examples:
  memory mcp                           serve this project on stdio
  memory mcp --tools read              only tools that read
  memory mcp --project ~/app --allow-project ~/lib

Hosts start it; `memory install` writes the entry. See docs/servers.md.""",
)
