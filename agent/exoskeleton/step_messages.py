"""The messages of a completed step in the conversation: the model's reply, and the feedback.

Each native tool call gets a message with its result. The results of calls that were
written as text go into the next message of the user.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.exoskeleton.reply_calls import calls_of
from controlplane.agent.model import Message, ToolCall
from controlplane.agent.record.trial_step import TrialStep


def step_messages(step: TrialStep) -> list[Message]:
    """Return the messages of a completed step, in order."""
    replied = step.solve_reply
    calls = calls_of(replied)
    feedback = step.summary.feedback
    # The feedback has a result for each call, then the other texts. It is empty after the
    # step that ended the trial.
    results = feedback[: len(calls)]
    user_text = "".join(feedback[len(calls) :])

    reply = Message(role="assistant", content=replied.reply)
    if replied.thinking:
        reply["thinking"] = replied.thinking
    messages = [reply]
    # A reply that was cut off may have native tool calls, but none of them is made: `calls`
    # is empty, and the feedback has only the reminder to make calls.
    has_native_calls = bool(replied.tool_calls) and bool(calls)
    if has_native_calls:
        identified_calls = _with_ids(calls, step.number)
        reply["tool_calls"] = identified_calls
        messages += _result_messages(identified_calls, results)
    else:
        user_text = _results_as_text(calls, results) + user_text
    if user_text:
        messages.append({"role": "user", "content": user_text})
    return messages


def _with_ids(calls: Sequence[ToolCall], step: int) -> list[ToolCall]:
    """Return the calls, with a new id for each call that has none from the endpoint."""
    identified = []
    for position, call in enumerate(calls):
        call_id = call.id or f"call_{step}_{position}"
        identified.append(call.model_copy(update={"id": call_id}))
    return identified


def _result_messages(
    calls: Sequence[ToolCall], results: Sequence[str]
) -> list[Message]:
    """Return a message with the result of each native call."""
    messages: list[Message] = []
    for call, result in zip(calls, results, strict=False):
        messages.append({"role": "tool", "content": result, "tool_call_id": call.id})
    return messages


def _results_as_text(calls: Sequence[ToolCall], results: Sequence[str]) -> str:
    """Return the results of calls that were written as text."""
    text = ""
    for call, result in zip(calls, results, strict=False):
        text += f'<result of="{call.name}">\n{result}\n</result>\n'
    return text
