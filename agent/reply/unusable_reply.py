"""Says why a reply is unusable, to the model and in the journal.

`The reply was empty. Reply with one JSON object {state, plan, done, code} alone, ...`
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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

# The forms in which a model is told to reply
JSON_FORM: Final = (
    "Reply with one JSON object {state, plan, done, code} alone, quotes and newlines in its "
    "strings escaped"
)
FENCED_FORM: Final = (
    'a line "state: ..." and then the whole script in one ```python fence'
)


@dataclass(frozen=True, slots=True)
class Unusable:
    """A reply without an action.

    `Unusable(Fault.WRONG_TOOL, ", 'search'")` has the reason `The reply called a tool that is
    not there, 'search'. Reply with one JSON object ...`.
    """

    fault: Fault
    details: str = ""
    """What follows the text of the fault in the reason."""

    @property
    def reason(self) -> str:
        """What a model that was asked for JSON reads: what is wrong, and how to reply."""
        form = JSON_FORM
        if self.fault is Fault.GARBLED:
            form += f"; or with {FENCED_FORM}"
        return f"The reply {FAULT_TEXTS[self.fault]}{self.details}. {form}."

    @property
    def reason_in_fences(self) -> str:
        """What a model that was asked for scripts in fences reads."""
        fault_text = FAULT_TEXTS[self.fault]
        if self.fault is Fault.NO_OBJECT:
            fault_text = "held no script in a fence"
        return f"The reply {fault_text}{self.details}. Reply with {FENCED_FORM}."
