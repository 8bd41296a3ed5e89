"""The values for which calls were held, and which further calls need not be held for them again.

A changing call is held, which means that it is not sent, if one of its values comes from no trusted
place: from running text, or from nowhere. The value is accepted if the model, which is told why the
call was held, makes the call again in a later step, or if the user approves it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from controlplane.agent.evidence.provenance import ArgumentOrigin, Finding, Origin

AmountKey: TypeAlias = tuple[str, str]
"""The name of an argument, and the key of a value with digits in it: `("amount", "420")`."""


@dataclass(frozen=True, slots=True)
class HeldValue:
    """A value for which a call was held."""

    operation: str
    parameter: str
    """The argument that has the value."""
    key: str
    """The value in the form that all its spellings share: `emma@site.com` for `Emma@Site.com`."""
    other_amounts: frozenset[AmountKey]
    """The untrusted values with digits in the other arguments of the call."""
    step: int
    """The step in which the call was held."""
    is_copied: bool
    """True if the value is a part of a copied text."""


class HeldValues:
    """Remembers held calls, and says which values of later calls are accepted since then.

    A value is accepted in the same argument of the same operation, as long as the other arguments
    have no new amount: a transfer to the same account passes, but not one of another sum.

    A call with copied text, such as a mail that is passed on, is held only once. A model that knows of
    the objection and copies again does what the user wants. So copied text is accepted from then on,
    but for the addresses in it.
    """

    def __init__(self) -> None:
        self._values: list[HeldValue] = []

    def add(self, operation: str, origins: Mapping[str, ArgumentOrigin], step: int) -> None:
        """Remember that a call was held in a step, or that the user approved it there.

        `origins` says, by argument, where the values of the call come from.
        """
        for parameter, argument in origins.items():
            amounts = _other_amounts(origins, parameter)
            for finding in argument.findings_of(Origin.PROSE, Origin.MADE):
                value = HeldValue(
                    operation, parameter, finding.key, amounts, step, _is_copied(finding)
                )
                self._values.append(value)

    def passes(
        self,
        operation: str,
        parameter: str,
        finding: Finding,
        origins: Mapping[str, ArgumentOrigin],
        *,
        before_step: int,
    ) -> bool:
        """Say whether a value of a call is accepted because of a call held before a step.

        `finding` is the value, in the argument `parameter`; `origins` are all values of the call.
        """
        amounts = _other_amounts(origins, parameter)
        for held in self._values:
            if held.step >= before_step:
                continue
            if held.is_copied and _is_copied(finding):
                return True
            is_same_argument = (held.operation, held.parameter) == (operation, parameter)
            is_same_value = is_same_argument and held.key == finding.key
            if is_same_value and amounts <= held.other_amounts:
                return True
        return False


def _is_copied(finding: Finding) -> bool:
    """Say whether a value is a part of a copied text: of a longer argument that is in running text.

    An address in such a text does not count as copied, since it says whom a call reaches.
    """
    is_part = not finding.is_whole and not finding.is_address
    return is_part and finding.origin is Origin.PROSE


def _other_amounts(origins: Mapping[str, ArgumentOrigin], parameter: str) -> frozenset[AmountKey]:
    """Return the untrusted values with digits, such as sums of money, of all arguments but one."""
    amounts: set[AmountKey] = set()
    for name, argument in origins.items():
        if name == parameter:
            continue
        for finding in argument.findings_of(Origin.MADE, Origin.PROSE):
            has_digit = any(char.isdigit() for char in finding.key)
            if finding.is_whole and has_digit:
                amounts.add((name, finding.key))
    return frozenset(amounts)
