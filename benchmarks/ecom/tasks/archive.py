"""The task to find the fraud in an archived payment export, and the score of an answer to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import blake2b
from math import ceil
from random import Random
from typing import Final, NamedTuple

from controlplane.benchmarks.ecom.tasks.family import Bar, Family
from controlplane.benchmarks.ecom.tasks.truth import Measured, TaskTruth
from controlplane.benchmarks.ecom.world.records import SoldProduct, Store
from controlplane.benchmarks.ecom.world.world import (
    World,
    format_instant,
    random_id,
    sign_in_employee,
    table_text,
)
from controlplane.benchmarks.shop.texts import amount_text

# The score of an answer that cites the fraudulent rows of an archived payment export.
#
# Of EUR 1,000 of fraud, an answer cites EUR 800, and honest payments of EUR 200 as well. It
# has caught 80 % of the fraud, and 80 % of what it cites is fraud: its score is 0.64. The
# answer also states the total of the cited rows; a wrong sum scores 0.


@dataclass(frozen=True)
class FraudMeasure:
    """Scores the rows that an answer cites.

    The score is the caught share of the fraudulent amount (recall), times the
    fraudulent share of the cited amount (precision). The public benchmark scores the
    recall alone. The score is 0 if a cited row does not exist, or if the stated total
    is neither the sum of the cited rows nor the right total.
    """

    file: str
    """The path of the export. Answers cite its rows as `FILE#row=ID`."""
    amounts: Mapping[str, int]
    """The amount of each row in cents, by its id."""
    fraud: frozenset[str]
    """The ids of the fraudulent rows."""

    def measure(self, message: str, refs: Sequence[str]) -> Measured:
        """Return the score of the cited rows, with its explanation."""
        prefix = f"{self.file}#row="
        cited = {ref.removeprefix(prefix) for ref in refs if ref.startswith(prefix)}
        existing = cited & self.amounts.keys()
        fraud_cents = self._cents_of(self.fraud)
        cited_cents = self._cents_of(existing)
        caught_cents = self._cents_of(existing & self.fraud)

        stated_total = message.strip()
        is_right_total = stated_total == amount_text(fraud_cents)
        is_sum_of_cited_rows = stated_total == amount_text(cited_cents)
        faults = []
        if not is_right_total and not is_sum_of_cited_rows:
            total = amount_text(cited_cents)
            faults.append(f"answer is not the sum of the cited rows, {total}, alone")
        if cited - existing:
            faults.append(f"{len(cited - existing)} cited rows do not exist")

        recall = caught_cents / fraud_cents
        false_rows = _vague_count(len(existing - self.fraud))
        # The public benchmark explains its scores in these words.
        lines = [
            f"answer amount {'matched' if is_right_total else 'mismatch'}",
            f"archive fraud refs recovered ~{recall:.0%} EUR from fraud amount, "
            f"and also marked {false_rows} payments as false positives.",
        ]
        score = 0.0
        if cited_cents and not faults:
            # Recall times precision. Another order of operations would round
            # differently from scores that were recorded.
            score = caught_cents / fraud_cents * caught_cents / cited_cents
        return Measured(score, (*lines, *faults))

    def _cents_of(self, rows: Iterable[str]) -> int:
        return sum(self.amounts[row] for row in rows)


def _vague_count(rows: int) -> str:
    """Return how many rows: `a few` for 3. The public benchmark tells only this much."""
    if rows == 0:
        return "no"
    if rows <= 5:
        return "a few"
    if rows <= 10:
        return "up to ten"
    return "more than ten"


# What the kinds of fraud share: tours of branches, cheap and expensive products.
#
# Fraud is often seen by the places: within minutes, one card pays in Breda, in Utrecht and in
# Zwolle. A tour is such a sequence of branches.

_DAY: Final = timedelta(days=1)
_HONEST_TWIN_SHARE: Final = 0.7
"""The share of bursts and device rings that get an honest twin, a day later.

