"""Who asks, as the identity tool prints it, and what they may see. Roles alone decide, never the form of an id."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from toolkit.records.ids import is_same_id

CUSTOMER: Final = "customer"
GUESTS: Final = frozenset({"guest", "anonymous"})
_LINE: Final = re.compile(r"(?m)^\s*(user|roles?)\s*[:=]\s*(.*)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Identity:
    """Who is signed in."""

    user: str
    roles: frozenset[str]

    @property
    def is_customer(self) -> bool:
        """Whether a customer asks, and nobody who works here."""
        return CUSTOMER in self.roles and not self.is_staff

    @property
    def is_staff(self) -> bool:
        """Whether somebody who works here asks."""
        return bool(self.roles - GUESTS - {CUSTOMER})

    @property
    def is_outside(self) -> bool:
        """Whether a customer or a guest asks."""
        return bool(self.roles) and not self.is_staff

    def may_cite(self, owner: str | None) -> bool:
        """Say whether a record of this owner may be shown: staff see all, customers their own, guests nobody's."""
        if self.is_staff or not owner:
            return True
        return self.is_customer and is_same_id(self.user, owner)


def read_identity(text: str) -> Identity:
    """Return who the identity tool's output names. Roles are lower case; what is not said is empty."""
    lines = {key.casefold().rstrip("s"): value.strip() for key, value in _LINE.findall(text)}
    roles = re.split(r"[,;\s]+", lines.get("role", "").casefold().strip("[] "))
    return Identity(lines.get("user", ""), frozenset(role.strip("'\"") for role in roles if role))
