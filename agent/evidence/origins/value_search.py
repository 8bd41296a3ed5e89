"""Finds the texts that have the values of one argument of a call.

Usually, a text has the value: the user's request, a field of data, or a mail. If no text has it,
the script made it, perhaps of parts that a mail has. So its parts are looked up, too. For the
argument `https://pay.org/?to=GB33...`, the findings are

    https://pay.org/?to=GB33...    MADE     no text has this URL
    pay.org                        ASKED    its host is in the user's request
    GB33...                        PROSE    the account in it is only in a mail
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.evidence.origins.finding import Finding, Location
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.prose_location import locate
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.repeated_value import (
    finding_of_repeated_value,
)
from controlplane.agent.evidence.origins.value_without_text import (
    finding_without_text,
)
from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueRole,
)

MAX_LOCATED_VALUES: Final = 10
"""How many values of an argument are shown with their sentences, which are slow to find."""


@dataclass(slots=True)
class ValueSearch:
    """The search for the values of one argument, with what it has found so far."""

    provenance: Provenance
    """The texts that the trial has received."""
    harmless_keys: Set[str]
    """The keys of values that count as data in this call, wherever they are from: the changed
    file has had them before, or the operation's declaration lists them, such as `open`."""
    most_values: int
    """How many values may be looked up, with the parts of others."""
    value_count: int = field(default=0, init=False)
    """How many were looked up."""
    has_given_up: bool = field(default=False, init=False)
    """True if the argument has more values."""
    findings: dict[str, Finding] = field(default_factory=dict, init=False)
    """Each value once, by its main key, which all its spellings share."""

    def find(self, value: ArgumentValue) -> None:
        """Add a value with its origin; and if it is in no text, also its parts."""
        if self.value_count == self.most_values:
            self.give_up(value)
        if self.has_given_up:
            return
        self.value_count += 1
        key = value.main_key
        if key in self.findings:
            return
        finding = self._finding_in_texts(value)
        if finding is not None:
            self.findings[key] = finding
            return
        # A text of many words has no key. Only its parts are shown.
        is_long_text = not key
        if not is_long_text:
            self.findings[key] = finding_without_text(value, self.provenance.texts)
        for part in value.parts:
            self.find(part)

    def give_up(self, value: ArgumentValue) -> None:
        """Look up neither a value nor those that follow it: one finding stands for all of them.

        Any of them may say whom the call reaches, so the finding counts as a whole argument that
        is from a mail. It has no key, so no other value is the same.
        """
        if self.has_given_up:
            return
        self.has_given_up = True
        unknown_value = ArgumentValue(value.text, role=ValueRole.WHOLE)
        place = f"what is beyond the first {len(self.findings):,} values"
        self.findings[unknown_value.main_key] = Finding.in_prose(unknown_value, place)

    def _finding_in_texts(self, value: ArgumentValue) -> Finding | None:
        """Return a value with the origin of the most trusted text that has it, if any has it."""
        if not self.harmless_keys.isdisjoint(value.keys):
            return Finding(value, Origin.RECORD)  # It counts as a field of data.
        earlier = self.provenance.untrusted.find(value.keys)
        if earlier is not None:
            return finding_of_repeated_value(value, earlier, self.provenance.texts)

        text = self.provenance.texts.find(value.keys)
        if text is None:
            return None
        if text.origin is not Origin.PROSE:
            return Finding(value, text.origin)
        is_among_first = len(self.findings) < MAX_LOCATED_VALUES
        location = locate(text, value) if is_among_first else Location(text.place)
        return Finding(value, Origin.PROSE, location)
