"""What a tool of an MCP server replied: text, and data (JSON) beside it or instead of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from controlplane.mcp.servers.content_text import text_of
from controlplane.sandbox.interface import schema_fault

if TYPE_CHECKING:
    from mcp import types

MOST_TEXT_BESIDE_DATA: Final = 2_000
"""The longest text that is kept of a reply with data, since it usually repeats the data."""


@dataclass(frozen=True, slots=True)
class ToolReply:
    """The reply of a tool, as scripts get it."""

    text: str
    data: str
    """The data as JSON; empty if there is none."""

    @classmethod
    def of(
        cls, result: types.CallToolResult, tool: types.Tool, operation_name: str
    ) -> ToolReply:
        """Return the reply in a result.

        The text of a result with data is left out if it is too long, and begins with a note
        if the data breaks the schema that the tool declares.
        """
        text = all_text(result)
        data = result.structured_content
        if data is None:
            return cls(text, data="")
        if len(text) > MOST_TEXT_BESIDE_DATA:
            text = ""
        # For example: "['rows'][0] is str, not int".
        fault = schema_fault(data, tool.output_schema or {})
        if fault:
            note = f"(The result breaks the schema of {operation_name}: it{fault}.)"
            text = f"{note}\n{text}"
        return cls(text, _json_text(data))


def all_text(result: types.CallToolResult) -> str:
    """Return the texts of all parts of a result."""
    return "\n".join(text_of(part) for part in result.content)


def _json_text(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
