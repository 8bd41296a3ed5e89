"""The messages of a step in the conversation: the model's reply, and the feedback on it.

Each later request sends them again. So a reply that would only cost tokens, or tempt the
model to repeat it, is not shown as it was.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.model import Message
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.reply.fault import Fault

LEFT_OUT_REPLY: Final = "(a script that failed like the one before)"
"""The line that stands for a script with the same error as the one before it.
Small models repeat what they see twice."""

MAX_CUT_OFF_CHARS: Final = 400
"""Later requests repeat this many characters of a reply that was cut off."""


def step_messages(step: TrialStep, *, leaves_out_reply: bool) -> list[Message]:
    """Return the model's reply, and the feedback on it.

    With `leaves_out_reply`, the line `LEFT_OUT_REPLY` replaces the reply.
    """
    replied = step.solve_reply
    if leaves_out_reply:
        text = LEFT_OUT_REPLY
    else:
        text = shown_reply(replied.reply, step.summary.fault)
    from_model = Message(role="assistant", content=text)
    if replied.thinking:  # Some endpoints want the model's thinking back.
        from_model["thinking"] = replied.thinking
    feedback = "".join(step.summary.feedback)
    return [from_model, Message(role="user", content=feedback)]


def shown_reply(reply: str, fault: str) -> str:
    """Return a reply as later requests show it, never empty.

    Of a reply that was cut off at its length limit, only the beginning is shown, because
    each later request pays for it again. `fault` is empty if the reply was usable.
    """
    if not reply.strip():
        return "(an empty reply)"
    hidden_chars = len(reply) - MAX_CUT_OFF_CHARS
    if fault != Fault.CUT_OFF or hidden_chars <= 0:
        return reply
    beginning = reply[:MAX_CUT_OFF_CHARS]
    return f"{beginning} [... {hidden_chars:,} characters more, then cut off]"
