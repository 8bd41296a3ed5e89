"""Translates between the replies of models and their events in the journal."""

from __future__ import annotations

from typing import Any, TypeAlias

from controlplane.agent.events import ModelReplied, SaidMessage
from controlplane.agent.model import ModelRequest, Reply, ReplyFields
from controlplane.agent.reply.reply import action_call

Messages: TypeAlias = tuple[SaidMessage, ...]


def messages_of(request: ModelRequest) -> Messages:
    """Return the messages of a request in their recorded form."""
    return tuple(SaidMessage.of(message) for message in request.messages)


def reply_of(replied: ModelReplied) -> Reply:
    """Return a recorded reply as a model gave it."""
    fields = {name: getattr(replied, name) for name in ReplyFields.model_fields}
    return Reply(text=replied.reply, **fields)


def fields_of(reply: Reply) -> dict[str, Any]:
    """Return the fields of `ModelReplied` that a reply has."""
    fields = {name: getattr(reply, name) for name in ReplyFields.model_fields}
    return fields | {"reply": reply.text, "tool_call": False}


def action_fields(reply: Reply) -> dict[str, Any]:
    """Return the fields of `ModelReplied` that differ if a tool call has the action.

    The arguments of this call have the script. They are recorded as the reply, so
    `tool_calls` has only the other calls.
    """
    action = action_call(reply)
    if action is None:
        return {}
    other_calls = tuple(call for call in reply.tool_calls if call is not action)
    return {"reply": action.arguments, "tool_call": True, "tool_calls": other_calls}
