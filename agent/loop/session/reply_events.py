"""Translates between the replies of models and their events in the journal.

A `Reply` is what a model returned. `ModelReplied` is the event that records it.
"""

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
    """Return the fields of `ModelReplied` that record a reply outside of the conversation."""
    fields = {name: getattr(reply, name) for name in ReplyFields.model_fields}
    return fields | {"reply": reply.text, "tool_call": False}


def solver_fields_of(reply: Reply) -> dict[str, Any]:
    """Return the fields of `ModelReplied` that record a reply to the solver.

    The solver wants an *action*, such as a script to run. A model writes it as text, or as
    the arguments of a tool call. The field `reply` has the action in both cases:

        text `{"code": "..."}`         -> reply: the text, tool_call: False
        tool call with these arguments -> reply: the arguments, tool_call: True

    `tool_calls` then has only the other calls.
    """
    fields = fields_of(reply)
    action = action_call(reply)
    if action is not None:
        fields["reply"] = action.arguments
        fields["tool_call"] = True
        fields["tool_calls"] = tuple(
            call for call in reply.tool_calls if call is not action
        )
    return fields
