"""A kind of fraud: expensive payments of five customers from one device.

Somebody steals the cards of five customers and pays with all of them on one phone, minutes
apart. A day later, five customers may pay at a kiosk in a shop: one device and five cards,
too, but no fraud. Only the channel tells them apart: `web` or `store_kiosk`.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from controlplane.benchmarks.ecom.tasks.payment_exports.choices import (
    DAY,
    HONEST_TWIN_SHARE,
    LEAST_TAKEOVER_CENTS,
    product_from,
    tour,
)
from controlplane.benchmarks.ecom.tasks.payment_exports.export_draft import ExportDraft
from controlplane.benchmarks.ecom.tasks.payment_exports.payers import Payer

BETWEEN_RING_PAYMENTS: Final = timedelta(minutes=8, seconds=30)
"""The time between two payments with one device by different customers."""


def add_device_ring(draft: ExportDraft, start: datetime) -> None:
    """Add the fraudulent payments, from `start` on, and in most cases honest ones a day later."""
    _add_five_customers(draft, start, "web", is_fraud=True)
    if draft.rng.random() < HONEST_TWIN_SHARE:
        _add_five_customers(draft, start + DAY, "store_kiosk", is_fraud=False)


def _add_five_customers(
    draft: ExportDraft, start: datetime, channel: str, *, is_fraud: bool
) -> None:
    """Add expensive payments from one device, each by another customer in another city."""
    device = draft.payers.new_device()
    moment = start
    for store in tour(draft.rng, draft.stores, stops=5):
        card = draft.payers.new_card()
        product = product_from(draft.rng, draft.products, LEAST_TAKEOVER_CENTS)
        payer = Payer(draft.payers.new_customer(), card, device, channel)
        draft.add_payment(moment, store, payer, product, is_fraud=is_fraud)
        moment += BETWEEN_RING_PAYMENTS
