"""Remembers untrusted values that were accepted, so that later calls may have them.

A value is *untrusted* if only running text has it: a mail by anybody says "Pay 420 to DE12".

1. `send_money(to="DE12", amount=420)` is *stopped*: it is not sent, and the model reads why.
2. The model makes the same call again, or the user approves it. Both values are *accepted*.
3. `send_money(to="DE12", amount=9000)` is stopped: DE12 is not accepted for another sum.
"""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.agent.evidence.checks.untrusted_value import UntrustedValue


class AcceptedValues:
    """The untrusted values of one trial that later calls may have.

    Values that no text has, because the script made them, are among them: a mail that is
    read later may have such a value.
    """

    def __init__(self) -> None:
        self._values_by_step: dict[int, list[UntrustedValue]] = {}
        """The values by the step in which a call with them was stopped or approved."""

    def add(self, values: Iterable[UntrustedValue], step: int) -> None:
        """Accept the untrusted values of a call that was stopped in a step, or was approved.

        Those of a stopped call are accepted, because the model may make the call again.
        """
        self._values_by_step.setdefault(step, []).extend(values)

    def accepts(self, value: UntrustedValue, last_step: int) -> bool:
        """Return True if a value was accepted in the step `last_step` or before."""
        for step, values_of_step in self._values_by_step.items():
            if step > last_step:
                continue
            for accepted in values_of_step:
                if accepted.allows(value):
                    return True
        return False
