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
"""The least price of the article."""


def add_equal_amounts(draft: ExportDraft, start: datetime) -> None:
    """Add payments of one customer for the same article and amount, in one city after another."""
    rng = draft.rng
    customer = draft.payers.new_customer()
    product = product_from(draft.rng, draft.products, LEAST_ARTICLE_CENTS)
    cards = (draft.payers.new_card(), draft.payers.new_card())
    devices = (draft.payers.new_device(), draft.payers.new_device())
    moment = start
    branches = tour(rng, draft.stores, stops=rng.randint(4, 5))
    for number, store in enumerate(branches):
        # The card changes with every payment, the device with every second one.
        card = cards[number % 2]
        device = devices[number // 2 % 2]
        payer = Payer(customer, card, device, "web")
        draft.add_payment(moment, store, payer, product, is_fraud=True)
        moment += timedelta(seconds=rng.randint(600, 1500))