Its payments look like the incident but have an everyday cause, such as a kiosk that
many customers use.
"""
_LEAST_TAKEOVER_CENTS: Final = 28_000
"""The least amount of a payment after a takeover, or by one of many customers on one device."""


def _tour(rng: Random, stores: Sequence[Store], stops: int) -> list[Store]:
    """Return the branches of a tour with this many stops.

    Each branch is in another city, as far as there are enough. Then the same order of
    cities begins again: Breda, Utrecht, Zwolle, Breda, ...
    """
    by_city: dict[str, list[Store]] = {}
    for store in stores:
        by_city.setdefault(store.city, []).append(store)
    city_order = rng.sample(sorted(by_city), min(stops, len(by_city)))
    branches = []
    for stop in range(stops):
        city = city_order[stop % len(city_order)]
        branches.append(rng.choice(by_city[city]))
    return branches


def _product_below(
    rng: Random, products: Sequence[SoldProduct], cents: int
) -> SoldProduct:
    """Return a random product below this price; if there is none, one of the three cheapest."""
    options = [product for product in products if product.price_cents < cents]
    if not options:
        options = sorted(products, key=_price_of)[:3]
    return rng.choice(options)


def _product_from(
    rng: Random, products: Sequence[SoldProduct], cents: int
) -> SoldProduct:
    """Return a random product of at least this price; if there is none, one of the three dearest."""
    options = [product for product in products if product.price_cents >= cents]
    if not options:
        options = sorted(products, key=_price_of)[-3:]
    return rng.choice(options)


def _price_of(product: SoldProduct) -> int:
    return product.price_cents


# The places of branches in degrees. They are invented, but always the same for a branch.
#
# Branches of one city are a few kilometres apart. Breda may be at 48.5 N and 7.2 E, far from
# the real Breda.


def _place_of(store: Store) -> tuple[float, float]:
    """Return the latitude and longitude of a branch, which follow from its city and its id."""
    # A hash of two bytes gives two numbers from 0 to 255. Those of the city place it up to 4
    # degrees north and 6.4 degrees east of the point 47 N, 5 E.
    city_north, city_east = blake2b(store.city.encode(), digest_size=2).digest()
    # Those of the branch place it up to 0.064 degrees, a few kilometres, from its city's point.
    branch_north, branch_east = blake2b(store.id.encode(), digest_size=2).digest()
    latitude = 47 + city_north / 64 + branch_north / 4000
    longitude = 5 + city_east / 40 + branch_east / 4000
    return latitude, longitude


# The rows of an archived payment export: a table with one row for each payment.
#
# The columns are those of the exports of the public benchmark, BitGN ECOM.


class _ExportRow(NamedTuple):
    """One archived payment. The fields are the columns of the export, in order."""

    row_id: str
    archive_payment_id: str
    created_at: str
    customer_ref: str
    store_ref: str
    store_city: str
    amount_cents: int
    currency: str
    payment_method_fingerprint: str
    device_fingerprint: str
    observed_lat: str
    """The latitude of the payment in degrees, with five decimals: `51.58310`."""
    observed_lon: str
    sku: str
    archive_channel: str


# Customers who pay, with cards and devices, in an archived payment export.
#
# Cards and devices have random ids, such as `dev_arch_k3Vw8yRt2mQa`, that occur in one export
# only. So whether a payment is fraud can only be seen from the other payments in the export.


@dataclass(frozen=True, slots=True)
class _Payer:
    """A customer with a card, a device and a channel, such as `web` or `store_terminal`."""

    customer: str
    card: str
    device: str
    channel: str


# An archived payment export while it is generated: its rows, and which of them are fraud.
#
# Incidents and ordinary payments are added one after the other. Then the rows are sorted by
# time, so that only their content tells the fraud.

_PLACE_JITTER_DEGREES: Final = 0.0003
"""A payment is observed at most this far from its branch."""


@dataclass(slots=True)
class _ExportDraft:
    """The rows of an export, and the ids of the fraudulent ones."""

    rng: Random
    stores: list[Store]
    """The branches where people pay."""
    products: list[SoldProduct]
    """The products for which they pay."""
    unused_customers: list[str]
    """The ids of customers who have not paid yet: `["cust-007", ...]`. Each of them pays for one
    purpose only."""
    rows: list[_ExportRow] = field(default_factory=list)
    fraud_ids: set[str] = field(default_factory=set)

    def new_card(self) -> str:
        """Return the fingerprint of a new card: `pm_arch_k3Vw8yRt2mQa`."""
        return random_id(self.rng, "pm_arch_", 12)

    def new_device(self) -> str:
        """Return the fingerprint of a new device: `dev_arch_k3Vw8yRt2mQa`."""
        return random_id(self.rng, "dev_arch_", 12)

    def new_customer(self) -> str:
        """Return a customer who has not paid yet: `arch_cust-007`."""
        return f"arch_{self.unused_customers.pop()}"

    def add_payment(
        self,
        moment: datetime,
        store: Store,
        payer: _Payer,
        product: SoldProduct,
        count: int = 1,
        *,
        is_fraud: bool = False,
    ) -> None:
        """Add the row of one payment for `count` units of a product, at a branch."""
        latitude, longitude = _place_of(store)
        row_id = random_id(self.rng, "AR-", 6)
        payment_id = random_id(self.rng, "ap_", 10)
        latitude += self.rng.uniform(-_PLACE_JITTER_DEGREES, _PLACE_JITTER_DEGREES)
        longitude += self.rng.uniform(-_PLACE_JITTER_DEGREES, _PLACE_JITTER_DEGREES)
        self.rows.append(
            _ExportRow(
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


# A kind of fraud: somebody takes over a customer's account.
#
# For some days the customer pays once between 9:00 and 18:00, with two cards and two devices.
# Then, in one night, a new device makes expensive payments with one of these cards. Only the
# payments of the night are fraud.


def _add_account_takeover(draft: _ExportDraft, start: datetime) -> None:
    """Add a customer's honest payments, then a night of expensive payments from a new device."""
    rng = draft.rng
    customer = draft.new_customer()
    cards = (draft.new_card(), draft.new_card())
    devices = (draft.new_device(), draft.new_device())
    first_morning = start.replace(hour=9, minute=0)
    days = rng.randint(6, 14)
    _add_daily_payments(draft, first_morning, days, customer, cards, devices)
    days_without_payments = rng.randint(0, 9)
    day_of_takeover = first_morning + (days + days_without_payments) * _DAY
    night = day_of_takeover.replace(hour=rng.randint(1, 4), minute=rng.randrange(60))
    _add_night_of_takeover(draft, night, customer, cards[0])


