"""The origin of a call's argument: that of its least trusted value.

The argument `text="Pay 420 to GB33..."` has two values. If the amount is in the user's request
(`ASKED`), and the account only in a mail (`PROSE`), the argument counts as `PROSE`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.origins.finding import Finding, describe_prose
from controlplane.agent.evidence.origins.origin import Origin

PROSE_PREFIX: Final = "prose: "
"""How the journal, the record of a run, begins the origin of an argument from running text."""


@dataclass(frozen=True, slots=True)
class ArgumentOrigin:
    """The values of one argument with their origins, and the origin of the whole argument."""

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
