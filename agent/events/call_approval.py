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
    """The user was asked whether a call may be sent that has a value only from running text.

    Example: `pay(account="DE12")`, where the account is only in a mail.
    """

    # If a resumed trial repeats its step, and asks something else, a message names "approvals".
    name_in_differences = "approvals"
    in_step_record = True  # A resumed trial reads it.
    in_totals = True  # The summary of a run counts it.
    # A replay does not ask the user again. It computes the question, but not the answer.
    compared_by_replay = ("operation", "arguments", "text")

    type: Literal["call_approval"] = "call_approval"
    number: Count
    """The number of the call in the step, if it is sent."""
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
        """The call that the user was asked about. A step that is repeated has to make the same."""
        return self.operation, self.arguments

    @property
    def compared(self) -> str:
        """The question. A newer version of this program may put it in other words, which is noted."""
        return self.text
