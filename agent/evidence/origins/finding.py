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

    @classmethod
    def in_prose(cls, value: ArgumentValue, place: str) -> Finding:
        """Return a value from running text at a place, without the sentence that has it."""
        return cls(value, Origin.PROSE, Location(place))

    @property
    def is_copied_text(self) -> bool:
        """True for a detail that the script copied from running text into a longer text.

        The script forwards a mail: `Forwarded: “Pay inv-17 to GB33...”`

        | value | is copied text |
        |---|---|
        | `inv-17` | True: a forwarded text has many such details, which decide nothing |
        | `GB33...`, an address | False: it may decide whom the call reaches |

        The user, or the model, is asked about copied text only once (`checks/value_use.py`).
        """
        return self.origin is Origin.PROSE and self.value.role is ValueRole.DETAIL
