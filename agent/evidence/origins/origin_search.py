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
from controlplane.agent.evidence.origins.values.argument_value import ArgumentValue
from controlplane.agent.evidence.origins.values_without_text import (
    finding_of_the_rest,
    finding_without_text,
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
                rest = finding_of_the_rest(value, number)
                return (*self._findings.values(), rest)
            self._find(value)
        return tuple(self._findings.values())

    def _find(self, value: ArgumentValue) -> None:
        """Add a value with its origin; and if no text counts for it, also its parts."""
        if value.main_key in self._findings:
            return
        finding = finding_in_texts(
            value,
            self.provenance,
            self.allowed_keys,
            with_sentence=len(self._findings) < MAX_LOCATED_VALUES,
        )
        if finding is not None:
            self._findings[value.main_key] = finding
            return
        # A long text has no keys: it is the script's own, and only its parts count.
        if value.keys:
            finding = finding_without_text(value, self.provenance.texts)
            self._findings[value.main_key] = finding
        for part in value.parts:
            self._find(part)
