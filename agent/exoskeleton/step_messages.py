"""The messages of a completed step in the conversation: the model's reply, and the feedback.

In the reply, the model calls tools, natively or by JSON in its text. The feedback of the step has
a result for each call, and then other texts, such as `5 steps left`.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.exoskeleton.replies.reply_calls import calls_of
from controlplane.agent.model import Message, ToolCall
from controlplane.agent.record.trial_step import TrialStep


def step_messages(step: TrialStep) -> list[Message]:
    """Return the messages of a completed step, in order.

    For a step with one call, and the feedback `("Hi", "5 steps left")`:

    | message | with a native call | with a call as text |
    |---|---|---|
    | of the model | the reply, and its `tool_calls` | the reply, which has the call |
    | of the tool | `Hi` | |
    | of the user | `5 steps left` | `<result of="read">Hi</result>`, and `5 steps left` |

    After the step that ended the trial, the feedback is empty.
    """
    replied = step.solve_reply
    calls = calls_of(replied)
    feedback = step.summary.feedback
    results = feedback[: len(calls)]
    user_text = "".join(feedback[len(calls) :])

    reply = Message(role="assistant", content=replied.reply)
    if replied.thinking:
        reply["thinking"] = replied.thinking
    messages = [reply]
    # No call of a reply that was cut off is made, native or not: `calls` is empty then.
    has_native_calls = bool(calls) and bool(replied.tool_calls)
    if has_native_calls:
        identified_calls = _with_ids(calls, step.number)
        reply["tool_calls"] = identified_calls
        messages += _tool_messages(identified_calls, results)
    else:
        user_text = _results_as_text(calls, results) + user_text
    if user_text:
        messages.append(Message(role="user", content=user_text))
    return messages


def _with_ids(calls: Sequence[ToolCall], step: int) -> list[ToolCall]:
    """Return the calls, with a new id for each call that has none from the endpoint."""
    identified = []
    for position, call in enumerate(calls):
        call_id = call.id or f"call_{step}_{position}"
        identified.append(call.model_copy(update={"id": call_id}))
    return identified


def _tool_messages(calls: Sequence[ToolCall], results: Sequence[str]) -> list[Message]:
    """Return the results of native calls, each as a message that names its call."""
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
