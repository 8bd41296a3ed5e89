"""The origin of a call's argument: that of its least trusted value.

The argument `text="Pay 420 to GB33..."` has two values. If the amount is in the user's request
(`ASKED`), and the account only in a mail (`PROSE`), the argument counts as `PROSE`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.origins.finding import Finding
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.prose_description import describe_prose
from controlplane.agent.evidence.origins.values.argument_value import ValueRole
from controlplane.agent.evidence.texts.words import has_digit

PROSE_PREFIX: Final = "prose: "
"""How the journal, the record of a run, begins the origin of an argument from running text."""


@dataclass(frozen=True, slots=True)
class ArgumentOrigin:
    """The values of one argument with their origins, and the origin of the whole argument.

    `Pay 420 to GB33...` -> findings `420` (`ASKED`) and `GB33...` (`PROSE`), origin `PROSE`
    """

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

    @property
    def untrusted_number_keys(self) -> list[str]:
        """The keys of the untrusted numbers, dates and ids: `["30"]` for the amount `30.00`.

        Each is the whole argument, or an item of it. A number within a long text is left out,
        because it is often there by chance.
        """
        keys: list[str] = []
        for finding in self.untrusted_findings:
            value = finding.value
            if value.role is ValueRole.WHOLE and has_digit(value.main_key):
                keys.append(value.main_key)
        return keys

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
        # A line for each sentence, without the name of the argument, which the journal has.
        lines = describe_prose({"": self.findings_of(Origin.PROSE)})
        return PROSE_PREFIX + " ".join(lines)
