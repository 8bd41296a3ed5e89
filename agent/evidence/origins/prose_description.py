"""Describes values of arguments that are only in running text, for messages and the journal.

If only a mail has the values of `send_money(recipient="GB33...", amount=420)`, its author may want
to trick the model. Whoever decides about the call reads what the mail says:

    recipient: 'GB33...'; amount: '420' are only in the text of /mail/7.md, line 3, not in the
    request: “Please pay 420 to GB33...”
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from controlplane.agent.evidence.origins.finding import Finding, Location
from controlplane.agent.evidence.origins.prose_line import ProseLine


def describe_prose(findings_by_argument: Mapping[str, Iterable[Finding]]) -> list[str]:
    """Return a line for each sentence of running text that has values of the arguments.

    `{"recipient": [GB33...], "amount": [420]}`, both in one sentence, have the line above. Values
    that are not from running text are left out.
    """
    lines: dict[Location, ProseLine] = {}
    for argument, findings in findings_by_argument.items():
        for finding in findings:
            location = finding.location
            if location is None:
                continue
            if location not in lines:
                lines[location] = ProseLine(location)
            lines[location].add(argument, finding.value.text)
    return [line.text() for line in lines.values()]


def describe_prose_of_argument(findings: Iterable[Finding]) -> str:
    """Return the lines for one argument, without its name, which the journal has beside it.

    `[GB33...]` -> `'GB33...' is only in the text of /mail/7.md, line 3, not in the request: ...`
    """
    return " ".join(describe_prose({"": findings}))
