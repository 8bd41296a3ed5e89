"""Where the values of a call's arguments come from, and how messages say it.

`send_money(recipient="GB33...", amount=420)` may have its values from the user's request
(`ASKED`) or from a mail that the trial has read (`PROSE`). The second may be an attack by the
mail's author, so the call is held, and a message shows the sentence of the mail.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum, auto
from typing import Final

from controlplane.agent.evidence.origins.values.argument_value import ArgumentValue


class Origin(IntEnum):
    """Where a value comes from, in order from most to least trusted.

    `PROSE` comes last, even after `MADE`: the author of a running text may want to give
    the model orders. The examples are about the account in `send_money(recipient="GB33...")`.
    """

    ASKED = auto()
    """The user has named it, in the request “Pay 420 to GB33...”, in a hint for all trials,
    or in an earlier question."""
    RULES = auto()
    """It is in the workspace's rules document, or in a folder of its owner."""
    RECORD = auto()
    """It is in a field of data, `{"iban": "GB33..."}`, in a listing, in the declaration of
    an operation, or in a result that is declared trusted."""
    MADE = auto()
    """It is in no text that the trial has received: the script made it."""
    PROSE = auto()
    """It is only in running text, such as the mail “Please pay 420 to GB33...”"""

    @property
    def is_trusted(self) -> bool:
        """True if a value with this origin may decide what a call changes."""
        return self <= Origin.RECORD


ORIGIN_BY_FORM: Final = None
"""Stands for the origin of texts whose form decides: a field of data is a record, and any
other text is running text (prose)."""


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


@dataclass(frozen=True, slots=True)
class ArgumentOrigin:
    """The origins of an argument's values."""

    findings: tuple[Finding, ...]
    """One finding for each different value, and at least one."""

    @property
    def origin(self) -> Origin:
        """The origin of the least trusted value, which decides about the argument."""
        # `Origin` counts from most to least trusted, so the highest is least trusted.
        return max(finding.origin for finding in self.findings)

    @property
    def untrusted_findings(self) -> list[Finding]:
        """The values that no trusted text has: only running text does, or no text at all."""
        return [finding for finding in self.findings if not finding.origin.is_trusted]

    def findings_of(self, origin: Origin) -> list[Finding]:
        """Return the values with an origin."""
        return [finding for finding in self.findings if finding.origin is origin]

    def describe(self) -> str:
        """Return the origin as the journal has it. For running text, say where the values are.

        Examples: `asked`, `prose: 'GB33...' is only in the text of /mail/7.md, line 3, not in
        the request: “Please pay 420 to GB33...”`
        """
        if self.origin is not Origin.PROSE:
            return self.origin.name.lower()
        # The journal has the argument's name elsewhere, so it is left empty here.
        lines = describe_prose({"": self.findings_of(Origin.PROSE)})
        return PROSE_PREFIX + " ".join(lines)


PROSE_PREFIX: Final = "prose: "
"""How the journal, the record of a run, begins the origin of an argument from running text."""


def describe_prose(findings_by_argument: Mapping[str, Iterable[Finding]]) -> list[str]:
    """Return a line for each sentence of running text that has values of the arguments.

    `recipient: 'GB33...'; amount: '420' are only in the text of /mail/7.md, line 3, not in
    the request: “Please pay 420 to GB33...”` An empty name of an argument is left out.
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
    return [_line(place, values) for place, values in values_by_location.items()]


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
