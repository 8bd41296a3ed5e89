"""A value of a call's argument with its origin, and the text about values from running text.

If only a mail has the account of `send_money(recipient="GB33...")`, the call may be held. Then a
message shows the sentence of the mail: `recipient: 'GB33...' is only in the text of /mail/7.md,
line 3, not in the request: “Please pay 420 to GB33...”`
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

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
    the request: “Please pay 420 to GB33...”` An empty name of an argument is left out, and so
    are findings without a location, which are not from running text.
    """
    values_by_location: dict[Location, dict[str, list[str]]] = {}
    for argument, findings in findings_by_argument.items():
        for finding in findings:
            if finding.location is None:
                continue
            values_by_argument = values_by_location.setdefault(finding.location, {})
            values = values_by_argument.setdefault(argument, [])
            value = repr(finding.value.text)
            if value not in values:
                values.append(value)
    lines: list[str] = []
    for location, values_by_argument in values_by_location.items():
        lines.append(_line(location, values_by_argument))
    return lines


def _line(location: Location, values_by_argument: Mapping[str, list[str]]) -> str:
    """Return the line about one sentence of running text and the values in it."""
    parts: list[str] = []
    count = 0
    for argument, values in values_by_argument.items():
        shown = ", ".join(values)
        parts.append(f"{argument}: {shown}" if argument else shown)
        count += len(values)
    verb = "is" if count == 1 else "are"
    line = f"{'; '.join(parts)} {verb} only in the text of {location.place}, not in the request"
    if location.sentence:
        line = f"{line}: “{location.sentence}”"
    if location.sentence.endswith((".", "!", "?")):
        return line
    return f"{line}."
