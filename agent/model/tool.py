"""The tools that a model may call, and its calls of them.

The model is told of a tool by the JSON schema of its arguments, and calls it by its name:

    Tool(name="read", description="Read a file.",
         parameters=object_schema({"path": {"type": "string"}}))
    ToolCall(name="read", arguments='{"path": "/docs/a.md"}', id="call_1")
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from controlplane.agent.model.reply_part import ReplyPart

TOOL_NAME: Final = "execute_script"
"""The tool that a model may call to return its action.

An action is the object `{state, plan, done, code}` with the script of one turn;
see `controlplane.agent.reply.reply`. A model that calls no tools writes the action
as the text of its reply."""


class Tool(ReplyPart):
    """A tool that a model may call."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON schema of the arguments."""


class ToolCall(ReplyPart):
    """One tool call of a reply."""

    name: str
    """The tool's name, as the model wrote it."""
    arguments: str
    """The arguments as the model wrote them: JSON text, which may be invalid."""
    id: str = ""
    """The endpoint's id of the call, which the message with its result repeats; may be empty."""


def object_schema(
    properties: dict[str, dict[str, object]], required: Sequence[str] | None = None
) -> dict[str, object]:
    """Return the JSON schema of an object with these properties and no others.

    `required` names the properties that the object must have; by default, all of them.
    """
    names = list(properties) if required is None else list(required)
    return {
        "type": "object",
        "additionalProperties": False,
        "required": names,
        "properties": properties,
    }
