"""Writes the tool calls of a message, or the result of a call, as text.

| message | text |
|---|---|
| of the model, with calls | `{"calls": [{"name": "read", "arguments": {"path": "/docs/a.md"}}]}` |
| of the tool `read`, with a result | `<result of="read"> ... </result>`, as the user's |
| any other | its own |
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from controlplane.agent.model import Message, ToolCall
from controlplane.agent.reply.objects.object_text import read_object


def without_calls(message: Message, tool_names: Mapping[str, str]) -> Message:
    """Return a message with its calls, or the result of a call, as text.

    A text beside calls is dropped. `tool_names` has the names of the called tools by the id of
    the call.
    """
    calls = message.get("tool_calls", ())
    if calls:
        return Message(role=message["role"], content=calls_as_text(calls))
    if message["role"] == "tool":
        tool_name = tool_names.get(message.get("tool_call_id", ""), "")
        text = f'<result of="{tool_name}">\n{message["content"]}\n</result>\n'
        return Message(role="user", content=text)
    return Message(role=message["role"], content=message["content"])


def calls_as_text(calls: Sequence[ToolCall]) -> str:
    """Return tool calls as JSON: `{"calls": [{"name": "read", "arguments": {"path": "/a"}}]}`."""
    written = []
    for call in calls:
        arguments: object = read_object(call.arguments or "{}")
        if arguments is None:
            # It is not an object, so keep what the model wrote.
            arguments = call.arguments
        written.append({"name": call.name, "arguments": arguments})
    return json.dumps({"calls": written}, ensure_ascii=False)
