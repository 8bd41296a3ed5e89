"""The event of a call of the environment, such as `read(path="/docs/a.md")`.

A call that may change something is announced in the journal before it is made, because the
process may end during the call. The event has the fields of the call (`CallRecord`), and its
place in the trial, so that its line is flat:

    call  number 0  read(path="/docs/a.md")    state: made, with its result
    call  number 1  write(path="/b.md", ...)   state: under_way
    call  number 1  write(path="/b.md", ...)   state: made, with its result
"""

from __future__ import annotations

from typing import Literal

from controlplane.agent.events.call_record import CallRecord
from controlplane.agent.events.event import NumberedEvent


class CallEvent(CallRecord, NumberedEvent):
    """A call is about to be made (`under_way`), or has an outcome.

    A call that only reads has one line in the journal, with its outcome. Any other call has
    a line before it is made, and one with its outcome, which repeats the request. If the
    second line is missing, the call may have happened.
    """

    in_step_record = True  # A resumed trial reads it.
    compared_by_replay = (
        "operation",
        "arguments",
        "in_verify",
    )  # A replay computes them.

    type: Literal["call"] = "call"
    was_announced: bool = False
    """True if an earlier line says that it was about to be made."""

    @classmethod
    def of(
        cls,
        call: CallRecord,
        *,
        trial_id: str,
        step: int,
        number: int,
        was_announced: bool,
    ) -> CallEvent:
        """Return the event of a call. `number` counts the calls of its step, from 0."""
        return cls(
            trial_id=trial_id,
            step=step,
            number=number,
            was_announced=was_announced,
            **vars(call),
        )

    @property
    def is_announcement(self) -> bool:
        """True if the call is about to be made."""
        return self.state == "under_way"

    @property
    def call(self) -> CallRecord:
        """The call without its place in the trial."""
        fields = {name: getattr(self, name) for name in CallRecord.model_fields}
        # The event has validated them, so `model_construct` need not do it again.
        return CallRecord.model_construct(**fields)