def _add_daily_payments(
    draft: _ExportDraft,
    first_morning: datetime,
    days: int,
    customer: str,
    cards: Sequence[str],
    devices: Sequence[str],
) -> None:
    """Add one ordinary payment of a customer on each of some days, between 9:00 and 18:00."""
    rng = draft.rng
    for day in range(days):
        moment = first_morning + day * _DAY + timedelta(seconds=rng.randrange(9 * 3600))
        card = rng.choice(cards)
        device = rng.choice(devices)
        channel = rng.choice(("web", "web", "store_terminal"))  # Two thirds on the web
        product = rng.choice(draft.products)
        count = rng.randint(1, 2)
        store = rng.choice(draft.stores)
        payer = _Payer(customer, card, device, channel)
        draft.add_payment(moment, store, payer, product, count)


def _add_night_of_takeover(
    draft: _ExportDraft, night: datetime, customer: str, stolen_card: str
) -> None:
    """Add expensive payments, minutes apart, with a stolen card and sometimes also a new one."""
    rng = draft.rng
    device = draft.new_device()
    new_card = draft.new_card()
    used_cards = rng.choice([[stolen_card], [stolen_card, new_card]])
    moment = night
    branches = _tour(rng, draft.stores, stops=rng.randint(5, 6))
    for number, store in enumerate(branches):
        if number > 0:
            moment += timedelta(seconds=rng.randint(180, 700))
        channel = rng.choice(("web", "mobile_app"))
        card = used_cards[number % len(used_cards)]
        payer = _Payer(customer, card, device, channel)
        product = rng.choice(draft.products)
        # As many units as a high amount takes: 5 of a product of 60 euros for 280 euros.
        count = ceil(_LEAST_TAKEOVER_CENTS / product.price_cents)
        buys_one_more = rng.random() >= 0.85
        if buys_one_more:
            count += 1
        draft.add_payment(moment, store, payer, product, count, is_fraud=True)


# A kind of fraud: expensive payments of five customers from one device.
#
# Somebody steals the cards of five customers and pays with all of them on one phone, minutes
# apart. A day later, five customers may pay at a kiosk in a shop: one device and five cards,
# too, but no fraud. Only the channel tells them apart: `web` or `store_kiosk`.

