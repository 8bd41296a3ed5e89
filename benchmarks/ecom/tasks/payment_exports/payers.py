"""Customers who pay, with cards and devices, in an archived payment export.

Cards and devices have random ids, such as `dev_arch_k3Vw8yRt2mQa`, that occur in one export
only. So whether a payment is fraud can only be seen from the other payments in the export.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from controlplane.benchmarks.ecom.world.world import random_id


@dataclass(frozen=True, slots=True)
class Payer:
    """A customer with a card, a device and a channel, such as `web` or `store_terminal`."""

    customer: str
    card: str
    device: str
    channel: str


@dataclass(slots=True)
class NewPayers:
    """Draws customers, cards and devices that no other payment has."""

    rng: Random
    unused_customers: list[str]
    """The ids of customers who have not paid yet: `["cust-007", ...]`. Each call uses one up."""

    def new_card(self) -> str:
        """Return the fingerprint of a new card: `pm_arch_k3Vw8yRt2mQa`."""
        return random_id(self.rng, "pm_arch_", 12)

    def new_device(self) -> str:
        """Return the fingerprint of a new device: `dev_arch_k3Vw8yRt2mQa`."""
        return random_id(self.rng, "dev_arch_", 12)

    def new_customer(self) -> str:
        """Return a customer who has not paid yet: `arch_cust-007`."""
        return f"arch_{self.unused_customers.pop()}"
