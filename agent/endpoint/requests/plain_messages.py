"""Writes conversations with tool calls as plain text, for endpoints without tools.

assistant: {"calls": [{"name": "read", "arguments": {"path": "/docs/a.md"}}]}
user:      <result of="read"> ... </result>
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from controlplane.agent.model import Message, ToolCall
from controlplane.agent.reply.objects.object_text import read_object


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
        plain.append(without_calls(message, tool_names))
    return with_joined_user_messages(plain)


def with_joined_user_messages(messages: Sequence[Message]) -> list[Message]:
    """Return messages with each row of user messages joined, because some endpoints refuse it.

    user `<result ...>`, user `<result ...>`, assistant `Hm` -> user, assistant
    """
    joined: list[Message] = []
    for message in messages:
        if joined and joined[-1]["role"] == message["role"] == "user":
            content = joined[-1]["content"] + message["content"]
            joined[-1] = Message(role="user", content=content)
        else:
            joined.append(message)
    return joined


def without_calls(message: Message, tool_names: Mapping[str, str]) -> Message:
    """Return a message with its calls, or the result of a call, as text.

    | message | text |
    |---|---|
    | of the assistant, with calls | `{"calls": [...]}`; a text beside the calls is dropped |
    | of the tool `read`, with a result | `<result of="read">...</result>`, of the user |
    | any other | its own |

    `tool_names` has the names of the called tools by the id of the call.
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
