"""The person who is signed in (the asker), and whose records this person may see.

A shop's identity tool prints two lines, `user: cust-7` and `roles: customer`. A customer may see
only their own records, staff all of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from controlplane.gates.paths import record_id

# Compares the ids of records in any spelling.
#
# - `folded_id` is for ids that are written in full: `Basket-057` is `basket_057`, but
#   `basket_57` is not.
# - `loose_id` is for ids in requests, which people shorten: `basket 57` is `basket_057`.
# - `id_of` takes the id from a path.

_NUMBERED: Final = re.compile(r"^(.*?)[_-]?0*(\d+)$")
"""An id that ends with a number, perhaps with leading zeros: `basket_057`."""


def folded_id(name: str) -> str:
    """Return an id without case, blanks and separators: `Basket-057` -> `basket057`.

    Leading zeros stay, because two ids may differ only by them.
    """
    return "".join(name.replace("-", "").replace("_", "").split()).casefold()


def is_same_id(left: str, right: str) -> bool:
    """Return True if two ids are equal except for case, blanks and separators.

    Empty ids are never equal.
    """
    return bool(folded_id(left)) and folded_id(left) == folded_id(right)


def loose_id(name: str) -> str:
    """Return an id in the one spelling for all that people use for it.

    They often leave out its separator and leading zeros. `basket_057`, `basket-57` and
    `Basket57` all become `basket#57`.
    """
    match = _NUMBERED.match(name.casefold())
    if match is None:
        return name.casefold()
    return f"{match[1]}#{match[2]}"


def id_of(name: str) -> str:
    """Return the id at the end of a path, or the name itself if it is not a path."""
    return record_id(name) if name.startswith("/") else name


CUSTOMER: Final = "customer"
_GUESTS: Final = frozenset({"guest", "anonymous"})
"""Roles of people who are not signed in."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The person who is signed in, and their roles, as the identity tool prints them."""

    user: str
    """The person's id: `cust-7`, `emp_0001`."""
    roles: frozenset[str]
    """In lower case. Any role other than customer and guest is a role of staff."""

    @property
    def is_staff(self) -> bool:
        """True for a member of staff."""
        return bool(self.roles - _GUESTS - {CUSTOMER})

    @property
    def is_customer(self) -> bool:
        """True for a customer who is not also a member of staff."""
        return CUSTOMER in self.roles and not self.is_staff

    @property
    def is_outside(self) -> bool:
        """True for a customer or a guest.

        False if no role is known: such a person may be a member of staff.
        """
        return bool(self.roles) and not self.is_staff

    @property
    def is_guest(self) -> bool:
        """True for a person who is neither a customer nor a member of staff."""
        return self.is_outside and not self.is_customer

    def may_see(self, owner: str | None) -> bool:
        """Return True if the person may see, and therefore cite, a record with this owner.

        Staff may see all records. Others may see records without an owner, and
        customers their own.
        """
        if self.is_staff or not owner:
            return True
        return self.owns(owner)

    def owns(self, owner: str) -> bool:
        """Return True if this is the customer to whom a record with this owner belongs."""
        return self.is_customer and is_same_id(self.user, owner)


ANY_STAFF: Final = Identity("", frozenset({"staff"}))
"""An identity that may see every record."""
_LINE: Final = re.compile(r"(?m)^\s*(user|roles?)\s*[:=]\s*(.*)$", re.IGNORECASE)
_ROLE_SEPARATOR: Final = re.compile(r"[,;\s]+")


def read_identity(text: str) -> Identity:
    """Return the identity in the output of an identity tool; missing parts are empty.

    "user: emp_0001\\nroles: ['Employee', 'Packer']"
    -> user `emp_0001`, roles `employee`, `packer`
    """
    user = ""
    roles_text = ""
    for key, value in _LINE.findall(text):
        if key.casefold() == "user":
            user = value.strip()
        else:
            roles_text = value.strip()
    roles = set()
    for role in _ROLE_SEPARATOR.split(roles_text.casefold().strip("[] ")):
        if role:
            roles.add(role.strip("'\""))
    return Identity(user, frozenset(roles))
