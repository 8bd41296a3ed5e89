"""The calls that were made in a workspace, with their outcomes, so that none is made twice.

A call is an operation with its arguments, such as `read` with `{"path": "/AGENTS.md"}`. Its
outcome is a result or an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from controlplane.sandbox.functions import Call, CannotRead, Harness, Outcome
from controlplane.sandbox.interface import CallError

_TIMED_OUT: Final = 124
"""The exit code of a tool that timed out, as in `timeout(1)`."""


class MadeCalls:
    """Makes calls with `harness` and remembers their outcomes.

    It also knows the calls that the trial made earlier: `harness.known`.
    """

    def __init__(self, harness: Harness) -> None:
        self._harness = harness
        self._outcomes: dict[str, Outcome] = {}
        """The result or error of each call, by `_key`."""
        for operation, arguments, outcome in harness.known:
            self._outcomes[_key((operation, arguments))] = outcome

    def result(self, call: Call) -> Mapping[str, Any]:
        """Return the result of one call. Raises `CannotRead` if it fails."""
        outcome = self.outcomes([call])[0]
        if isinstance(outcome, CallError):
            raise CannotRead(outcome.message)
        return outcome

    def outcomes(self, calls: Sequence[Call]) -> list[Outcome]:
        """Return the results or errors of calls, in order. New calls are made in parallel.

        If a new call runs a tool that times out, the tool is run once more. A known call is
        never repeated, even if it timed out.
        """
        new_calls = {}
        for call in calls:
            key = _key(call)
            if key not in self._outcomes:
                new_calls[key] = call
        self._make(new_calls)

        timed_out = {}
        for key, call in new_calls.items():
            if _has_timed_out(self._outcomes[key]):
                timed_out[key] = call
        self._make(timed_out)
        return [self._outcomes[_key(call)] for call in calls]

    def _make(self, calls: Mapping[str, Call]) -> None:
        """Make calls, given by their keys, and keep their outcomes."""
        if calls:
            outcomes = self._harness.side_by_side(list(calls.values()))
            self._outcomes.update(zip(calls, outcomes, strict=True))


def _key(call: Call) -> str:
    """Return a text that is the same for equal calls, an operation and its arguments."""
    operation, arguments = call
    return repr((operation, sorted(arguments.items())))


def _has_timed_out(outcome: Outcome) -> bool:
    return isinstance(outcome, Mapping) and outcome.get("exit_code") == _TIMED_OUT
