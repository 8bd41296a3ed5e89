"""A line of a message: which values of a call are only in one sentence of running text.

line = ProseLine(Location("/mail/7.md, line 3", "Please pay 420 to GB33..."))
line.add("recipient", "GB33...")
line.add("amount", "420")
line.text()
-> recipient: 'GB33...'; amount: '420' are only in the text of /mail/7.md, line 3, not in
   the request: “Please pay 420 to GB33...”
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.agent.evidence.origins.finding import Location


@dataclass(slots=True)
class ProseLine:
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
