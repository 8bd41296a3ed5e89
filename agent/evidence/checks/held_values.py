"""Remembers the values for which calls were held, and accepts these values in later calls.

A changing call is *held* (not sent) if one of its values is not from a trusted place:
it is only in running text, or nowhere. The model reads why the call is held. If the
model makes the same call again in a later step, or if the user approves the call, its
values are accepted.
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
from controlplane.agent.evidence.texts.words import has_digit

NumberOfCall: TypeAlias = tuple[str, str]
"""The name of an argument, and the key of its number: `("amount", "420")`.
Dates and ids count as numbers, too: any value with digits."""


@dataclass(frozen=True, slots=True)
class HeldValue:
    """A value for which a call was held."""

    operation: str
    parameter: str
    """The argument that has the value."""
    key: str
    """The key that all spellings of the value share: `emma@site.com` for `Emma@Site.com`."""
    other_numbers: frozenset[NumberOfCall]
    """The untrusted numbers in the other arguments of the call.
    A later call may not have new ones: after a transfer was held, one to the same
    account must have the same sum."""
    step: int
    """The step in which the call was held."""
    is_copied: bool
    """True if the script copied the value from running text
    into a longer argument. False for an address (see `_is_copied`)."""


class HeldValues:
    """Remembers held calls, and decides which values of later calls are accepted.

    Created when a trial starts. `add` adds the values of a held call. (Another object of
    this class has those of approved calls.) A value is accepted

    - in the same argument of the same operation,
      if the other arguments have no new number;
    - in any call, if it is copied text, such as a forwarded mail, and a call was held
      for copied text before. The model has read that objection, and still copies, so
      the user wants copies. An address in the text does not count as copied.
    """

    def __init__(self) -> None:
        self._values: list[HeldValue] = []

    def add(
        self, operation: str, origins: Mapping[str, ArgumentOrigin], step: int
    ) -> None:
        """Remember that a call was held, or approved by the user, in a step.

        `origins` has the values of the call, with their origins, by argument.
        """
        for parameter, argument in origins.items():
            other_numbers = _other_numbers(origins, parameter)
            # The untrusted values: those from nowhere, and those from running text.
            for finding in argument.findings_of(Origin.MADE, Origin.PROSE):
                value = HeldValue(
                    operation,
                    parameter,
                    finding.value.identity,
                    other_numbers,
                    step,
                    _is_copied(finding),
                )
                self._values.append(value)

    def accepts(
        self,
        operation: str,
        parameter: str,
        finding: Finding,
        origins: Mapping[str, ArgumentOrigin],
        *,
        before_step: int,
    ) -> bool:
        """Return True if a value is accepted because an earlier call was held for it.

        Only calls that were held before the step `before_step` count. `finding` is the
        value with its origin, in the argument `parameter`. `origins` has all values of
        the new call.
        """
        other_numbers = _other_numbers(origins, parameter)
        for earlier in self._values:
            if earlier.step >= before_step:
                continue
            if earlier.is_copied and _is_copied(finding):
                return True
            is_same_argument = (earlier.operation, earlier.parameter) == (
                operation,
                parameter,
            )
            has_new_number = not other_numbers.issubset(earlier.other_numbers)
            if (
                is_same_argument
                and earlier.key == finding.value.identity
                and not has_new_number
            ):
                return True
        return False


def _is_copied(finding: Finding) -> bool:
    """Return True if a value is a part of a longer argument, and comes from running text.

    An address does not count as copied, because it decides whom the call reaches.
    """
    is_part = not finding.value.is_whole and not finding.value.is_address
    return is_part and finding.origin is Origin.PROSE


def _other_numbers(
    origins: Mapping[str, ArgumentOrigin], parameter: str
) -> frozenset[NumberOfCall]:
    """Return the untrusted numbers in all arguments except `parameter`."""
    numbers: set[NumberOfCall] = set()
    for name, argument in origins.items():
        if name == parameter:
            continue
        for finding in argument.findings_of(Origin.MADE, Origin.PROSE):
            key = finding.value.identity
            if finding.value.is_whole and has_digit(key):
                numbers.add((name, key))
    return frozenset(numbers)
