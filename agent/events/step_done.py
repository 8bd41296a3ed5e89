"""The end of a step, with everything that happened in it.

A step is one turn of a model: its reply, and what the reply led to. Most of that has lines of
its own in the journal. `IN_OWN_LINES` and `IN_REPLY_LINE` mark the fields that the line of the
step therefore leaves out. A reader of the journal puts them back:

    call    step 3  number 0  read("/docs/fees.md")  made, with its result
    step    step 3  code "print(harness.read(...))"  output "Fee: 7 EUR"  calls [0]
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from controlplane.agent.events.call_record import CallRecord
from controlplane.agent.events.event import Citation, StepEvent
from controlplane.agent.events.journal_record import (
    IN_OWN_LINES,
    IN_REPLY_LINE,
    VARIES_BY_RUN,
    Data,
    JournalRecord,
    Text,
)
from controlplane.agent.events.submissions import Judged
from controlplane.agent.model import Amount, Usage
from controlplane.sandbox.interface.host import Ending

# A reply of the model that asks for an action, and how this action was carried out.
#
# Most replies have a script to run. Here the first one runs; the second cannot be used:
#
#     {"plan": ["look"], "code": "print(4)"}  -> code "print(4)", output "4", ending "finished"
#     an empty reply                          -> error "The reply was empty. ...", fault "empty"
#
# For a solver that calls tools instead, the fields about scripts stay empty.


class CarriedOutReply(JournalRecord):
    """The fields of a step that say what the model replied, and what came of it."""

    # The journal's line of the reply has the text already, so that of the step leaves it out.
    reply: Annotated[Text, IN_REPLY_LINE] = ""
    """The model's raw reply."""
    state: Text = ""
    """The model's own account of its progress."""
    plan: tuple[Text, ...] = ()
    """The next steps that the model intends."""
    done: bool = False
    """True if the model says that it is done. It is not taken at its word."""
    code: Text = ""
    """The script, also one that was refused; of several in a reply, the first, which alone is run.
    Empty if the reply had none, or if the solver works without scripts."""
    output: Text = ""
    """The script's output."""
    error: Text = ""
    """What went wrong, as the model is told: the script's exception, or why the reply
    could not be used."""
    fault: str = ""
    """For a reply that could not be used, the kind of its fault: `cut_off`, `filtered`,
    `refused`, `empty`, `only_thoughts`, `wrong_tool`, `no_object`, `garbled`, `wrong_shape`
    or `no_call`; else empty."""
    ending: str = ""
    """How the script ended: `finished`, `raised`, `syntax`, `refused`, `limit` or `killed`;
    empty if none ran."""

    @property
    def was_refused(self) -> bool:
        """True if the script was refused before it ran, such as `print(4` for its syntax."""
        return self.ending in (Ending.SYNTAX, Ending.REFUSED)

    @property
    def failure(self) -> str:
        """The last line of the script's error, `KeyError: 'fee'`; empty without a script, or if
        it finished. If it was stopped without an error, this is the ending: `killed`."""
        if not self.code or self.ending == Ending.FINISHED:
            return ""
        lines = self.error.strip().splitlines()
        return lines[-1].strip() if lines else self.ending


class StepDone(CarriedOutReply, StepEvent):
    """A step is done: one turn of the model, with its reply and what the reply led to."""

    in_totals = True  # The summary of a run counts it.
    # A *replay*, which tests this program by a whole trial, computes these fields anew.
    compared_by_replay = (
        "output",
        "error",
        "ending",
        "calls",
        "citations",
        "scratchpad",
        "verdicts",
    )

    type: Literal["step"] = "step"

    # `CarriedOutReply` has the fields of the reply and its script: `reply`, `code`, `output` ...
    calls: Annotated[tuple[CallRecord, ...], IN_OWN_LINES] = ()
    """Every environment call with its result."""
    citations: Annotated[tuple[Citation, ...], IN_OWN_LINES] = ()
    """Every citation with its answer."""
    scratchpad: Data = Field(default_factory=dict)
    """The scratchpad after the step: the dictionary that all scripts of a trial share. (The
    sandbox's `decoded_values` describes how values without a JSON type are written.)"""
    verdicts: Annotated[tuple[Judged, ...], IN_OWN_LINES] = ()
    """Every submission (an answer that was handed in) of the step, with the gates' verdicts."""

    # What the model is told, and what the step has used.
    feedback: tuple[Text, ...] = ()
    """The next messages to the model, as pieces: the result of each tool call
    of the reply, and one for the rest. Empty after an accepted answer."""
    usage: Annotated[Usage, IN_REPLY_LINE] = Usage()
    """Tokens of the reply."""
    cost_usd: Annotated[float | None, IN_REPLY_LINE] = None
    """The cost of the reply as reported by the endpoint."""
    elapsed_ms: Annotated[Amount, VARIES_BY_RUN] = 0.0
    """Wall-clock milliseconds of the script."""
    refunded: bool = False
    """True if the step, such as one with an empty reply, does not count towards the limit of steps."""
    used_ms: Annotated[Amount, VARIES_BY_RUN] = 0.0
    """Wall-clock milliseconds that the trial has used up to the end of the step,
    over all attempts, without the time in which its model was down."""

    @property
    def compared_parts(self) -> dict[str, object]:
        """What is compared, by name, if a resumed trial repeats this step.

        Each call, citation and verdict is compared when it is made. So of these, only numbers
        are compared here, by which a missing call or verdict is noticed.
        """
        return {
            "calls": len(self.calls),
            "verdicts": len(self.verdicts),
            "output": self.output,
            "error": self.error,
            "ending": self.ending,
            "scratchpad": self.scratchpad,
        }
