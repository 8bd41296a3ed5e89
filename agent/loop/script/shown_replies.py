"""The replies of the model as later requests of a script trial show them."""

from __future__ import annotations

from typing import Final

from controlplane.agent.reply.unusable_reply import Fault

LEFT_OUT_REPLY: Final = "(a script that failed like the one before)"
"""Replaces such a script in the conversation, because small models repeat what they see twice."""

MAX_CUT_OFF_CHARS: Final = 400
"""Later requests repeat this many characters of a reply that was cut off."""


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
