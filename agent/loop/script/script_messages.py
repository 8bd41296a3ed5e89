"""The messages of a step in the conversation: the model's reply, and the feedback on it."""

from __future__ import annotations

from typing import Final

from controlplane.agent.model import Message
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.reply.unusable_reply import Fault

LEFT_OUT_REPLY: Final = "(a script that failed like the one before)"
"""The line that stands for a script with the same error as the one before it.
Small models repeat what they see twice."""

MAX_CUT_OFF_CHARS: Final = 400
"""Later requests repeat this many characters of a reply that was cut off."""


def step_messages(step: TrialStep, *, leaves_out_reply: bool) -> list[Message]:
    """Return the model's reply, and the feedback on it.

    With `leaves_out_reply`, the line `LEFT_OUT_REPLY` replaces the reply.
    """
    done = step.summary
    replied = step.solve_reply
    text = shown_reply(replied.reply, done.fault)
    if leaves_out_reply:
        text = LEFT_OUT_REPLY
    reply = Message(role="assistant", content=text)
    if replied.thinking:
        reply["thinking"] = replied.thinking
    return [reply, Message(role="user", content="".join(done.feedback))]


def shown_reply(reply: str, fault: str) -> str:
    """Return a reply as later requests show it, never empty.

    Each later request pays for the reply again. So of a reply that was cut off at its
    length limit, only the beginning is shown.
    """
    if not reply.strip():
        return "(an empty reply)"
    hidden = len(reply) - MAX_CUT_OFF_CHARS
    if fault != Fault.CUT_OFF or hidden <= 0:
        return reply
    return f"{reply[:MAX_CUT_OFF_CHARS]} [... {hidden:,} characters more, then cut off]"
