"""Translates between a model's `Reply` and the event that records it, `ModelReplied`.

A model writes its *action*, the script to run, as text or as the arguments of a tool call. For a
reply to the solver, the field `reply` of the event has it in both cases:

| the reply | `reply` | `tool_call` | `tool_calls` |
|---|---|---|---|
| the text `{"code": "1"}` | the text | False | all calls |
| a call with the arguments `{"code": "1"}` | the arguments | True | the other calls |

Other replies, such as those to a grader, have no action: they are recorded like the first row.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from controlplane.agent.events import ModelReplied, SaidMessage
from controlplane.agent.model import SIDE_ROLES, ModelRequest, Reply, ReplyFields
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.reply.action_call import action_call

Messages: TypeAlias = tuple[SaidMessage, ...]


def messages_of(request: ModelRequest) -> Messages:
    """Return the messages of a request in their recorded form."""
    return tuple(SaidMessage.of(message) for message in request.messages)


def reply_of(replied: ModelReplied) -> Reply:
    """Return a recorded reply as a model gave it."""
    fields = {name: getattr(replied, name) for name in ReplyFields.model_fields}
    return Reply(text=replied.reply, **fields)


def reply_event(
    reply: Reply, role: str, step: TrialStep, *, trial_id: str, elapsed_s: float
) -> ModelReplied:
    """Return the event that records a reply, which came after `elapsed_s`."""
    fields: dict[str, Any] = {
        name: getattr(reply, name) for name in ReplyFields.model_fields
    }
    fields |= {"reply": reply.text, "tool_call": False}
    number = 0
    if role not in SIDE_ROLES:  # It is a reply to the solver, numbered in its step.
        fields |= _fields_of_action(reply)
        number = len(step.replies)
    return ModelReplied(
        trial_id=trial_id,
        step=step.number,
        number=number,
        role=role,
        elapsed_ms=round(elapsed_s * 1000, 3),
        **fields,
    )


def _fields_of_action(reply: Reply) -> dict[str, Any]:
    """Return the fields that differ if the action is a tool call; empty if it is not."""
    action = action_call(reply)
    if action is None:
        return {}
    other_calls = tuple(call for call in reply.tool_calls if call is not action)
    return {"reply": action.arguments, "tool_call": True, "tool_calls": other_calls}
