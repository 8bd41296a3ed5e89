"""Incidents of fraud in an archived export, and honest payments that look like them.

For example, somebody steals five cards and pays with all of them on one phone, minutes
apart. A day later, five customers pay at a kiosk in a shop: one device and five cards,
too, but no fraud. The kinds of fraud follow the public benchmark's exports.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from math import ceil
from typing import Final

from controlplane.benchmarks.ecom.tasks.payment_exports.choices import (
    product_below,
    product_from,
    tour,
)
from controlplane.benchmarks.ecom.tasks.payment_exports.export_draft import ExportDraft
from controlplane.benchmarks.ecom.tasks.payment_exports.payers import Payer

MOST_BURST_CENTS: Final = 7_000
"""A product in a burst costs less than this."""
LEAST_TAKEOVER_CENTS: Final = 28_000
"""Payments after an account takeover are at least this high."""
LEAST_ARTICLE_CENTS: Final = 19_000
"""The article of payments with equal amounts costs at least this much."""
DAY: Final = timedelta(days=1)
BETWEEN_RING_PAYMENTS: Final = timedelta(minutes=8, seconds=30)
"""The time between two payments with one device by different customers."""
HONEST_TWIN_SHARE: Final = 0.7
"""The share of bursts and device rings that get an honest twin, a day later.

Its payments look like the incident but have an everyday cause, such as a kiosk that
many customers use.
"""


def _add_rapid_burst(draft: ExportDraft, start: datetime) -> None:
    """Add a burst: a dozen small payments of one customer in many cities within a few minutes.

    In most cases, honest payments at the same intervals follow a day later, which must not
    be taken for fraud: a service desk pays for one account, with a new card each time.
    """
    # 1. Draw the times of the payments, and two cards, each with its device.
    rng = draft.rng
    count = rng.randint(10, 13)
    span_s = rng.randint(240, 360)
    # The times of the payments in seconds after the start. The first and the last are fixed.
    seconds_between = sorted(rng.sample(range(1, span_s), count - 2))
    seconds = [0, *seconds_between, span_s]
    cards = (draft.payers.card(), draft.payers.card())
    devices = (draft.payers.device(), draft.payers.device())
    customer = draft.payers.customer()

    # 2. Add a payment at each time, each in another city than the one before.
    branches = tour(rng, draft.stores, count, cities=4)
    for second, store in zip(seconds, branches, strict=True):
        number = rng.randrange(2)
        payer = Payer(customer, cards[number], devices[number], "mobile_app")
        product = product_below(rng, draft.products, MOST_BURST_CENTS)
        moment = start + timedelta(seconds=second)
        draft.add_payment(moment, store, payer, product, is_fraud=True)

    # 3. Perhaps add the honest payments.
    if rng.random() < HONEST_TWIN_SHARE:
        customer = draft.payers.customer()
        device = draft.payers.device()
        branches = tour(rng, draft.stores, count, cities=4)
        for second, store in zip(seconds, branches, strict=True):
            payer = Payer(customer, draft.payers.card(), device, "service_desk")
            moment = start + DAY + timedelta(seconds=second)
            draft.add_payment(moment, store, payer, rng.choice(draft.products))


def _add_device_ring(draft: ExportDraft, start: datetime) -> None:
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


def _add_account_takeover(draft: ExportDraft, start: datetime) -> None:
    """Add a customer's honest payments, then a night of expensive payments from a new device."""
    rng = draft.rng
    customer = draft.payers.customer()
    cards = (draft.payers.card(), draft.payers.card())
    devices = (draft.payers.device(), draft.payers.device())
    first_morning = start.replace(hour=9, minute=0)
    days = rng.randint(6, 14)
    _add_daily_payments(draft, first_morning, days, customer, cards, devices)
    quiet_days = rng.randint(0, 9)
    last_day = first_morning + (days + quiet_days) * DAY
    night = last_day.replace(hour=rng.randint(1, 4), minute=rng.randrange(60))
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
    device = draft.payers.device()
    new_card = draft.payers.card()
    used_cards = rng.choice([[stolen_card], [stolen_card, new_card]])
    moment = night
    branches = tour(rng, draft.stores, stops=rng.randint(5, 6), cities=3)
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


def _add_equal_amounts(draft: ExportDraft, start: datetime) -> None:
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


INCIDENTS: Final[Sequence[Callable[[ExportDraft, datetime], None]]] = (
    _add_rapid_burst,
    _add_device_ring,
    _add_account_takeover,
    _add_equal_amounts,
)
"""The kinds of fraud."""
