"""The list of an MCP server's tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from controlplane.sandbox.interface import bounds

if TYPE_CHECKING:
    from mcp import Client, types

MOST_TOOL_PAGES: Final = 50
"""At most this many pages of a server's list of tools are read."""


async def listed_tools(client: Client) -> tuple[types.Tool, ...]:
    """Read a server's list of tools. Of several tools with the same name, the first one counts.

    Reading stops if a cursor (the mark of the next page) repeats, since the list would
    have no end. Raises `ValueError` for a list that is too long.
    """
    tools: dict[str, types.Tool] = {}
    cursors: set[str | None] = {None}
    cursor: str | None = None
    size = 0
    for _ in range(MOST_TOOL_PAGES):
        page = await client.list_tools(cursor=cursor)
        size += len(page.model_dump_json())
        if size > bounds.MOST_MCP_MESSAGE_BYTES:
            msg = f"its list of tools is longer than {bounds.MOST_MCP_MESSAGE_BYTES:,} bytes"
            raise ValueError(msg)
        for tool in page.tools:
            tools.setdefault(tool.name, tool)
        cursor = page.next_cursor or None
        if cursor in cursors or len(tools) >= bounds.MOST_MCP_TOOLS:
            break
        cursors.add(cursor)
    return tuple(tools.values())[: bounds.MOST_MCP_TOOLS]
