"""The lines of the system prompt about the tools of servers (of MCP, for example).

A script calls the tool `search` of the server `wiki` by `harness.wiki.search(...)`. If there are
few tools, each has a line, or else each server. For a server with the tools `search` and `get`:

    few     - harness.wiki.search(query): finds pages by words
            - harness.wiki.get(page): returns a page
    many    - `harness.wiki`, described by `.help(tool)`, found by `.help(words)`: search get
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from controlplane.sandbox.interface import Operation, bounds, signature

SERVERS_TITLE: Final = (
    "\nTools of servers. Each returns .text, .data (parsed, if it is structured; its keys are attributes too) and\n"
    ".call_path, which counts as read: `scratchpad.cite(result.call_path, reason, quote)`.\n"
)
MAX_FURTHER_TOOLS: Final = 40
"""Max tools beside the first one of each server, if each tool has a line. A line for each server is
needed anyway, so many servers with one tool each are not too much."""


def server_tool_lines(
    tools_by_server: Mapping[str, Sequence[Operation]],
) -> Iterator[str]:
    """Yield the lines about all servers, with a title; none without servers."""
    if not tools_by_server:
        return
    yield SERVERS_TITLE
    tool_count = sum(len(tools) for tools in tools_by_server.values())
    server_count = len(tools_by_server)
    if tool_count - server_count <= MAX_FURTHER_TOOLS:
        for tools in tools_by_server.values():
            for tool in tools:
                yield f"- {tool_line(tool)}"
    else:
        max_chars = bounds.SHOWN_NAMES_CHARS // server_count
        for server, tools in tools_by_server.items():
            names = _tool_names(tools, max_chars)
            yield (
                f"- `harness.{server}`, described by `.help(tool)`, "
                f"found by `.help(words)`: {names}"
            )


def tool_line(operation: Operation) -> str:
    """Return the line about a server's tool: its call with types, and its summary."""
    return f"{signature(operation)}: {operation.summary}"


def _tool_names(tools: Sequence[Operation], max_chars: int) -> str:
    """Return the names of a server's tools: `wiki.search`, `wiki.get` -> `search get`.

    A long list is cut after a name.
    """
    names = " ".join(tool.name.partition(".")[2] for tool in tools)
    if len(names) <= max_chars:
        return names
    return f"{names[:max_chars].rpartition(' ')[0]} ... and more"
