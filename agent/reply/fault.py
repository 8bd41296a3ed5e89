"""The faults of a reply that has no action: no script to run.

A reply that was cut off has the fault `CUT_OFF`. The journal states it as `cut_off`, and the
model reads "The reply was cut off at the output limit".
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Fault(StrEnum):
    """The reason why a reply is unusable, as the journal states it (see `FAULT_TEXTS`)."""

    CUT_OFF = "cut_off"
    FILTERED = "filtered"
    REFUSED = "refused"
    EMPTY = "empty"
    ONLY_THOUGHTS = "only_thoughts"
    WRONG_TOOL = "wrong_tool"
    NO_OBJECT = "no_object"
    GARBLED = "garbled"
    WRONG_SHAPE = "wrong_shape"
    NO_CALL = "no_call"


PROSE: Final = (Fault.NO_OBJECT, Fault.NO_CALL)
"""The faults of a reply in prose, to a solver that asks for JSON, or for tool calls."""

FAULT_TEXTS: Final[Mapping[str, str]] = {
    Fault.CUT_OFF: "was cut off at the output limit",
    Fault.FILTERED: "was withheld by the endpoint's filter",
    Fault.REFUSED: "was a refusal",
    Fault.EMPTY: "was empty",
    Fault.ONLY_THOUGHTS: "held thinking alone",
    Fault.WRONG_TOOL: "called a tool that is not there",
    Fault.NO_OBJECT: "held no JSON object",
    Fault.GARBLED: "held JSON that cannot be read",
    Fault.WRONG_SHAPE: "held an object without code, a string with the Python to run",
    Fault.NO_CALL: "called no tool",
}
"""What each fault means, as the end of a sentence that begins with "The reply"."""
