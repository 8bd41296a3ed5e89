"""A recorded call that is made again in a new environment, and how its outcome differs.

The environment of a trial may be lost. To go on with the trial, or to grade it again, its calls
are made again in a new environment, which should give the same results:

    recorded                              now                      difference
    write("/b.md", "x")   {"path": ...}   {"path": ...}            none
    read("/fees.md")      "fee: 7"        not_found: no such file  fails today: no such file
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.environment import Environment
from controlplane.sandbox.interface import CallError, Plain, guarded


@dataclass(frozen=True, slots=True)
class RepeatedCall:
    """A recorded call, and its outcome now.

    If the recorded trial was cut off during the call, it is not known what the call did. It
    is not made again, and has neither a result nor an error now.
    """

    recorded: CallRecord
    """The call with the outcome that it had then."""
    result: Mapping[str, Plain] | None = None
    """What the call returns now."""
    error: CallError | None = None
    """Why the call fails now."""

    @property
    def difference(self) -> str:
        """How the new outcome differs from the recorded one. Empty if they are the same.

        | then | now | difference |
        |---|---|---|
        | any outcome | another error | fails today |
        | cut off | not made | was cut off |
        | an error | a result | failed then and succeeds today |
        | a result | another result | gives another result today |
        """
        recorded_error = self.recorded.error
        recorded_code = "" if recorded_error is None else recorded_error.code
        if self.error is not None:
            is_same_error = recorded_code == str(self.error.code)
            return "" if is_same_error else f"fails today: {self.error.message}"
        if self.result is None:
            return "was cut off, so its end state is not known"
        if recorded_error is not None:
            return "failed then and succeeds today"
        if self.result != self.recorded.result:
            return "gives another result today"
        return ""


def repeat_call(call: CallRecord, environment: Environment) -> RepeatedCall:
    """Make a recorded call again, unless it was cut off, and return its outcomes then and now."""
    if call.state in ("under_way", "lost"):
        return RepeatedCall(call)
    make = partial(environment.call, call.operation, dict(call.arguments))
    try:
        result = guarded(call.operation, make)
    except CallError as error:
        return RepeatedCall(call, error=error)
    return RepeatedCall(call, result=result)
