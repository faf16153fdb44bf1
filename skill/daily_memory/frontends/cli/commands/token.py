"""`memory token`: who may use the MCP server over HTTP."""

from __future__ import annotations

from daily_memory import results
from daily_memory.errors import InvalidInputError
from daily_memory.frontends.cli import command, terminal
from daily_memory.frontends.cli.arguments import open_memory
from daily_memory.frontends.cli.command import CliCommand, Options, Output
from daily_memory.text import filled


def run(options: Options) -> Output:
    action, name = options.action, options.name
    if bool(name) == (action == "list"):
        hint = "as in: memory token make alice, memory token list"
        raise InvalidInputError("too many or too few words after {!r}", action, hint=hint)
    if (options.write or options.only) and action != "make":
        raise InvalidInputError("--write and --only do not go with {!r}", action)
    memory = open_memory(options)
    if action == "list":
        tokens = memory.tokens.list()
        value = {"tokens": [_shown(token) for token in tokens]}
        return Output(value, map(_line, tokens), [] if tokens else ["there is no token"])
    if action == "revoke":
        token = memory.tokens.revoke(name)
        return Output({"revoked": token.name}, notes=[filled("the token of {} is revoked", name)])
    secret = memory.tokens.make(name, write=options.write, projects=options.only)
    return Output({"name": name, "token": secret}, [secret], ["it is not shown again"])


def _shown(token: results.AccessToken) -> dict[str, object]:
    return {
        "name": token.name,
        "scopes": ["read", "write"] if token.can_write else ["read"],
        "projects": list(token.projects),
        "created": token.created,
    }


def _line(token: results.AccessToken) -> str:
    scopes = "read, write" if token.can_write else "read"
    where = ", ".join(token.projects) or terminal.say("all projects of the server")
    return f"{token.name:<20} {scopes:<12} {where}  since {token.created[:10]}"


TOKEN = CliCommand(
    run,
    (
        command.choice("action", ("make", "list", "revoke"), "what to do"),
        command.argument("name", "NAME", "the person", nargs="?", default=""),
        command.flag("--write", "also allow saving, changing and deleting"),
        command.repeated(
            "--only", "DIR|NAME", "one of the server's projects; repeatable; default: all"
        ),
    ),
    """examples:
  memory token make alice                   print a token that only reads
  memory token make bob --write --only shop
  memory token list
  memory token revoke alice                 at once

For `memory serve --http-mcp`. Only hashes are stored: docs/servers.md.""",
)
