"""What a freely worded answer must not disclose.

The secrets of a request about another customer's basket, which is paid:

    Secrets(
        states=(("paid", "open", "abandoned"),),
        nameable_ids="cust-007 basket-0012",  # Other numbers would disclose something.
    )
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Secrets:
    """What the message of an answer must not disclose."""

    texts: tuple[str, ...] = ()
    """Texts that must not occur in any spelling, such as the street of another customer's shop."""
    states: tuple[tuple[str, ...], ...] = ()
    """For each record with a secret state: its own state, then all other possible states.

    A denial must not disclose the record's own state. An UNSUPPORTED may name it, but
    must not hide it in a list of most states.
    """
    nameable_ids: str | None = None
    """Ids with blanks between them: `cust-007 basket-0012`. None permits all numbers.

    Every number in a denial must occur in one of these ids or in the request.
    """
    person: str = ""
    """The name of a person. The message must not say if this person works here."""


NO_SECRETS: Final = Secrets()
