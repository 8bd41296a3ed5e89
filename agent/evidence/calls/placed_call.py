"""A call before it is made: what is to be sent, and its place in the step.

    call = call_to_send("read", {"path": "/a.md"})    a record of the call, without an outcome
    PlacedCall(2, call)                               it is the third call of its step

Several calls may run at the same time. The place of each is given before it is made, so that the
order of the calls does not depend on which of them returns first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.events import CallRecord
from controlplane.sandbox.interface import Plain


def call_to_send(
    operation: str,
    arguments: Mapping[str, Plain],
    *,
    in_verify: bool = False,
    outer: int | None = None,
    origins: Mapping[str, str] | None = None,
) -> CallRecord:
    """Return the record of a call that is about to be sent.

    - `in_verify` is true if a script's `verify` makes the call, its own check of its answer.
    - `outer` is 3 if a function of the benchmark makes the call, and the call of this function
      is number 3 of the step.
    - `origins` says where each argument of a changing call comes from: `{"amount": "asked"}`
      if the amount is in the user's request.
    """
    return CallRecord(
        operation=operation,
        arguments=dict(arguments),
        in_verify=in_verify,
        outer=outer,
        origins=dict(origins or {}),
        state="under_way",
    )


@dataclass(slots=True)
class PlacedCall:
    """A call with its place in the step. It is not made yet."""

    number: int
    """The position of the call in its step, from 0."""
    call: CallRecord
    """The call without its outcome."""
    is_announced: bool = False
    """True if the journal has a line that the call is about to be made."""
    known_outcome: CallRecord | None = None
    """The call with its recorded outcome, if the trial repeats a recorded step."""
