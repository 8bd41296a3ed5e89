"""The lines of the system prompt about the tools of servers (of MCP, for example).

A script calls the tool `search` of the server `wiki` by `harness.wiki.search(...)`. Each tool
has a line of its own, such as the first one here. If there are too many, each server has one
with the names of its tools, here `search` and `get`:

- harness.wiki.search(query): finds pages by words
- `harness.wiki`, described by `.help(tool)`, found by `.help(words)`: search get
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from controlplane.sandbox.interface import Operation, bounds, signature

SERVERS_TITLE: Final = (
    "\nTools of servers. Each returns .text, .data (parsed, if it is structured; its keys are attributes too) and\n"
    ".call_path, which counts as read: `scratchpad.cite(result.call_path, reason, quote)`.\n"
)
MAX_ADDITIONAL_LINES: Final = 40
"""Each tool has a line if these are at most this many more than one line for each server:
60 servers with one tool each have a line for every tool, but one server with 60 tools has not."""


def server_tool_lines(
    tools_by_server: Mapping[str, Sequence[Operation]],
) -> Iterator[str]:
    """Yield a line for each tool, or, if there are too many, a line of names for each server."""
    if not tools_by_server:
        return
    yield SERVERS_TITLE
    lines_by_tool = sum(len(tools) for tools in tools_by_server.values())
    lines_by_server = len(tools_by_server)
    if lines_by_tool - lines_by_server <= MAX_ADDITIONAL_LINES:
        for tools in tools_by_server.values():
            for tool in tools:
                yield f"- {tool_line(tool)}"
        return

    max_chars = bounds.SHOWN_NAMES_CHARS // lines_by_server
    for server, tools in tools_by_server.items():
        names = _tool_names(tools, max_chars)
        yield (
            f"- `harness.{server}`, described by `.help(tool)`, found by `.help(words)`: {names}"
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
