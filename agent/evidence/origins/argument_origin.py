"""The origin of a call's argument: that of its least trusted value.

An attacker needs only one value: the user asks to pay 420, and a mail brings in the account. In
`pay(text="420 to GB33...")`, the amount is in the request (`ASKED`), and the account only in the
mail (`PROSE`), so the argument counts as `PROSE`. The journal has this for each changing call.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.origins.finding import Finding
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.prose_description import (
    describe_prose_of_argument,
)

PROSE_PREFIX: Final = "prose: "
"""How the journal, the record of a run, begins the origin of an argument from running text."""


@dataclass(frozen=True, slots=True)
class ArgumentOrigin:
    """The values of one argument with their origins, and the origin of the whole argument.

    `420 to GB33...` -> findings `420` (`ASKED`) and `GB33...` (`PROSE`), origin `PROSE`
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
        """The values that may be an attacker's: only running text has them, or no text at all."""
        return [finding for finding in self.findings if not finding.origin.is_trusted]

    def describe(self) -> str:
        """Return the origin as the journal has it. For running text, say where the values are.

        Examples: `asked`, `prose: 'GB33...' is only in the text of /mail/7.md, line 3, not in
        the request: “Please pay 420 to GB33...”`
        """
        if self.origin is not Origin.PROSE:
            return self.origin.name.lower()
        return PROSE_PREFIX + describe_prose_of_argument(self.findings)
