"""An archived payment export while it is generated: its rows, and which of them are fraud.

Incidents and ordinary payments are added one after the other. Then the rows are sorted by
time, so that only their content tells the fraud.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.tasks.payment_exports.branch_places import place_of
from controlplane.benchmarks.ecom.tasks.payment_exports.export_rows import ExportRow
from controlplane.benchmarks.ecom.tasks.payment_exports.payers import NewPayers, Payer
from controlplane.benchmarks.ecom.world.records import Product, Store
from controlplane.benchmarks.ecom.world.world import format_instant, random_id

PLACE_JITTER_DEGREES: Final = 0.0003
"""A payment is observed at most this far from its branch."""


@dataclass(slots=True)
class ExportDraft:
    """The rows of an export, and the ids of the fraudulent ones."""

    rng: Random
    stores: list[Store]
    """The branches where people pay."""
    products: list[Product]
    """The products for which they pay."""
    payers: NewPayers
    """Draws those who pay."""
    rows: list[ExportRow] = field(default_factory=list)
    fraud_ids: set[str] = field(default_factory=set)

    def add_payment(
        self,
        moment: datetime,
        store: Store,
        payer: Payer,
        product: Product,
        count: int = 1,
        *,
        is_fraud: bool = False,
    ) -> None:
        """Add the row of one payment for `count` units of a product, at a branch."""
        latitude, longitude = place_of(store)
        row_id = random_id(self.rng, "AR-", 6)
        payment_id = random_id(self.rng, "ap_", 10)
        latitude += self.rng.uniform(-PLACE_JITTER_DEGREES, PLACE_JITTER_DEGREES)
        longitude += self.rng.uniform(-PLACE_JITTER_DEGREES, PLACE_JITTER_DEGREES)
        self.rows.append(
            ExportRow(
                row_id=row_id,
                archive_payment_id=payment_id,
                created_at=format_instant(moment),
                customer_ref=payer.customer,
                store_ref=f"arch_{store.id}",
                store_city=store.city,
                amount_cents=product.price_cents * count,
                currency="EUR",
                payment_method_fingerprint=payer.card,
                device_fingerprint=payer.device,
                observed_lat=f"{latitude:.5f}",
                observed_lon=f"{longitude:.5f}",
                sku=product.sku,
                archive_channel=payer.channel,
            )
        )
        if is_fraud:
            self.fraud_ids.add(row_id)
