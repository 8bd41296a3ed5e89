"""Writes conversations with tool calls as plain text, for endpoints without tools.

assistant: {"calls": [{"name": "read", "arguments": {"path": "/docs/a.md"}}]}
user:      <result of="read"> ... </result>
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from controlplane.agent.model import Message, ToolCall
from controlplane.agent.reply.object_text import read_object


def plain_messages(messages: Sequence[Message]) -> Sequence[Message]:
    """Return messages in a form for endpoints without tools.

    The model's calls become JSON text in its message. Their results become one message
    of the user: `<result of="read">...</result>`.
    """
    has_calls = any(
        message.get("tool_calls") or message["role"] == "tool" for message in messages
    )
    if not has_calls:
        return messages

    plain: list[Message] = []
    # The tool's name by the id of its call. If an id comes twice, the later call counts.
    tool_names: dict[str, str] = {}
    for message in messages:
        for call in message.get("tool_calls", ()):
            tool_names[call.id] = call.name
        plain_message = without_calls(message, tool_names)
        # Some endpoints refuse two messages of the user in a row.
        if plain and plain[-1]["role"] == plain_message["role"] == "user":
            content = plain[-1]["content"] + plain_message["content"]
            plain[-1] = Message(role="user", content=content)
        else:
            plain.append(plain_message)
    return plain


def without_calls(message: Message, tool_names: Mapping[str, str]) -> Message:
    """Return a message with its calls, or the result of a call, as text.

    A text beside calls is dropped, so that the message is only JSON, as the model should
    write it. `tool_names` has the names of the called tools by the id of the call.
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
    return json_text({"calls": written})


def json_text(value: object) -> str:
    """Return a value as JSON without escapes for non-ASCII letters."""
    return json.dumps(value, ensure_ascii=False)
