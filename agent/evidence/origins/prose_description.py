"""Describes values of arguments that are only in running text, for messages and the journal.

If only a mail has the account of `send_money(recipient="GB33...", amount=420)`, the call may be
held. Then a message shows the sentence of the mail: `recipient: 'GB33...'; amount: '420' are only
in the text of /mail/7.md, line 3, not in the request: “Please pay 420 to GB33...”`
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from controlplane.agent.evidence.origins.finding import Finding, Location


def describe_prose(findings_by_argument: Mapping[str, Iterable[Finding]]) -> list[str]:
    """Return a line for each sentence of running text that has values of the arguments.

    `{"recipient": [GB33...], "amount": [420]}`, both from the same sentence of a mail, have the
    line above. Values that are not from running text are left out. The name of an argument
    may be empty, and is then not shown.
    """
    lines: list[str] = []
    for location, values in _values_by_location(findings_by_argument).items():
        lines.append(_line(location, values))
    return lines


def _values_by_location(
    findings_by_argument: Mapping[str, Iterable[Finding]],
) -> dict[Location, dict[str, list[str]]]:
    """Return the values from running text, quoted, by their sentence and their argument.

    `{Location("/mail/7.md, line 3", ...): {"recipient": ["'GB33...'"], "amount": ["'420'"]}}`
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
    return values_by_location


def _line(location: Location, values_by_argument: Mapping[str, Sequence[str]]) -> str:
    """Return the line about one sentence: `amount: '420' is only in the text of /mail/7.md...`

    It ends with one mark: that of the sentence, or a full stop.
    """
    parts: list[str] = []
    value_count = 0
    for argument, values in values_by_argument.items():
        shown = ", ".join(values)
        parts.append(f"{argument}: {shown}" if argument else shown)
        value_count += len(values)
    verb = "is" if value_count == 1 else "are"
    place = location.place
    line = f"{'; '.join(parts)} {verb} only in the text of {place}, not in the request"

    sentence = location.sentence
    if sentence:
        line = f"{line}: “{sentence}”"
    if sentence.endswith((".", "!", "?")):
        return line
    return f"{line}."
