"""A value of a call's argument with its origin.

For the account of `send_money(recipient="GB33...")`, if only a mail has it:

    Finding(GB33..., Origin.PROSE, Location("/mail/7.md, line 3", "Please pay 420 to GB33..."))
"""

from __future__ import annotations

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

        | value of the argument `Forwarded: “Pay inv-17 to GB33...”` | |
        |---|---|
        | `inv-17`, a detail | True |
        | `GB33...`, an address: it may say whom the call reaches | False |
        """
        return self.origin is Origin.PROSE and self.value.role is ValueRole.DETAIL
