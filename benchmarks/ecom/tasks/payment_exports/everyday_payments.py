"""Ordinary payments, which an archived export has besides fraud.

A customer pays once or a few times, with one card, on one or two devices, hours or days
apart.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from controlplane.benchmarks.ecom.tasks.payment_exports.export_draft import ExportDraft
from controlplane.benchmarks.ecom.tasks.payment_exports.payers import Payer


def add_everyday_payments(draft: ExportDraft, start: datetime) -> None:
    """Add ordinary payments of 6 to 16 customers, in the weeks from `start` on."""
    rng = draft.rng
    for _ in range(rng.randint(6, 16)):
        customer = draft.payers.new_customer()
        card = draft.payers.new_card()
        devices = [draft.payers.new_device() for _ in range(rng.randint(1, 2))]
        moment = start + timedelta(seconds=rng.randrange(20 * 86_400))  # Within 20 days
        payment_count = rng.choice((1, 1, 1, 2, 3))  # Usually one
        for _ in range(payment_count):
            channel = rng.choice(
                ("web", "web", "store_terminal", "store_terminal", "mobile_app")
            )
            product = rng.choice(draft.products)
            count = rng.randint(1, 2)
            payer = Payer(customer, card, rng.choice(devices), channel)
            store = rng.choice(draft.stores)
            draft.add_payment(moment, store, payer, product, count)
            # Two hours to three days later
            moment += timedelta(seconds=rng.randint(2 * 3600, 3 * 86_400))
