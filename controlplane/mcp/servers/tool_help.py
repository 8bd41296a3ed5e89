"""The text of `help` about the tools of a server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from controlplane.agent.loop import tool_line
from controlplane.mcp.servers.offered_tool import OfferedTool
from controlplane.terminal_text import sanitize

MOST_NAMED_TOOLS: Final = 20
"""The largest number of tools that a notice or `help` names."""
MOST_HELP_CHARS: Final = 6_000


def help_on_tool(tool: OfferedTool) -> str:
    """Return the description of one tool, with the schema of its parameters."""
    line = tool_line(tool.operation)
    schema = json.dumps(tool.tool.input_schema, ensure_ascii=False)
    text = f"{line}\n{tool.tool.description or ''}\nparameters: {schema}"
    return sanitize(text)[:MOST_HELP_CHARS]


def help_on_words(tools: Mapping[str, OfferedTool], words: str) -> str:
    """Return a line for each tool that matches any of the words, with the best match first."""
    fitting = _tools_by_fit(tools, words)[:MOST_NAMED_TOOLS]
    lines = [tool_line(tool.operation) for tool in fitting]
    return "\n".join(lines) or "no tool has this name, or holds these words"


def _tools_by_fit(tools: Mapping[str, OfferedTool], words: str) -> list[OfferedTool]:
    wanted = words.casefold().split()
    counts = {}
    for name, tool in tools.items():
        text = f"{name} {tool.tool.description or ''}".casefold()
        matches = [word for word in wanted if word in text]
        if matches:
            counts[name] = len(matches)
    names = sorted(counts, key=lambda name: (-counts[name], name))
    return [tools[name] for name in names]