_BETWEEN_RING_PAYMENTS: Final = timedelta(minutes=8, seconds=30)
"""The time between two payments with one device by different customers."""


def _add_device_ring(draft: _ExportDraft, start: datetime) -> None:
    """Add the fraudulent payments, from `start` on, and in most cases honest ones a day later."""
    _add_five_customers(draft, start, "web", is_fraud=True)
    if draft.rng.random() < _HONEST_TWIN_SHARE:
        _add_five_customers(draft, start + _DAY, "store_kiosk", is_fraud=False)


def _add_five_customers(
    draft: _ExportDraft, start: datetime, channel: str, *, is_fraud: bool
) -> None:
    """Add expensive payments from one device, each by another customer in another city."""
    device = draft.new_device()
    moment = start
    for store in _tour(draft.rng, draft.stores, stops=5):
        card = draft.new_card()
        product = _product_from(draft.rng, draft.products, _LEAST_TAKEOVER_CENTS)
        payer = _Payer(draft.new_customer(), card, device, channel)
        draft.add_payment(moment, store, payer, product, is_fraud=is_fraud)
        moment += _BETWEEN_RING_PAYMENTS


# A kind of fraud: one customer pays for the same article in one city after another.
#
# Four or five payments of exactly the same amount, minutes apart, with two cards and two devices
# in turn: stolen cards are tried out by buying what is easily sold again.

_LEAST_ARTICLE_CENTS: Final = 19_000
"""The least price of the article."""


