"""Translates between a model's `Reply` and the event that records it, `ModelReplied`.

A model writes its *action*, the script to run, as text or as the arguments of a tool call. In the
event, the action is in the field `reply` in both cases:

    the text `{"code": "1"}`             reply='{"code": "1"}', tool_call=False
    a call `execute_script(code="1")`    reply='{"code": "1"}', tool_call=True

`tool_calls` then has only the calls beside the action. A reply to others than the solver, such as a
grader, has no action: its text and all calls are recorded as they are.
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
    number = 0
    action = None
    is_for_solver = role not in SIDE_ROLES
    if is_for_solver:
        number = len(step.replies)  # Replies to the solver are numbered in each step.
        action = action_call(reply)

    text = reply.text
    if action is not None:
        text = action.arguments
        calls_beside = [call for call in reply.tool_calls if call is not action]
        fields["tool_calls"] = tuple(calls_beside)
    return ModelReplied(
        trial_id=trial_id,
        step=step.number,
        number=number,
        role=role,
        elapsed_ms=round(elapsed_s * 1000, 3),
        reply=text,
        tool_call=action is not None,
        **fields,
    )
