"""A kind of fraud: expensive payments of five customers from one device.

Somebody steals five cards and pays with all of them on one phone, minutes apart. A day later,
five customers may pay at a kiosk in a shop: one device and five cards, too, but no fraud.
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
    """Add expensive payments of five customers with one device.

    In most cases, honest payments at the same intervals follow a day later, which must not
    be taken for fraud: many customers use a kiosk in a shop.
    """
    _add_five_customers(draft, start, "web", is_fraud=True)
    if draft.rng.random() < HONEST_TWIN_SHARE:
        _add_five_customers(draft, start + DAY, "store_kiosk", is_fraud=False)


def _add_five_customers(
    draft: ExportDraft, start: datetime, channel: str, *, is_fraud: bool
) -> None:
    """Add expensive payments from one device, minutes apart, each by another customer."""
    device = draft.payers.device()
    moment = start
    for store in tour(draft.rng, draft.stores, stops=5, cities=3):
        card = draft.payers.card()
        product = product_from(draft.rng, draft.products, LEAST_TAKEOVER_CENTS)
        payer = Payer(draft.payers.customer(), card, device, channel)
        draft.add_payment(moment, store, payer, product, is_fraud=is_fraud)
        moment += BETWEEN_RING_PAYMENTS
