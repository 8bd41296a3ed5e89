"""A kind of fraud: somebody takes over a customer's account.

For some days the customer pays once between 9:00 and 18:00, with two cards and two devices.
Then, in one night, a new device makes expensive payments with one of these cards. Only the
payments of the night are fraud.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from math import ceil

from controlplane.benchmarks.ecom.tasks.payment_exports.choices import (
    DAY,
    LEAST_TAKEOVER_CENTS,
    tour,
)
from controlplane.benchmarks.ecom.tasks.payment_exports.export_draft import ExportDraft
from controlplane.benchmarks.ecom.tasks.payment_exports.payers import Payer


def add_account_takeover(draft: ExportDraft, start: datetime) -> None:
    """Add a customer's honest payments, then a night of expensive payments from a new device."""
    rng = draft.rng
    customer = draft.payers.new_customer()
    cards = (draft.payers.new_card(), draft.payers.new_card())
    devices = (draft.payers.new_device(), draft.payers.new_device())
    first_morning = start.replace(hour=9, minute=0)
    days = rng.randint(6, 14)
    _add_daily_payments(draft, first_morning, days, customer, cards, devices)
    days_without_payments = rng.randint(0, 9)
    day_of_takeover = first_morning + (days + days_without_payments) * DAY
    night = day_of_takeover.replace(hour=rng.randint(1, 4), minute=rng.randrange(60))
    _add_night_of_takeover(draft, night, customer, cards[0])


def _add_daily_payments(
    draft: ExportDraft,
    first_morning: datetime,
    days: int,
    customer: str,
    cards: Sequence[str],
    devices: Sequence[str],
) -> None:
    """Add one ordinary payment of a customer on each of some days, between 9:00 and 18:00."""
    rng = draft.rng
    for day in range(days):
        moment = first_morning + day * DAY + timedelta(seconds=rng.randrange(9 * 3600))
        card = rng.choice(cards)
        device = rng.choice(devices)
        channel = rng.choice(("web", "web", "store_terminal"))  # Two thirds on the web
        product = rng.choice(draft.products)
        count = rng.randint(1, 2)
        store = rng.choice(draft.stores)
        payer = Payer(customer, card, device, channel)
        draft.add_payment(moment, store, payer, product, count)


def _add_night_of_takeover(
    draft: ExportDraft, night: datetime, customer: str, stolen_card: str
) -> None:
    """Add expensive payments, minutes apart, with a stolen card and sometimes also a new one."""
    rng = draft.rng
    device = draft.payers.new_device()
    new_card = draft.payers.new_card()
    used_cards = rng.choice([[stolen_card], [stolen_card, new_card]])
    moment = night
    branches = tour(rng, draft.stores, stops=rng.randint(5, 6))
    for number, store in enumerate(branches):
        if number > 0:
            moment += timedelta(seconds=rng.randint(180, 700))
        channel = rng.choice(("web", "mobile_app"))
        card = used_cards[number % len(used_cards)]
        payer = Payer(customer, card, device, channel)
        product = rng.choice(draft.products)
        # As many units as a high amount takes: 5 of a product of 60 euros for 280 euros.
        count = ceil(LEAST_TAKEOVER_CENTS / product.price_cents)
        buys_one_more = rng.random() >= 0.85
        if buys_one_more:
            count += 1
        draft.add_payment(moment, store, payer, product, count, is_fraud=True)
