"""Remembers which untrusted values were accepted in a call, so that later calls may have them.

A value is *untrusted* if only running text has it: a mail by anybody says "Pay 420 to DE12".

1. `send_money(to="DE12", amount=420)` is *stopped*: it is not sent, and the model reads why.
2. The model makes the same call again, or the user approves it. Both values are *accepted*.
3. `send_money(to="DE12", amount=9000)` is stopped: DE12 is not accepted for another sum.
"""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.agent.evidence.checks.value_use import ValueUse


class AcceptedUses:
    """The uses of untrusted values that were accepted in one trial.

    accepted.add([use of DE12 beside 420], step=1)
    accepted.accepts(use of DE12 beside 420, last_step=1)     -> True
    accepted.accepts(use of DE12 beside 9000, last_step=1)    -> False
    """

    def __init__(self) -> None:
        self._uses_by_step: dict[int, list[ValueUse]] = {}
        """The uses by the step in which their call was stopped or approved."""

    def add(self, uses: Iterable[ValueUse], step: int) -> None:
        """Accept the untrusted values of a call that was stopped in a step, or was approved.

        A stopped call counts, too: the model has read why, so it may make the call again.
        """
        self._uses_by_step.setdefault(step, []).extend(uses)

    def accepts(self, use: ValueUse, last_step: int) -> bool:
        """Return True if a call may use a value, as accepted in the step `last_step` or before."""
        for step, uses_of_step in self._uses_by_step.items():
            if step > last_step:
                continue
            for accepted in uses_of_step:
                if accepted.allows(use):
                    return True
        return False
