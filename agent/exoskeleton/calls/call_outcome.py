"""The outcome of one call of the model: a result, or the reason why it was refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.model import ToolCall

MAX_NAME_CHARS: Final = 80
"""Max characters of a tool's name in a step's error. Models may invent long names."""


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """What became of a call."""

    text: str
    """The text for the model: the result, or the reason."""
    refusal: str = ""
    """The part of the step's error: `reed: error: there is no tool 'reed'`; empty if the
    call was made."""


def refused(call: ToolCall, reason: str) -> CallOutcome:
    """Return the outcome of a call that was not made."""
    return CallOutcome(reason, f"{call.name[:MAX_NAME_CHARS]}: {reason}")
