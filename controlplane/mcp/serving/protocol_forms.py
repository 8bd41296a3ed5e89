"""Tools and results of calls in the form that the protocol (MCP) has for them.

The rest of this folder knows its own records (`Tool`, `CallResult`); the SDK's types are made here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from controlplane.agent.model import Tool, object_schema
from controlplane.mcp.serving.client_call import CallResult
from controlplane.mcp.serving.client_tools import QUESTION_ID

if TYPE_CHECKING:
    from mcp import types


OUTPUT: Final = object_schema(
    {
        "text": {"type": "string"},
        "ok": {"type": "boolean"},
        QUESTION_ID: {"type": "string"},
    },
    ["text", "ok"],
)
"""The JSON schema of a result's structured content."""


def listed_tool(tool: Tool, *, only_reads: bool) -> types.Tool:
    """Return a tool as clients see it in a list. `execute_script` has the title "Execute script".

    `only_reads` is passed on as a hint: a client may then call the tool without asking its user.
    """
    from mcp import types

    hints = types.ToolAnnotations(
        read_only_hint=only_reads, destructive_hint=False, open_world_hint=False
    )
    return types.Tool(
        name=tool.name,
        title=tool.name.replace("_", " ").capitalize(),
        description=tool.description,
        input_schema=tool.parameters,
        output_schema=OUTPUT,
        annotations=hints,
    )


def refusal(text: str) -> types.CallToolResult:
    """Return the result of a call that is not made, with the reason."""
    return protocol_result(CallResult(text, failed=True))


def protocol_result(result: CallResult) -> types.CallToolResult:
    """Return the result of a call in the protocol's form: as text, and as structured data.

    The data has the schema `OUTPUT`: `{"text": "3 files", "ok": true, "question_id": "3f0c"}`.
    """
    from mcp import types

    structured: dict[str, Any] = {"text": result.text, "ok": not result.failed}
    if result.question_id:
        structured[QUESTION_ID] = result.question_id
    content: list[types.ContentBlock] = [types.TextContent(text=result.text)]
    return types.CallToolResult(
        content=content, structured_content=structured, is_error=result.failed
    )
