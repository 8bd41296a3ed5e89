"""The values for which a call was held, and which calls may be sent since the model or the user knows of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.provenance import ArgumentOrigin, Finding, Origin


@dataclass(frozen=True, slots=True)
class HeldValue:
    """A value for which a call was held."""

    operation: str
    parameter: str
    key: str
    other_values: frozenset[tuple[str, str]]
    """The other values of the call that are in no trusted place and have digits, such as an amount."""
    step: int
    """The step in which the call was held."""
    is_copied: bool
    """True for a part of a longer text that is not an address."""


class HeldValues:
    """Tells whether a held call has been held before for all its values.

    A value of an argument passes in the same argument of the same operation, unless another value, such as the amount
    of a transfer, has changed and is in no trusted place either. A longer text that the model has insisted on is one
    that the user wants copied: the parts of later texts pass, except for addresses.
    """

    def __init__(self) -> None:
        self._values: list[HeldValue] = []

    def add(self, operation: str, origins: Mapping[str, ArgumentOrigin], step: int) -> None:
        """Take in that a call was held in a step, or approved by the user."""
        for parameter, argument in origins.items():
            others = other_values(origins, parameter)
            for finding in argument.findings_of(Origin.PROSE, Origin.MADE):
                held = HeldValue(
                    operation, parameter, finding.key, others, step, is_copied(finding)
                )
                self._values.append(held)

    def passes(
        self,
        operation: str,
        parameter: str,
        finding: Finding,
        origins: Mapping[str, ArgumentOrigin],
        *,
        before_step: int,
    ) -> bool:
        """Say whether a call was held for this value in a step before `before_step`."""
        others = other_values(origins, parameter)
        for held in self._values:
            if held.step >= before_step:
                continue
            if held.is_copied and is_copied(finding):
                return True
            argument = (held.operation, held.parameter, held.key)
            is_same = argument == (operation, parameter, finding.key)
            if is_same and others <= held.other_values:
                return True
        return False


def is_copied(finding: Finding) -> bool:
    """Say whether a value is a part of a longer text of prose, and is not an address."""
    is_part = not finding.is_whole and not finding.is_address
    return is_part and finding.origin is Origin.PROSE


def other_values(
    origins: Mapping[str, ArgumentOrigin], parameter: str
) -> frozenset[tuple[str, str]]:
    """Return the values with digits of a call's other arguments that are in no trusted place."""
    others = set[tuple[str, str]]()
    for name, argument in origins.items():
        if name == parameter:
            continue
        for finding in argument.findings_of(Origin.MADE, Origin.PROSE):
            has_digit = any(char.isdigit() for char in finding.key)
            if finding.is_whole and has_digit:
                others.add((name, finding.key))
    return frozenset(others)
