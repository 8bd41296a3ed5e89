"""Keeps calls of the initial prompt that were started early, until they are needed.

The initial prompt shows the results of some reads, such as a listing of `/`. If the environment
allows several calls at a time (`SideBySide`), these reads start before the prompt is built, which
then need not wait for them:

    early.start(list_root, environment)   the call runs from now on
    early.take(list_root)                 -> its run: the prompt needs it now
    early.take(list_root)                 -> None: it was taken before
"""

from __future__ import annotations

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.run_beside_others import RunBesideOthers
from controlplane.agent.evidence.environment import SideBySide


class EarlyCalls:
    """The calls of one trial that have started early, and were not needed yet."""

    def __init__(self) -> None:
        self._runs: dict[tuple[str, str], RunBesideOthers] = {}
        """The calls by `_key_of`."""

    def start(self, call: CallRecord, environment: SideBySide) -> None:
        """Start a call that only reads."""
        self._runs[_key_of(call)] = RunBesideOthers(call, environment)

    def take(self, call: CallRecord) -> RunBesideOthers | None:
        """Return the run of a call that is needed now; None if it has not started."""
        return self._runs.pop(_key_of(call), None)

    def await_all(self) -> None:
        """Wait for the calls that nobody took, because the trial ends."""
        for run in self._runs.values():
            run.await_end()
        self._runs.clear()


def _key_of(call: CallRecord) -> tuple[str, str]:
    """Return the key of a call: `("read", "{'path': '/a.md'}")`.

    If the same arguments come in another order, the key differs. The call is then made
    twice, which does no harm, because it only reads.
    """
    return call.operation, str(call.arguments)
