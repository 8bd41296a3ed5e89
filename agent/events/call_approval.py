"""The event that the user was asked whether a call may be sent.

The model wants to pay, and the account stands only in a mail, whose author may lie:

    call_approval  number 2  pay(account="DE12")  answer: refused
"""

from __future__ import annotations

from typing import Literal

from controlplane.agent.events.event import NumberedEvent
from controlplane.agent.events.record import Data, Text
from controlplane.agent.events.step_entry import StepEntry
from controlplane.agent.model import Count


class CallApproval(StepEntry, NumberedEvent):
    """The user was asked whether a call may be sent that has a value only from running text."""

    in_step_record = True  # A resumed trial reads it: the user is not asked again.
    in_totals = True  # The summary of a run counts it.
    # If a trial is resumed within a step, it repeats the step. Its new question is then compared
    # by `action` and `compared`. A message about a difference has this name:
    name_in_differences = "approvals"
    # A *replay* tests this program by a whole trial. It compares these fields, but takes the
    # answer from the journal.
    compared_by_replay = ("operation", "arguments", "text")

    type: Literal["call_approval"] = "call_approval"
    number: Count
    """The number that the call has in its step once it is sent: 2 after the calls 0 and 1."""
    operation: str
    """The name of the operation."""
    arguments: Data
    """Its arguments by name."""
    text: Text
    """What the user was shown."""
    answer: Literal["approved", "refused"]
    """What the user decided; `refused` also if nobody answered."""

    @property
    def action(self) -> tuple[str, Data]:
        """The call of the question. If a repeated step asks about another call, it fails."""
        return self.operation, self.arguments

    @property
    def compared(self) -> str:
        """The text of the question. If a repeated step has another text, this is only noted."""
        return self.text
