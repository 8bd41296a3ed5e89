"""A kind of fraud: a dozen small payments within minutes, in many cities.

Nobody can be in Breda and a minute later in Utrecht, so the customer's cards are stolen. A
day later, a service desk may pay at the same intervals for one account: that looks alike
but is honest.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from controlplane.benchmarks.ecom.tasks.payment_exports.choices import (
    DAY,
    HONEST_TWIN_SHARE,
    product_below,
    tour,
)
from controlplane.benchmarks.ecom.tasks.payment_exports.export_draft import ExportDraft
from controlplane.benchmarks.ecom.tasks.payment_exports.payers import Payer

MOST_BURST_CENTS: Final = 7_000
"""A product in a burst costs less than this."""


def add_rapid_burst(draft: ExportDraft, start: datetime) -> None:
    """Add a burst: a dozen small payments of one customer in many cities within a few minutes.

    In most cases, honest payments at the same intervals follow a day later, which must not
    be taken for fraud: a service desk pays for one account, with a new card each time.
    """
    # 1. Draw the times of the payments in seconds after the start, and two cards, each with its
    #    device. The first payment is at the start, and the last one at the end.
    rng = draft.rng
    count = rng.randint(10, 13)
    end = rng.randint(240, 360)
    times_between = sorted(rng.sample(range(1, end), count - 2))
    times_s = [0, *times_between, end]
    cards = (draft.payers.new_card(), draft.payers.new_card())
    devices = (draft.payers.new_device(), draft.payers.new_device())
    customer = draft.payers.new_customer()

    # 2. Add a payment at each time, each in another city than the one before.
    branches = tour(rng, draft.stores, stops=count)
    for time_s, store in zip(times_s, branches, strict=True):
        number = rng.randrange(2)
        payer = Payer(customer, cards[number], devices[number], "mobile_app")
        product = product_below(rng, draft.products, MOST_BURST_CENTS)
        moment = start + timedelta(seconds=time_s)
        draft.add_payment(moment, store, payer, product, is_fraud=True)

    # 3. Perhaps add the honest payments: one account and device, with a new card each time.
    if rng.random() < HONEST_TWIN_SHARE:
        customer = draft.payers.new_customer()
        device = draft.payers.new_device()
        branches = tour(rng, draft.stores, stops=count)
        for time_s, store in zip(times_s, branches, strict=True):
            payer = Payer(customer, draft.payers.new_card(), device, "service_desk")
            moment = start + DAY + timedelta(seconds=time_s)
            draft.add_payment(moment, store, payer, rng.choice(draft.products))
