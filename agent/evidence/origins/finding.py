"""A value of a call's argument with its origin, and the text about values from running text.

If only a mail has the account of `send_money(recipient="GB33...")`, the call may be held. Then a
message shows the sentence of the mail: `recipient: 'GB33...' is only in the text of /mail/7.md,
line 3, not in the request: “Please pay 420 to GB33...”`
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueRole,
)


@dataclass(frozen=True, slots=True)
class Location:
    """Where a value is in running text, as messages show it."""

    place: str
    """The file and line, or the call: `/mail/7.md, line 3`, `call 3 of search`."""
    sentence: str = ""
    """The sentence around the value. Empty if the search for it would take too long."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A value of an argument, with its origin."""

    value: ArgumentValue
    origin: Origin
    location: Location | None = None
    """Where running text has the value. None for other origins."""

    @property
    def is_copied_text(self) -> bool:
        """True for a detail that the script copied from running text into a longer text.

        In a forwarded mail, this is each order number. It is not the whole argument, and does
        not say whom the call reaches, as an account or a mail address in the text does.
        """
        return self.origin is Origin.PROSE and self.value.role is ValueRole.DETAIL


def describe_prose(findings_by_argument: Mapping[str, Iterable[Finding]]) -> list[str]:
    """Return a line for each sentence of running text that has values of the arguments.

    `recipient: 'GB33...'; amount: '420' are only in the text of /mail/7.md, line 3, not in
    the request: “Please pay 420 to GB33...”` If an argument's name is empty, the line has only
    the values. Findings without a location are left out: they are not from running text.
    """
    sentences: dict[Location, _Sentence] = {}
    for argument, findings in findings_by_argument.items():
        for finding in findings:
            location = finding.location
            if location is None:
                continue
            sentence = sentences.setdefault(location, _Sentence(location))
            sentence.add(argument, repr(finding.value.text))
    return [sentence.describe() for sentence in sentences.values()]


@dataclass(slots=True)
class _Sentence:
    """A sentence of running text, with the values of arguments that are in it."""

    location: Location
    """The place of the sentence, and its text."""
    values: dict[str, list[str]] = field(default_factory=dict)
    """The values by argument, each once: `{"recipient": ["'GB33...'"]}`."""

    def add(self, argument: str, value: str) -> None:
        """Add a value that is in the sentence."""
        values_of_argument = self.values.setdefault(argument, [])
        if value not in values_of_argument:
            values_of_argument.append(value)

    def describe(self) -> str:
        """Return the line about the sentence. It ends with one mark: that of the sentence, or `.`"""
        parts: list[str] = []
        value_count = 0
        for argument, values in self.values.items():
            shown = ", ".join(values)
            parts.append(f"{argument}: {shown}" if argument else shown)
            value_count += len(values)
        shown_values = "; ".join(parts)
        verb = "is" if value_count == 1 else "are"
        place = self.location.place
        line = f"{shown_values} {verb} only in the text of {place}, not in the request"

        sentence = self.location.sentence
        if sentence:
            line = f"{line}: “{sentence}”"
        if sentence.endswith((".", "!", "?")):
            return line
        return f"{line}."
