"""The session of the user who asks: the id and the roles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Session:
    """The user who is signed in."""

    user: str
    """The user's id, such as `cust-0174`."""
    roles: tuple[str, ...]


GUEST: Final = Session("anonymous", ("guest",))
"""The session of a user who is not signed in."""


def session_of_customer(customer_id: str) -> Session:
    """Return the session of a customer."""
    return Session(customer_id, ("customer",))
