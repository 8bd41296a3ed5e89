"""What the message of an answer must not disclose.

For example, a customer asks about another customer's basket. The basket is paid, and the
answer must not say so, not even by "it is neither open nor abandoned":

    Secrets(
        states=(RecordState("paid", others=("open", "abandoned")),),
        nameable_ids=("cust-007", "basket-0012"),  # Other numbers would disclose something.
    )
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class RecordState:
    """The state of a record, and the other states that such a record can have."""

    actual: str
    """The record's own state, in the world's words: `paid`."""
    others: tuple[str, ...]

    @property
    def possible(self) -> tuple[str, ...]:
        """All states that such a record can have, the actual one first."""
        return (self.actual, *self.others)


@dataclass(frozen=True, slots=True)
class Secrets:
    """What the message of an answer must not disclose."""

    texts: tuple[str, ...] = ()
    """Texts that must not occur in any spelling, such as the street of another customer's shop."""
    states: tuple[RecordState, ...] = ()
    """The states that the message must not disclose. Only a denial has such secrets."""
    nameable_ids: tuple[str, ...] | None = None
    """The ids that a denial may name, such as `basket-0012`.

    Every number in a denial must occur in one of these ids or in the request. If it is
    None, a denial may contain any number.
    """
    person: str = ""
    """The name of a person. The message must not say if this person works here."""


NO_SECRETS: Final = Secrets()
