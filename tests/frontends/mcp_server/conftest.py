"""The MCP server in this process, spoken to by the SDK's own client."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp_types import CallToolResult

from daily_memory import Memory
from daily_memory.frontends.mcp_server import server, tools
from daily_memory.frontends.mcp_server.access import Access


class Talk:
    """A client of one server; `mode` is the era of the protocol, see `mcp.Client`."""

    def __init__(self, access: Access, **options: Any) -> None:
        self.server = server.make_server(access, **options)
        self.mode: Any = "auto"

    def ask(self, method: str, *arguments: Any) -> Any:
        async def run() -> Any:
            async with Client(self.server, mode=self.mode) as client:
                try:
                    return await getattr(client, method)(*arguments)
                except MCPError as error:
                    return error

        answer = anyio.run(run)
        if isinstance(answer, MCPError):
            raise answer  # raised inside, it would come out in a group
        return answer

    def result(self, tool: str, **arguments: Any) -> CallToolResult:
        found: CallToolResult = self.ask("call_tool", tool, arguments)
        return found

    def call(self, tool: str, **arguments: Any) -> Any:
        """Return what a tool gives; the client holds it against the schema."""
        result = self.result(tool, **arguments)
        assert not result.is_error, result.content
        return result.structured_content

    def refusal(self, tool: str, **arguments: Any) -> str:
        result = self.result(tool, **arguments)
        assert result.is_error
        assert result.structured_content is None
        return text_of(result)


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    return str(getattr(content, "text", ""))


@pytest.fixture
def fresh(memory: Memory) -> Callable[[], Memory]:
    """Return a function that opens the memory of the project anew."""
    return lambda: memory.in_folder(memory.project)


@pytest.fixture
def talk(fresh: Callable[[], Memory]) -> Talk:
    return Talk(Access(fresh))


@pytest.fixture
def trae(fresh: Callable[[], Memory]) -> Talk:
    """The server under the names of trae-mem."""
    return Talk(Access(fresh), names=tools.TRAE_MEM)
