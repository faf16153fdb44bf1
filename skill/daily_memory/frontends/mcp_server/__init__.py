"""`memory mcp`: the memory as an MCP server.

`tools` and `resources` say what there is and ask `Memory`, `server` hands it to the SDK, `wire`
reads and writes the lines. Only the latter two need the package `mcp`.
"""
