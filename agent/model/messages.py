"""The messages of a conversation with a model, and the tools that the model may call.

A message is a dictionary: `{"role": "user", "content": "Which loans are overdue?"}`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NotRequired, TypeAlias, TypedDict

from controlplane.agent.model.immutable_data import ReplyPart

TOOL_NAME: Final = "execute_script"
"""The tool that a model may call to return its action.

An action is the object `{state, plan, done, code}` with the script of one turn;
see `controlplane.agent.reply.reply`. A model that calls no tools writes the action
as the text of its reply."""

Thought: TypeAlias = dict[str, Any]
"""One item of a model's thinking. It goes back to the endpoint exactly as the endpoint sent it."""


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


class Tool(ReplyPart):
    """A tool that a model may call."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON schema of the arguments."""


class Message(TypedDict):
    """One message of a conversation. `role` is system, user, assistant or tool."""

    role: str
    content: str
    tool_calls: NotRequired[Sequence[ToolCall]]
    """The calls that an assistant made."""
    tool_call_id: NotRequired[str]
    """The id of the call whose result a tool's message holds."""
    thinking: NotRequired[Sequence[Thought]]
    """An assistant's `Reply.thinking`. It is sent back if the endpoint's protocol asks for it."""
