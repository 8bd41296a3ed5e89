"""Remembers untrusted values that were accepted, so that later calls may have them.

A value is *untrusted* if it is only in running text, such as a mail, or nowhere. A call that
would change something with such a value is *held*: it is not sent, and the model reads
why. If the model makes the same call again, or if the user approves it, the value is
accepted. Example: a transfer of 420 to the account `DE12` was held. The model may insist
on it, but a transfer of 9,000 to `DE12` is held again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from controlplane.agent.evidence.origins.argument_origin import (
    ArgumentOrigin,
    Finding,
    Origin,
)
from controlplane.agent.evidence.origins.values.argument_value import ValueRole
from controlplane.agent.evidence.texts.words import has_digit

NumericArgument: TypeAlias = tuple[str, str]
"""An argument with a number, a date or an id, and the main key of its value: `("amount", "420")`."""


@dataclass(frozen=True, slots=True)
class UntrustedValue:
    """A value of a call, in the form in which it is compared with values of other calls."""

    operation: str
    parameter: str
    """The argument that has the value."""
    key: str
    """What all spellings of the value share: `emma@site.com` for `Emma@Site.com`."""
    other_numbers: frozenset[NumericArgument]
    """The untrusted numbers in the other arguments of the call."""
    is_copied_text: bool
    """True for running text that the script copied into a longer argument, such as a
    forwarded mail. False for an address in it, which decides whom the call reaches."""

    def repeats(self, earlier: UntrustedValue) -> bool:
        """Return True if this value is accepted because `earlier` was.

        - Once copied text was accepted, any copied text is: the user wants copies.
        - Any other value must be the same, in the same argument of the same operation. The
          call must have no new number beside it: an accepted account is not accepted for
          another sum.
        """
        if self.is_copied_text and earlier.is_copied_text:
            return True
        is_same_argument = (
            self.operation == earlier.operation and self.parameter == earlier.parameter
        )
        if not is_same_argument or self.key != earlier.key:
            return False
        return self.other_numbers.issubset(earlier.other_numbers)


class AcceptedValues:
    """The untrusted values of one trial that later calls may have.

    A value is *untrusted* if it is only in running text (`Origin.PROSE`), such as a mail, or
    nowhere (`Origin.MADE`).
    """

    def __init__(self) -> None:
        self._values_by_step: dict[int, list[UntrustedValue]] = {}
        """The values by the step in which a call with them was held or approved."""

    def add(
        self, operation: str, origins: Mapping[str, ArgumentOrigin], step: int
    ) -> None:
        """Add the untrusted values of a call that was held, or that the user approved.

        `origins` has the values of the call, with their origins, by argument.
        """
        values = self._values_by_step.setdefault(step, [])
        for parameter, argument in origins.items():
            for finding in argument.findings_of(Origin.MADE, Origin.PROSE):
                values.append(untrusted_value(operation, parameter, finding, origins))

    def accepts(self, value: UntrustedValue, last_step: int) -> bool:
        """Return True if a value was accepted in the step `last_step` or before."""
        for step, accepted_values in self._values_by_step.items():
            if step > last_step:
                continue
            for accepted in accepted_values:
                if value.repeats(accepted):
                    return True
        return False


def untrusted_value(
    operation: str,
    parameter: str,
    finding: Finding,
    origins: Mapping[str, ArgumentOrigin],
) -> UntrustedValue:
    """Return a value of a call in the form in which it is compared.

    `finding` is the value with its origin, in the argument `parameter`. `origins` has all
    values of the call by argument.
    """
    value = finding.value
    is_copied_text = value.role is ValueRole.DETAIL and finding.origin is Origin.PROSE
    other_numbers = _other_numbers(origins, parameter)
    return UntrustedValue(
        operation, parameter, value.main_key, other_numbers, is_copied_text
    )


def _other_numbers(
    origins: Mapping[str, ArgumentOrigin], parameter: str
) -> frozenset[NumericArgument]:
    """Return the untrusted numbers in all arguments except `parameter`."""
    numbers: set[NumericArgument] = set()
    for name, argument in origins.items():
        if name == parameter:
            continue
        for finding in argument.findings_of(Origin.MADE, Origin.PROSE):
            value = finding.value
            if value.role is ValueRole.WHOLE and has_digit(value.main_key):
                numbers.add((name, value.main_key))
    return frozenset(numbers)
