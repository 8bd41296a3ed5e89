"""Finds the origins of the values in one argument of a call.

A value has the origin of the text that counts for it (`value_in_texts.py`): the user's request,
a field of data, or running text such as a mail. If there is none, the script made the value,
perhaps of parts from elsewhere. So its parts are looked up, too:

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
"""How many values of one argument are shown with
their sentences. The search for a sentence is slow."""


@dataclass(slots=True)
class OriginSearch:
    """Finds the origins of the values in one argument: a new one is made for each argument."""

    provenance: Provenance
    """The texts that the trial has received."""
    allowed_keys: Set[str]
    """The keys of values that this call may have, wherever they are from: those of an enum."""
    _findings: dict[str, Finding] = field(default_factory=dict, init=False)
    """The values with their origins so far, by the main key, which all spellings share."""

    def findings_of(self, values: Iterable[ArgumentValue]) -> tuple[Finding, ...]:
        """Return the values with their origins, each once. After too many, one stands for all."""
        for number, value in enumerate(values):
            if number == bounds.MOST_TRACED_VALUES:
                finding = finding_of_the_rest(value, number)
                self._findings[finding.value.main_key] = finding
                break
            self._look_up(value)
        return tuple(self._findings.values())

    def _look_up(self, value: ArgumentValue) -> None:
        """Find the origin of a value. If no text counts for it, find those of its parts, too."""
        if value.main_key in self._findings:
            return
        with_sentence = len(self._findings) < MAX_LOCATED_VALUES
        finding = finding_in_texts(
            value, self.provenance, self.allowed_keys, with_sentence=with_sentence
        )
        if finding is not None:
            self._findings[value.main_key] = finding
            return
        if value.keys:  # A long text has none: only its parts are looked up.
            finding = finding_without_text(value, self.provenance.texts)
            self._findings[value.main_key] = finding
        for part in value.parts:
            self._look_up(part)
