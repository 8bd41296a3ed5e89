"""A kind of fraud: one customer pays for the same article in one city after another.

Four or five payments of exactly the same amount, minutes apart, with two cards and two devices
in turn: stolen cards are tried out by buying what is easily sold again.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from controlplane.benchmarks.ecom.tasks.payment_exports.choices import (
    product_from,
    tour,
)
from controlplane.benchmarks.ecom.tasks.payment_exports.export_draft import ExportDraft
from controlplane.benchmarks.ecom.tasks.payment_exports.payers import Payer

LEAST_ARTICLE_CENTS: Final = 19_000
"""The article of payments with equal amounts costs at least this much."""


def add_equal_amounts(draft: ExportDraft, start: datetime) -> None:
    """Add payments of one customer for the same article and amount, in one city after another."""
    rng = draft.rng
    customer = draft.payers.customer()
    product = product_from(draft.rng, draft.products, LEAST_ARTICLE_CENTS)
    cards = (draft.payers.card(), draft.payers.card())
    devices = (draft.payers.device(), draft.payers.device())
    moment = start
    branches = tour(rng, draft.stores, stops=rng.randint(4, 5), cities=4)
    for number, store in enumerate(branches):
        # The card changes with every payment, the device with every second one: 0, 0,
        # 1, 1, 0.
        card = cards[number % 2]
        device = devices[number // 2 % 2]
        payer = Payer(customer, card, device, "web")
        draft.add_payment(moment, store, payer, product, is_fraud=True)
        moment += timedelta(seconds=rng.randint(600, 1500))
