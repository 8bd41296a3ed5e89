"""Says why a reply is unusable, to the model and in the journal.

The model is told what to do, so that its next reply is better: `The reply was empty. Reply with one
JSON object {state, plan, done, code} alone, ...`
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.reply.fault import FAULT_TEXTS, Fault

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
