"""The blocks that an export is mixed from: incidents, honest look-alikes of them, histories, and everyday payments.

The kinds follow the public benchmark's exports.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from benchmarks.ecom.tasks.archive.export_draft import ExportDraft

TAKEOVER_CENTS: Final = 28_000
"""The least amount of a payment by somebody who took an account over."""
DAY: Final = timedelta(days=1)


def _offsets(draft: ExportDraft, count: int, seconds: int) -> list[timedelta]:
    """Return the offsets of so many payments within a span: the first at its start, the last at its end."""
    inner = sorted(draft.rng.sample(range(1, seconds), count - 2))
    return [timedelta(seconds=each) for each in (0, *inner, seconds)]


def rapid_burst(draft: ExportDraft, start: datetime) -> None:
    """Add a customer's burst of small payments over many cities, and often its honest twin at a service desk."""
    rng = draft.rng
    count = rng.randint(10, 13)
    offsets = _offsets(draft, count, rng.randint(240, 360))
    cards, devices = (draft.card(), draft.card()), (draft.device(), draft.device())
    customer = draft.customer()
    for at, store in enumerate(draft.tour(count, cities=4)):
        pair = rng.randrange(2)
        paid = (cards[pair], devices[pair], "mobile_app")
        bought = (rng.choice(draft.cheap(7_000)), 1)
        draft.add(start + offsets[at], customer, store, bought, paid_with=paid, is_fraud=True)
    if rng.random() < 0.7:
        _desk_twin(draft, start + DAY, offsets)


def _desk_twin(draft: ExportDraft, start: datetime, offsets: list[timedelta]) -> None:
    """Add what a service desk takes for one account: one device, another card each time."""
    customer, device = draft.customer(), draft.device()
    for at, store in enumerate(draft.tour(len(offsets), cities=4)):
        paid = (draft.card(), device, "service_desk")
        draft.add(start + offsets[at], customer, store, (draft.rng.choice(draft.products), 1), paid_with=paid)


def device_ring(draft: ExportDraft, start: datetime) -> None:
    """Add five customers' payments from one device, and often the honest twin at a kiosk."""
    _five_customers(draft, start, "web", is_fraud=True)
    if draft.rng.random() < 0.7:
        _five_customers(draft, start + DAY, "store_kiosk", is_fraud=False)


def _five_customers(draft: ExportDraft, start: datetime, channel: str, *, is_fraud: bool) -> None:
    device = draft.device()
    for at, store in enumerate(draft.tour(5, cities=3)):
        paid = (draft.card(), device, channel)
        bought = (draft.rng.choice(draft.dear(TAKEOVER_CENTS)), 1)
        moment = start + at * timedelta(seconds=510)
        draft.add(moment, draft.customer(), store, bought, paid_with=paid, is_fraud=is_fraud)


def account_takeover(draft: ExportDraft, start: datetime) -> None:
    """Add a customer's daily history, which is innocent, and then a night of dear payments from a new device."""
    rng = draft.rng
    customer = draft.customer()
    cards, devices = (draft.card(), draft.card()), (draft.device(), draft.device())
    morning = start.replace(hour=9, minute=0)
    days = rng.randint(6, 14)
    for day in range(days):
        moment = morning + day * DAY + timedelta(seconds=rng.randrange(9 * 3600))
        paid = (rng.choice(cards), rng.choice(devices), rng.choice(("web", "web", "store_terminal")))
        bought = (rng.choice(draft.products), rng.randint(1, 2))
        draft.add(moment, customer, rng.choice(draft.stores), bought, paid_with=paid)
    night = (morning + (days + rng.randint(0, 9)) * DAY).replace(hour=rng.randint(1, 4), minute=rng.randrange(60))
    device = draft.device()
    alternating = rng.choice(((cards[0],), (cards[0], draft.card())))
    count = rng.randint(5, 6)
    gaps = [timedelta(0)] + [timedelta(seconds=rng.randint(180, 700)) for _ in range(count - 1)]
    for at, store in enumerate(draft.tour(count, cities=3)):
        night += gaps[at]
        paid = (alternating[at % len(alternating)], device, rng.choice(("web", "mobile_app")))
        product = rng.choice(draft.products)
        times = -(-TAKEOVER_CENTS // product.price_cents)
        bought = (product, times if rng.random() < 0.85 else times + 1)
        draft.add(night, customer, store, bought, paid_with=paid, is_fraud=True)


def equal_amounts(draft: ExportDraft, start: datetime) -> None:
    """Add a customer's slow run of the same article for the same amount in one city after another."""
    rng = draft.rng
    customer, bought = draft.customer(), (rng.choice(draft.dear(19_000)), 1)
    cards, devices = (draft.card(), draft.card()), (draft.device(), draft.device())
    moment = start
    for at, store in enumerate(draft.tour(rng.randint(4, 5), cities=4)):
        paid = (cards[at % 2], devices[at // 2 % 2], "web")
        draft.add(moment, customer, store, bought, paid_with=paid, is_fraud=True)
        moment += timedelta(seconds=rng.randint(600, 1500))


def everyday_payments(draft: ExportDraft, start: datetime) -> None:
    """Add ordinary payments over some weeks; two of one customer lie hours or days apart."""
    rng = draft.rng
    for _ in range(rng.randint(6, 16)):
        customer, card = draft.customer(), draft.card()
        devices = [draft.device() for _ in range(rng.randint(1, 2))]
        moment = start + timedelta(seconds=rng.randrange(20 * 86_400))
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            channel = rng.choice(("web", "web", "store_terminal", "store_terminal", "mobile_app"))
            bought = (rng.choice(draft.products), rng.randint(1, 2))
            draft.add(
                moment, customer, rng.choice(draft.stores), bought, paid_with=(card, rng.choice(devices), channel)
            )
            moment += timedelta(seconds=rng.randint(2 * 3600, 3 * 86_400))


INCIDENTS: Final[tuple[Callable[[ExportDraft, datetime], None], ...]] = (
    rapid_burst,
    device_ring,
    account_takeover,
    equal_amounts,
)


def fill(draft: ExportDraft, start: datetime) -> None:
    """Fill an export with two to four incidents of different kinds, weeks apart, among everyday payments."""
    rng = draft.rng
    for at, incident in enumerate(rng.sample(INCIDENTS, rng.randint(2, 4))):
        moment = start + at * timedelta(days=31) + timedelta(seconds=rng.randrange(3 * 86_400))
        incident(draft, moment)
    for at in range(rng.randint(1, 3)):
        everyday_payments(draft, start + at * timedelta(days=35))
    draft.rows.sort(key=lambda row: (row.created_at, row.row_id))
