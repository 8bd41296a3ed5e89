"""Customers who pay, with cards and devices, in an archived payment export.

A device is known by a random id, such as `dev_arch_k3Vw8yRt2mQa`. Each occurs in one export
only, so what it does there is all that is known of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final

LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789"
"""The characters of random ids, without `I`, `O`, `l` and `0`, which look like others."""


@dataclass(frozen=True, slots=True)
class Payer:
    """A customer with a card, a device and a channel, such as `web` or `store_terminal`."""

    customer: str
    card: str
    device: str
    channel: str


@dataclass(slots=True)
class NewPayers:
    """Draws customers, cards and devices that occur nowhere else."""

    rng: Random
    unused_customers: list[str]
    """The ids of customers who have not paid yet."""

    def random_id(self, prefix: str, length: int = 12) -> str:
        """Return a prefix followed by random letters and digits."""
        return prefix + "".join(self.rng.choices(LETTERS, k=length))

    def card(self) -> str:
        """Return the fingerprint of a new card."""
        return self.random_id("pm_arch_")

    def device(self) -> str:
        """Return the fingerprint of a new device."""
        return self.random_id("dev_arch_")

    def customer(self) -> str:
        """Return a customer who has not paid yet."""
        return f"arch_{self.unused_customers.pop()}"
