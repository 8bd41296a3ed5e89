"""Writes conversations with tool calls as plain text, for endpoints without tools.

The calls and results stay in the conversation, so that the model knows what it has done:

    assistant: {"calls": [{"name": "read", "arguments": {"path": "/docs/a.md"}}]}
    user:      <result of="read"> ... </result>
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.endpoint.requests.call_texts import without_calls
from controlplane.agent.model import Message


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
