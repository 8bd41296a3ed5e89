"""Finds the origins of the values in one argument of a call.

A value has the origin of the most trusted text that contains it. If no text contains the
whole value, its parts are looked up.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.evidence.origins.argument_origin import (
    Finding,
    Location,
    Origin,
)
from controlplane.agent.evidence.origins.known_texts import KnownTexts
from controlplane.agent.evidence.origins.prose_location import locate
from controlplane.agent.evidence.origins.untrusted_values import UntrustedValues
from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueKeys,
)
from controlplane.agent.evidence.origins.values.value_keys import halves_of
from controlplane.sandbox.interface import bounds

MAX_LOCATED_VALUES: Final = 10
"""How many values of one argument are shown with
their sentences. The search for a sentence is slow."""


@dataclass(slots=True)
class OriginSearch:
    """Finds the origins of the values in one argument."""

    texts: KnownTexts
    untrusted: UntrustedValues
    """The untrusted values of earlier changing calls. They keep their origins."""
    records: ValueKeys
    """Values that count as records, which are trusted, wherever else they are found."""
    findings: dict[str, Finding] = field(default_factory=dict)
    """The findings so far, by the `key` of each value."""

    def add_all(self, values: Iterable[ArgumentValue]) -> None:
        """Find the origins of values. If there are too many, the others count as untrusted."""
        for number, value in enumerate(values):
            if number >= bounds.MOST_TRACED_VALUES:
                unknown = ArgumentValue(value.text)
                place = f"what is beyond the first {number} values"
                self.findings[unknown.key] = _in_prose(unknown, place)
                return
            self._add(value)

    def _add(self, value: ArgumentValue) -> None:
        """Find the origin of a value. If it is not in any text, also those of its parts."""
        if value.key in self.findings:
            return
        finding = self._finding_in_texts(value)
        if finding is not None:
            self.findings[value.key] = finding
            return
        if value.key:  # A long text has none: only its parts are looked up.
            self.findings[value.key] = _finding_without_text(value, self.texts)
        for part in value.parts:
            self._add(part)

    def _finding_in_texts(self, value: ArgumentValue) -> Finding | None:
        """Return the origin of a value that is in some text; None if it is in none.

        An untrusted value of an earlier changing call keeps the origin that it had then:
        a text that contains it now may be the result of that call. This does not apply
        to texts of the user and the rules, which are not results.
        """
        if self.records.has(value):
            return Finding(value, Origin.RECORD)
        text = self.texts.find(value)
        if text is not None and text.origin in (Origin.ASKED, Origin.RULES):
            return Finding(value, text.origin)

        earlier = self.untrusted.find(value)
        if earlier is not None:
            # If it was in no text then, the script made it. It still counts as made.
            return None if earlier.origin is Origin.MADE else earlier
        if text is None:
            return None
        if text.origin is not Origin.PROSE:
            return Finding(value, text.origin)
        if len(self.findings) >= MAX_LOCATED_VALUES:
            return _in_prose(value, text.place)
        return Finding(value, Origin.PROSE, locate(text, value))


def _finding_without_text(value: ArgumentValue, texts: KnownTexts) -> Finding:
    """Return the origin of a value that is not in any text."""
    if texts.is_incomplete:
        return _in_prose(value, "what was read beyond the texts that are kept")

    # A script may have joined the value of two halves: `US13` and `30000001`.
    index = texts.index
    for key in value.keys:
        for first, second in halves_of(key):
            if index.is_only_in_prose(first) and index.is_only_in_prose(second):
                place = f"what was read, in two parts, {first!r} and {second!r}"
                return _in_prose(value, place)

    return Finding(value, Origin.MADE)


def _in_prose(value: ArgumentValue, place: str) -> Finding:
    """Return the finding that a value is in running text, which `place` describes."""
    return Finding(value, Origin.PROSE, Location(place))
