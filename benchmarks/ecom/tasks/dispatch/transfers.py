"""Transfers: products that one branch sends to another, because stock is short there.

One unit of a tent goes from Breda to Utrecht, since Utrecht has one left. The transfer is a
package of a dispatch wave, with a time by which it is due, and a margin. The stock of both
branches is set to fit the reason for the transfer.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.tasks.dispatch.waves import WavePackage
from controlplane.benchmarks.ecom.world.purchases import set_available
from controlplane.benchmarks.ecom.world.records import (
    Delivery,
    SoldProduct,
    Stock,
    Store,
)
from controlplane.benchmarks.ecom.world.world import World

_LEAST_MARGIN_CENTS: Final = 900
"""The least margin of a package, however cheap its product is."""

# Why a package is sent: the state of the stock at the branch that needs the product.
LOW: Final = "store has current stock, but available quantity is low"
SOON: Final = "store has no available units and incoming stock arrives soon"
_LATER: Final = "store has no available units and incoming stock arrives later"


@dataclass(frozen=True, slots=True)
class Transfer:
    """One unit of a product that is sent from one branch to another."""

    product: SoldProduct
    origin: Store
    destination: Store
    reason: str
    """Why it is sent: the state of the destination's stock, such as `SOON`."""
    package: WavePackage

    def row(self, world: World) -> dict[str, object]:
        """Return the transfer as a row of the table of packages."""
        return {
            "package_id": self.package.id,
            "sku": self.product.sku,
            "product_ref": world.path(self.product),
            "from_store_id": self.origin.id,
            "from_store_ref": world.path(self.origin),
            "to_store_id": self.destination.id,
            "to_store_ref": world.path(self.destination),
            "due_time": self.package.due,
            "margin_cents": self.package.margin_cents,
            "reason": self.reason,
        }


def draw_transfer(
    rng: Random, number: int, product: SoldProduct, branches: list[Store]
) -> Transfer:
    """Return a transfer of one unit of a product between two branches, drawn at random.

    `number` counts the packages of a wave: 3 -> the package `XFER-003`.
    """
    origin, destination = rng.sample(branches, 2)
    due = rng.randint(8, 28)  # in the wave's units of time
    reason = rng.choice((LOW, SOON, _LATER))
    # The margin is computed as in the public benchmark. It is about a third of the price if the
    # stock is low, rounded down a little further (1,000 -> 332), else a quarter.
    if reason == LOW:
        margin = (product.price_cents - 2) // 3
    else:
        margin = product.price_cents // 4
    margin = max(margin, _LEAST_MARGIN_CENTS)
    package = WavePackage(f"XFER-{number:03d}", origin.id, destination.id, due, margin)
    return Transfer(product, origin, destination, reason, package)


def set_stock(world: World, transfer: Transfer) -> None:
    """Set the stock of both branches to fit the reason for the transfer.

    The origin has enough units. The destination has one (`LOW`), or none until a delivery
    arrives in some days (`SOON`) or in a week or two (`_LATER`).
    """
    rng = world.rng
    sku = transfer.product.sku
    destination = transfer.destination
    set_available(world, transfer.origin, sku, rng.randint(4, 9))
    # Drawn for each reason, so that later draws do not depend on it.
    units = rng.randint(1, 4)
    if transfer.reason == LOW:
        set_available(world, destination, sku, 1)
        return

    if transfer.reason == SOON:
        arrives_in_days = rng.randint(1, 4)
    else:
        arrives_in_days = rng.randint(8, 14)
    delivery = Delivery(rng.randint(2, 9), in_days=arrives_in_days)
    all_reserved = Stock(on_hand=units, reserved=units, incoming=[delivery])
    destination.inventory[sku] = all_reserved
    # A branch's file lists its stock by SKU.
    destination.inventory = dict(sorted(destination.inventory.items()))
