"""What the blocks of an export are drawn from: ids, fingerprints, branches, and rows in the making."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from random import Random
from typing import Final

from benchmarks.ecom.tasks.archive.export_rows import ExportRow
from benchmarks.ecom.world.shop_records import Product, Store

LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789"
JITTER: Final = 0.0003
"""How far, in degrees, the observed place of a payment lies from its branch at most."""


@dataclass(slots=True)
class ExportDraft:
    """An export in the making: its rows, and which of them are fraud."""

    rng: Random
    stores: list[Store]
    products: list[Product]
    customers: list[str]
    """Customers that no block uses yet."""
    rows: list[ExportRow] = field(default_factory=list)
    fraud: set[str] = field(default_factory=set)
    """The row ids of the incidents."""

    def token(self, length: int) -> str:
        """Return random letters and digits."""
        return "".join(self.rng.choices(LETTERS, k=length))

    def card(self) -> str:
        """Return the fingerprint of a new card."""
        return f"pm_arch_{self.token(12)}"

    def device(self) -> str:
        """Return the fingerprint of a new device."""
        return f"dev_arch_{self.token(12)}"

    def customer(self) -> str:
        """Return a customer of whom the export has no row yet."""
        return f"arch_{self.customers.pop()}"

    def tour(self, count: int, *, cities: int) -> list[Store]:
        """Return branches one after another: at least so many cities if there are as many, and no branch twice running.

        Neighbours lie in different cities wherever that is possible.
        """
        by_city: dict[str, list[Store]] = {}
        for store in self.stores:
            by_city.setdefault(store.city, []).append(store)
        names = self.rng.sample(sorted(by_city), min(len(by_city), max(cities, min(count, len(by_city)))))
        return [self.rng.choice(by_city[names[at % len(names)]]) for at in range(count)]

    def cheap(self, limit_cents: int) -> list[Product]:
        """Return the products below a price, or the cheapest ones if there are none."""
        found = [each for each in self.products if each.price_cents < limit_cents]
        return found or sorted(self.products, key=lambda each: each.price_cents)[:3]

    def dear(self, least_cents: int) -> list[Product]:
        """Return the products from a price on, or the dearest ones if there are none."""
        found = [each for each in self.products if each.price_cents >= least_cents]
        return found or sorted(self.products, key=lambda each: each.price_cents)[-3:]

    def add(
        self,
        moment: datetime,
        customer: str,
        store: Store,
        bought: tuple[Product, int],
        *,
        paid_with: tuple[str, str, str],
        is_fraud: bool = False,
    ) -> None:
        """Add a row for a product and its quantity, paid with a card on a device over a channel."""
        card, device, channel = paid_with
        product, count = bought
        latitude, longitude = _place(store)
        row = ExportRow(
            row_id=f"AR-{self.token(6)}",
            archive_payment_id=f"ap_{self.token(10)}",
            created_at=moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
            customer_ref=customer,
            store_ref=f"arch_{store.id}",
            store_city=store.city,
            amount_cents=product.price_cents * count,
            currency="EUR",
            payment_method_fingerprint=card,
            device_fingerprint=device,
            observed_lat=f"{latitude + self.rng.uniform(-JITTER, JITTER):.5f}",
            observed_lon=f"{longitude + self.rng.uniform(-JITTER, JITTER):.5f}",
            sku=product.sku,
            archive_channel=channel,
        )
        self.rows.append(row)
        if is_fraud:
            self.fraud.add(row.row_id)


def _place(store: Store) -> tuple[float, float]:
    """Return a fixed latitude and longitude for a branch, near those of the other branches of its city."""
    city, branch = (blake2b(each.encode(), digest_size=2).digest() for each in (store.city, store.id))
    return 47 + city[0] / 64 + branch[0] / 4000, 5 + city[1] / 40 + branch[1] / 4000
