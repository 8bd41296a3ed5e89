"""Remembers the values for which calls were held, and accepts these values in later calls.

A changing call is *held* (not sent) if one of its values is not from a trusted place: it is only in
running text, or nowhere. The model reads why the call is held. If the model makes the same call
again in a later step, or if the user approves the call, its values are accepted.
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
    """The key that all spellings of the value share: `emma@site.com` for `Emma@Site.com`."""
    other_amounts: frozenset[AmountKey]
    """The untrusted values with digits in the other arguments of the call."""
    step: int
    """The step in which the call was held."""
    is_copied: bool
    """True if the value is a part of a longer text that was copied (see `_is_copied`)."""


class HeldValues:
    """Remembers held calls, and decides which values of later calls are accepted.

    Created when a trial starts; `add` is told of every held call. A value is accepted in the same
    argument of the same operation, if the other arguments have no new amount. For example, a second
    transfer to the same account is accepted, but not with another sum.

    A call with copied text, such as a forwarded mail, is held only once. If the model copies text
    again after it has read the objection, it does so because the user wants it. From then on, all
    copied text is accepted, except for the addresses in it.
    """

    def __init__(self) -> None:
        self._values: list[HeldValue] = []

    def add(self, operation: str, origins: Mapping[str, ArgumentOrigin], step: int) -> None:
        """Remember that a call was held, or approved by the user, in a step.

        `origins` has the values of the call, with their origins, by argument.
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
        """Return True if a value is accepted because an earlier call was held for it.

        Only calls that were held before the step `before_step` count. `finding` is the value, in
        the argument `parameter`. `origins` has all values of the call.
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
    """Return True if a value is a part of a longer argument, and comes from running text.

    An address does not count as copied, because it decides whom the call reaches.
    """
    is_part = not finding.is_whole and not finding.is_address
    return is_part and finding.origin is Origin.PROSE


def _other_amounts(origins: Mapping[str, ArgumentOrigin], parameter: str) -> frozenset[AmountKey]:
    """Return the untrusted values with digits, such as sums, of all arguments but `parameter`."""
    amounts: set[AmountKey] = set()
    for name, argument in origins.items():
        if name == parameter:
            continue
        for finding in argument.findings_of(Origin.MADE, Origin.PROSE):
            has_digit = any(char.isdigit() for char in finding.key)
            if finding.is_whole and has_digit:
                amounts.add((name, finding.key))
    return frozenset(amounts)
