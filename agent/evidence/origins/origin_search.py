"""Finds the origins of the values in one argument of a call.

Usually, a text has the value: the user's request, a field of data, or a mail. If no text has it,
the script made it, perhaps of parts that a mail has. So its parts are looked up, too. For the
argument `https://pay.org/?to=GB33...`, the findings are

    https://pay.org/?to=GB33...    MADE     no text has this URL
    pay.org                        ASKED    its host is in the user's request
    GB33...                        PROSE    the account in it is only in a mail
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.evidence.origins.finding import Finding
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.value_in_texts import finding_in_texts
from controlplane.agent.evidence.origins.value_without_text import (
    finding_without_text,
)
from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueRole,
)
from controlplane.sandbox.interface import bounds

MAX_LOCATED_VALUES: Final = 10
"""How many values of an argument are shown with their sentences, which are slow to find."""


@dataclass(slots=True)
class OriginSearch:
    """The search for the values of one argument, with what it has found so far."""

    provenance: Provenance
    """The texts that the trial has received."""
    allowed_keys: Set[str]
    """The keys of values that this call may have, wherever they are from: those of an enum."""
    _findings: dict[str, Finding] = field(default_factory=dict, init=False)
    """Each value once, by its main key, which all its spellings share."""

    def findings_of(self, values: Iterable[ArgumentValue]) -> tuple[Finding, ...]:
        """Return the values and their parts with their origins, each once.

        After `MOST_TRACED_VALUES`, the search stops: one finding stands for all that follow.
        """
        for number, value in enumerate(values):
            if number == bounds.MOST_TRACED_VALUES:
                return (*self._findings.values(), _finding_of_rest(value, number))
            self._find(value)
        return tuple(self._findings.values())

    def _find(self, value: ArgumentValue) -> None:
        """Add a value with its origin; and if it is in no text, also its parts."""
        if value.main_key in self._findings:
            return
        has_room_for_sentence = len(self._findings) < MAX_LOCATED_VALUES
        finding = finding_in_texts(
            value,
            self.provenance,
            self.allowed_keys,
            with_sentence=has_room_for_sentence,
        )
        if finding is not None:
            self._findings[value.main_key] = finding
            return
        is_long_text = not value.main_key  # Only its parts are looked up.
        if not is_long_text:
            finding = finding_without_text(value, self.provenance.texts)
            self._findings[value.main_key] = finding
        for part in value.parts:
            self._find(part)


def _finding_of_rest(value: ArgumentValue, number: int) -> Finding:
    """Return one finding for `value` and all that follow, after `number` values.

    They are not looked up. Any of them may say whom the call reaches, so the finding counts
    as a whole argument that is from a mail. It has no key, so no other value is the same.
    """
    unknown_value = ArgumentValue(value.text, role=ValueRole.WHOLE)
    return Finding.in_prose(unknown_value, f"what is beyond the first {number} values")