def _add_equal_amounts(draft: _ExportDraft, start: datetime) -> None:
    """Add payments of one customer for the same article and amount, in one city after another."""
    rng = draft.rng
    customer = draft.new_customer()
    product = _product_from(draft.rng, draft.products, _LEAST_ARTICLE_CENTS)
    cards = (draft.new_card(), draft.new_card())
    devices = (draft.new_device(), draft.new_device())
    moment = start
    branches = _tour(rng, draft.stores, stops=rng.randint(4, 5))
    for number, store in enumerate(branches):
        # The card changes with every payment, the device with every second one.
        card = cards[number % 2]
        device = devices[number // 2 % 2]
        payer = _Payer(customer, card, device, "web")
        draft.add_payment(moment, store, payer, product, is_fraud=True)
        moment += timedelta(seconds=rng.randint(600, 1500))


# Ordinary payments, which an archived export has besides fraud.
#
# A customer pays once or a few times, with one card, on one or two devices, hours or days
# apart.


def _add_everyday_payments(draft: _ExportDraft, start: datetime) -> None:
    """Add ordinary payments of 6 to 16 customers, in the weeks from `start` on."""
    rng = draft.rng
    for _ in range(rng.randint(6, 16)):
        customer = draft.new_customer()
        card = draft.new_card()
        devices = [draft.new_device() for _ in range(rng.randint(1, 2))]
        moment = start + timedelta(seconds=rng.randrange(20 * 86_400))  # Within 20 days
        payment_count = rng.choice((1, 1, 1, 2, 3))  # Usually one
        for _ in range(payment_count):
            channel = rng.choice(
                ("web", "web", "store_terminal", "store_terminal", "mobile_app")
            )
            product = rng.choice(draft.products)
            count = rng.randint(1, 2)
            payer = _Payer(customer, card, rng.choice(devices), channel)
            store = rng.choice(draft.stores)
            draft.add_payment(moment, store, payer, product, count)
            # Two hours to three days later
            moment += timedelta(seconds=rng.randint(2 * 3600, 3 * 86_400))


# A kind of fraud: a dozen small payments within minutes, in many cities.
#
# Nobody can be in Breda and a minute later in Utrecht, so the customer's cards are stolen. A
# day later, a service desk may pay at the same intervals for one account: that looks alike
# but is honest.

_MOST_BURST_CENTS: Final = 7_000
"""A product in a burst costs less than this."""


def _add_rapid_burst(draft: _ExportDraft, start: datetime) -> None:
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
    cards = (draft.new_card(), draft.new_card())
    devices = (draft.new_device(), draft.new_device())
    customer = draft.new_customer()

    # 2. Add a payment at each time, each in another city than the one before.
    branches = _tour(rng, draft.stores, stops=count)
    for time_s, store in zip(times_s, branches, strict=True):
        number = rng.randrange(2)
        payer = _Payer(customer, cards[number], devices[number], "mobile_app")
        product = _product_below(rng, draft.products, _MOST_BURST_CENTS)
        moment = start + timedelta(seconds=time_s)
        draft.add_payment(moment, store, payer, product, is_fraud=True)

    # 3. Perhaps add the honest payments: one account and device, with a new card each time.
    if rng.random() < _HONEST_TWIN_SHARE:
        customer = draft.new_customer()
        device = draft.new_device()
        branches = _tour(rng, draft.stores, stops=count)
        for time_s, store in zip(times_s, branches, strict=True):
            payer = _Payer(customer, draft.new_card(), device, "service_desk")
            moment = start + _DAY + timedelta(seconds=time_s)
            draft.add_payment(moment, store, payer, rng.choice(draft.products))


# The kinds of fraud in an archived export.
#
# An incident adds fraudulent payments to an export, such as five payments with stolen cards
# on one phone. Often honest payments follow a day later that look like them. The kinds follow
# the public benchmark's exports.

_INCIDENTS: Final[Sequence[Callable[[_ExportDraft, datetime], None]]] = (
    _add_rapid_burst,
    _add_device_ring,
    _add_account_takeover,
    _add_equal_amounts,
)
"""Functions that add one incident to an export, from a time on; one for each kind of fraud."""


# The task to find the fraud in an archived payment export.
#
# An export is a table of payments. Among ordinary ones it has incidents of fraud, such as a
# dozen payments of one customer in many cities within minutes, and honest payments that
# look like them. The answer cites the fraudulent rows.

_MOST_INCIDENTS: Final = 4
_CUSTOMER_NUMBERS: Final = range(1, 400)
"""The numbers in the ids of customers who may occur in an export."""
_CUSTOMERS: Final = 200
"""The number of customers of whom an export may have payments."""
_AGE_DAYS: Final = (690, 800)
"""The least and the highest age of an export: about two years."""


def _archive_fraud(world: World, _case: str) -> TaskTruth:
    """Ask, as an employee, for the fraudulent rows of one export.

    Right: cite exactly the rows of the two to four incidents as `FILE#row=ID`, and
    answer with the total of their amounts.

    Wrong: cite honest payments, such as those of a service desk, a kiosk, or a customer
    before a takeover.
    """
    # 1. Begin an export. Each of its customers pays for one purpose only.
    rng = world.rng
    sign_in_employee(world)
    customers = []
    for number in rng.sample(_CUSTOMER_NUMBERS, _CUSTOMERS):
        customers.append(world.layout.id_of("cust", number))
    stores = list(world.stores.values())
    products = list(world.catalogue.products.values())
    draft = _ExportDraft(rng, stores, products, customers)
    start = world.clock - timedelta(days=rng.randint(*_AGE_DAYS))

    # 2. Add incidents of different kinds, in the first three days of one month each. Most
    #    come with honest payments that look like them.
    incidents = rng.sample(_INCIDENTS, rng.randint(2, _MOST_INCIDENTS))
    for number, add_incident in enumerate(incidents):
        beginning_of_month = start + number * timedelta(days=31)
        within_three_days = timedelta(seconds=rng.randrange(3 * 86_400))
        add_incident(draft, beginning_of_month + within_three_days)

    # 3. Add ordinary payments, in one to three periods of some weeks.
    for number in range(rng.randint(1, 3)):
        _add_everyday_payments(draft, start + number * timedelta(days=35))

    # 4. Write the export, and build the truth.
    draft.rows.sort(key=lambda row: (row.created_at, row.row_id))
    path = f"{random_id(rng, '/archive/payment_batch_export_', 10)}.tsv"
    world.files[path] = table_text([row._asdict() for row in draft.rows])
    amounts = {row.row_id: row.amount_cents for row in draft.rows}
    total = sum(amounts[row_id] for row_id in draft.fraud_ids)
    return TaskTruth(
        instruction=world.wording("archive-fraud", path=path),
        message=amount_text(total),
        must_cite=(path,),
        measure=FraudMeasure(path, amounts, frozenset(draft.fraud_ids)),
        for_tests={"path": path},
    )


FAMILIES: Final = (
    Family(
        "archive-fraud",
        _archive_fraud,
        task_count=4,
        about="the fraudulent rows of an archived export",
        pages="archive",
        bar=Bar.STAFF_ONLY,
    ),
)
