"""Describes values of arguments that are only in running text, for messages and the journal.

If only a mail has the values of `send_money(recipient="GB33...", amount=420)`, its author may want
to trick the model. Whoever decides about the call reads what the mail says:

    recipient: 'GB33...'; amount: '420' are only in the text of /mail/7.md, line 3, not in the
    request: “Please pay 420 to GB33...”
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from controlplane.agent.evidence.origins.texts import Finding, Location

# A line of a message: which values of a call are only in one sentence of running text.
#
# line = ProseLine(Location("/mail/7.md, line 3", "Please pay 420 to GB33..."))
# line.add("recipient", "GB33...")
# line.add("amount", "420")
# line.text()
# -> recipient: 'GB33...'; amount: '420' are only in the text of /mail/7.md, line 3, not in
#    the request: “Please pay 420 to GB33...”


@dataclass(slots=True)
class _ProseLine:
    """The values of a call that one sentence has, by the argument that has them."""

    location: Location
    """The sentence, and the file that has it."""
    _values: dict[str, list[str]] = field(default_factory=dict, init=False)
    """The values as the line shows them: `{"recipient": ["'GB33...'"], "amount": ["'420'"]}`."""

    def add(self, argument: str, value: str) -> None:
        """Add a value of an argument, unless the line has it. An empty name is not shown."""
        values = self._values.setdefault(argument, [])
        if repr(value) not in values:
            values.append(repr(value))

    def text(self) -> str:
        """Return the line. It ends with one mark: that of the sentence, or a full stop."""
        parts: list[str] = []
        value_count = 0
        for argument, values in self._values.items():
            shown = ", ".join(values)
            parts.append(f"{argument}: {shown}" if argument else shown)
            value_count += len(values)
        verb = "is" if value_count == 1 else "are"
        place = self.location.place
        line = (
            f"{'; '.join(parts)} {verb} only in the text of {place}, not in the request"
        )

        sentence = self.location.sentence
        if sentence:
            line = f"{line}: “{sentence}”"
        if sentence.endswith((".", "!", "?")):
            return line
        return f"{line}."


def describe_prose(findings_by_argument: Mapping[str, Iterable[Finding]]) -> list[str]:
    """Return a line for each sentence of running text that has values of the arguments.

    `{"recipient": [GB33...], "amount": [420]}`, both in one sentence, have the line above. Values
    that are not from running text are left out.
    """
    lines: dict[Location, _ProseLine] = {}
    for argument, findings in findings_by_argument.items():
        for finding in findings:
            location = finding.location
            if location is None:
                continue
            if location not in lines:
                lines[location] = _ProseLine(location)
            lines[location].add(argument, finding.value.text)
    return [line.text() for line in lines.values()]


def describe_prose_of_argument(findings: Iterable[Finding]) -> str:
    """Return the lines for one argument, without its name, which the journal has beside it.

    `[GB33...]` -> `'GB33...' is only in the text of /mail/7.md, line 3, not in the request: ...`
    """
    return " ".join(describe_prose({"": findings}))
