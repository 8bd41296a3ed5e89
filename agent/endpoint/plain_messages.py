"""A conversation with tool calls as one without them, for endpoints that take no tools."""

from __future__ import annotations

import json
from collections.abc import Sequence

from agent.model.model_protocol import Message, ToolCall


def plain_messages(messages: Sequence[Message]) -> Sequence[Message]:
    """Return messages without calls and results: calls as JSON text, the results behind them as one user's message."""
    if not any(each.get("tool_calls") or each["role"] == "tool" for each in messages):
        return messages
    plain: list[Message] = []
    names: dict[str, str] = {}
    for each in messages:
        calls = each.get("tool_calls", ())
        names |= {call.id: call.name for call in calls}
        content = each["content"]
        if calls:
            content = json.dumps({"calls": list(map(_written, calls))}, ensure_ascii=False)
        elif each["role"] == "tool":
            content = f'<result of="{names.get(each.get("tool_call_id", ""), "")}">\n{content}\n</result>\n'
        role = "user" if each["role"] == "tool" else each["role"]
        if plain and role == "user" and plain[-1]["role"] == "user":
            plain[-1] = Message(role="user", content=plain[-1]["content"] + content)
        else:
            plain.append(Message(role=role, content=content))
    return plain


def _written(call: ToolCall) -> dict[str, object]:
    try:
        arguments = json.loads(call.arguments or "{}")
    except ValueError:
        arguments = call.arguments
    return {"name": call.name, "arguments": arguments}
