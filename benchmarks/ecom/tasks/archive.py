"""Archived payment exports, and the task to find the fraud among honest payments that look like it.

The columns and the kinds of fraud follow the public benchmark's exports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields
from datetime import datetime, timedelta
from hashlib import blake2b
from math import ceil
from random import Random
from typing import Final, NamedTuple

from controlplane.benchmarks.ecom.tasks.truth import Measured, Truth
from controlplane.benchmarks.ecom.world.records import Product, Store
from controlplane.benchmarks.ecom.world.sign_in import sign_in_employee
from controlplane.benchmarks.ecom.world.wordings import euros
from controlplane.benchmarks.ecom.world.world import World, format_instant

LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789"
"""The characters of random ids, without `I`, `O`, `l` and `0`, which look like others."""
PLACE_JITTER_DEGREES: Final = 0.0003
"""A payment is observed at most this far from its branch."""
LEAST_TAKEOVER_CENTS: Final = 28_000
"""Payments after an account takeover are at least this high."""
LEAST_ARTICLE_CENTS: Final = 19_000
"""The article of payments with equal amounts costs at least this much."""
DAY: Final = timedelta(days=1)
BETWEEN_RING_PAYMENTS: Final = timedelta(minutes=8, seconds=30)
"""The time between two payments with one device by different customers."""
HONEST_TWIN_SHARE: Final = 0.7
"""The share of incidents that get an honest twin, a day later.

Its payments look like the incident but have an everyday cause, such as a kiosk that
many customers use.
"""


@dataclass(frozen=True, slots=True)
class ExportRow:
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
    observed_lon: str
    sku: str
    archive_channel: str


@dataclass(frozen=True, slots=True)
class Payer:
    """A customer with a card, a device and a channel, such as `web` or `store_terminal`."""

    customer: str
    card: str
    device: str
    channel: str


def export_text(rows: Iterable[ExportRow]) -> str:
    """Return the tab-separated table of these rows, with a header."""
    lines = ["\t".join(column.name for column in fields(ExportRow))]
    for row in rows:
        lines.append("\t".join(str(cell) for cell in astuple(row)))
    return "".join(f"{line}\n" for line in lines)


@dataclass(slots=True)
class ExportDraft:
    """An export while it is generated: its rows, and the ids of the fraudulent ones.

    Each function for an incident adds rows with `add_payment`.
    """

    rng: Random
    stores: list[Store]
    products: list[Product]
    unused_customers: list[str]
    rows: list[ExportRow] = field(default_factory=list)
    fraud_ids: set[str] = field(default_factory=set)

    def new_id(self, prefix: str, length: int = 12) -> str:
        """Return a prefix followed by random letters and digits."""
        return prefix + "".join(self.rng.choices(LETTERS, k=length))

    def new_card(self) -> str:
        """Return the fingerprint of a new card."""
        return self.new_id("pm_arch_")

    def new_device(self) -> str:
        """Return the fingerprint of a new device."""
        return self.new_id("dev_arch_")

    def new_customer(self) -> str:
        """Return a customer who has no row in the export yet."""
        return f"arch_{self.unused_customers.pop()}"

    def tour(self, stops: int, *, cities: int) -> list[Store]:
        """Return a sequence of branches in at least `cities` cities, if that many exist.

        If possible, each branch is in another city than the one before.
        """
        by_city: dict[str, list[Store]] = {}
        for store in self.stores:
            by_city.setdefault(store.city, []).append(store)
        # Each stop is in a new city, until all cities have been visited. Then they are
        # visited again in the same order.
        wanted_cities = max(stops, cities)
        visited = self.rng.sample(sorted(by_city), min(wanted_cities, len(by_city)))
        route = []
        for stop in range(stops):
            city = visited[stop % len(visited)]
            route.append(self.rng.choice(by_city[city]))
        return route

    def product_below(self, cents: int) -> Product:
        """Return a product below this price or, if there is none, one of the three cheapest."""
        options = [product for product in self.products if product.price_cents < cents]
        if not options:
            options = sorted(self.products, key=_price_of)[:3]
        return self.rng.choice(options)

    def product_from(self, cents: int) -> Product:
        """Return a product of at least this price.

        If there is none, it is one of the three dearest.
        """
        options = [product for product in self.products if product.price_cents >= cents]
        if not options:
            options = sorted(self.products, key=_price_of)[-3:]
        return self.rng.choice(options)

    def add_payment(
        self,
        moment: datetime,
        store: Store,
        payer: Payer,
        product: Product,
        count: int = 1,
        *,
        is_fraud: bool = False,
    ) -> None:
        """Add the row of one payment."""
        latitude, longitude = _place_of(store)
        row_id = self.new_id("AR-", 6)
        payment_id = self.new_id("ap_", 10)
        latitude += self.rng.uniform(-PLACE_JITTER_DEGREES, PLACE_JITTER_DEGREES)
        longitude += self.rng.uniform(-PLACE_JITTER_DEGREES, PLACE_JITTER_DEGREES)
        self.rows.append(
            ExportRow(
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


def _price_of(product: Product) -> int:
    return product.price_cents


class Coordinates(NamedTuple):
    """A place in degrees."""

    latitude: float
    longitude: float


def _place_of(store: Store) -> Coordinates:
    """Return the coordinates of a branch.

    They are always the same, and near those of the other branches of its city.
    """
    # Two bytes of a hash place a city up to 4 degrees north and 6.4 degrees east of 47
    # N, 5 E.
    city_north, city_east = blake2b(store.city.encode(), digest_size=2).digest()
    # Two others place a branch up to 0.064 degrees, a few kilometres, from the point of its city.
    branch_north, branch_east = blake2b(store.id.encode(), digest_size=2).digest()
    return Coordinates(
        latitude=47 + city_north / 64 + branch_north / 4000,
        longitude=5 + city_east / 40 + branch_east / 4000,
    )


# Incidents --------------------------------------------------------------------------------------


def _add_rapid_burst(draft: ExportDraft, start: datetime) -> None:
    """Add a burst: a dozen small payments of one customer in many cities within a few minutes.

    Honest payments at the same intervals may follow a day later: a service desk pays
    for one account, with a new card each time.
    """
    rng = draft.rng
    count = rng.randint(10, 13)
    span_s = rng.randint(240, 360)
    # The times of the payments in seconds after the start. The first and the last are fixed.
    seconds_between = sorted(rng.sample(range(1, span_s), count - 2))
    seconds = [0, *seconds_between, span_s]
    cards = (draft.new_card(), draft.new_card())
    devices = (draft.new_device(), draft.new_device())
    customer = draft.new_customer()
    # A tour is a sequence of branches, if possible each in another city than the last.
    for second, store in zip(seconds, draft.tour(count, cities=4), strict=True):
        # Each card is always used from the same device.
        card_and_device = rng.randrange(2)
        payer = Payer(
            customer, cards[card_and_device], devices[card_and_device], "mobile_app"
        )
        product = draft.product_below(7_000)  # cents
        moment = start + timedelta(seconds=second)
        draft.add_payment(moment, store, payer, product, is_fraud=True)

    if rng.random() < HONEST_TWIN_SHARE:
        customer = draft.new_customer()
        device = draft.new_device()
        for second, store in zip(seconds, draft.tour(count, cities=4), strict=True):
            payer = Payer(customer, draft.new_card(), device, "service_desk")
            moment = start + DAY + timedelta(seconds=second)
            draft.add_payment(moment, store, payer, rng.choice(draft.products))


def _add_device_ring(draft: ExportDraft, start: datetime) -> None:
    """Add expensive payments of five customers with one device.

    Honest payments at the same intervals may follow a day later: many customers use a
    kiosk in a shop.
    """
    _add_five_customers(draft, start, "web", is_fraud=True)
    if draft.rng.random() < HONEST_TWIN_SHARE:
        _add_five_customers(draft, start + DAY, "store_kiosk", is_fraud=False)


def _add_five_customers(
    draft: ExportDraft, start: datetime, channel: str, *, is_fraud: bool
) -> None:
    """Add expensive payments from one device, minutes apart, each by another customer."""
    device = draft.new_device()
    moment = start
    for store in draft.tour(5, cities=3):
        card = draft.new_card()
        product = draft.product_from(LEAST_TAKEOVER_CENTS)
        payer = Payer(draft.new_customer(), card, device, channel)
        draft.add_payment(moment, store, payer, product, is_fraud=is_fraud)
        moment += BETWEEN_RING_PAYMENTS


def _add_account_takeover(draft: ExportDraft, start: datetime) -> None:
    """Add a customer's honest payments, then a night of expensive payments from a new device."""
    rng = draft.rng
    customer = draft.new_customer()
    cards = (draft.new_card(), draft.new_card())
    devices = (draft.new_device(), draft.new_device())
    first_morning = start.replace(hour=9, minute=0)
    days = rng.randint(6, 14)
    _add_daily_payments(draft, first_morning, days, customer, cards, devices)
    quiet_days = rng.randint(0, 9)
    last_morning = first_morning + (days + quiet_days) * DAY
    night = last_morning.replace(hour=rng.randint(1, 4), minute=rng.randrange(60))
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
    device = draft.new_device()
    new_card = draft.new_card()
    used_cards = rng.choice([[stolen_card], [stolen_card, new_card]])
    moment = night
    for number, store in enumerate(draft.tour(rng.randint(5, 6), cities=3)):
        if number > 0:
            moment += timedelta(seconds=rng.randint(180, 700))
        channel = rng.choice(("web", "mobile_app"))
        payer = Payer(customer, used_cards[number % len(used_cards)], device, channel)
        product = rng.choice(draft.products)
        count = ceil(LEAST_TAKEOVER_CENTS / product.price_cents)
        if rng.random() >= 0.85:  # A few payments are clearly above the least amount.
            count += 1
        draft.add_payment(moment, store, payer, product, count, is_fraud=True)


def _add_equal_amounts(draft: ExportDraft, start: datetime) -> None:
    """Add payments of one customer for the same article and amount, in one city after another."""
    rng = draft.rng
    customer = draft.new_customer()
    product = draft.product_from(LEAST_ARTICLE_CENTS)
    cards = (draft.new_card(), draft.new_card())
    devices = (draft.new_device(), draft.new_device())
    moment = start
    for number, store in enumerate(draft.tour(rng.randint(4, 5), cities=4)):
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


def _add_everyday_payments(draft: ExportDraft, start: datetime) -> None:
    """Add ordinary payments over some weeks.

    The payments of one customer are hours or days apart.
    """
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
            payer = Payer(customer, card, rng.choice(devices), channel)
            store = rng.choice(draft.stores)
            draft.add_payment(moment, store, payer, product, count)
            # Two hours to three days later
            moment += timedelta(seconds=rng.randint(2 * 3600, 3 * 86_400))


@dataclass(frozen=True)
class FraudMeasure:
    """Grades the rows that an answer cites.

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
        is_right_total = stated_total == euros(fraud_cents)
        is_sum_of_cited_rows = stated_total == euros(cited_cents)
        faults = []
        if not is_right_total and not is_sum_of_cited_rows:
            total = euros(cited_cents)
            faults.append(f"answer is not the sum of the cited rows, {total}, alone")
        if cited - existing:
            faults.append(f"{len(cited - existing)} cited rows do not exist")

        recall = caught_cents / fraud_cents
        false_rows = _vague_count(len(existing - self.fraud))
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
    """Return a number of rows as the public benchmark words it."""
    if rows == 0:
        return "no"
    if rows <= 5:
        return "a few"
    if rows <= 10:
        return "up to ten"
    return "more than ten"


def archive_fraud(world: World, case: str) -> Truth:
    """Ask, as an employee, for the fraudulent rows of one export.

    Right: cite exactly the rows of the two to four incidents as `FILE#row=ID`, and
    answer with the total of their amounts.

    Wrong: cite honest payments, such as those of a service desk, a kiosk, or a customer
    before a takeover.
    """
    rng = world.rng
    sign_in_employee(world)
    customers = [
        world.layout.id_of("cust", number) for number in rng.sample(range(1, 400), 200)
    ]
    stores = list(world.stores.values())
    products = list(world.catalogue.products.values())
    draft = ExportDraft(rng, stores, products, customers)

    # The export begins about two years ago. In each month there is at most one incident.
    start = world.clock - timedelta(days=rng.randint(690, 800))
    for number, add_incident in enumerate(rng.sample(INCIDENTS, rng.randint(2, 4))):
        beginning_of_month = start + number * timedelta(days=31)
        add_incident(
            draft, beginning_of_month + timedelta(seconds=rng.randrange(3 * 86_400))
        )
    for number in range(rng.randint(1, 3)):
        _add_everyday_payments(draft, start + number * timedelta(days=35))

    draft.rows.sort(key=lambda row: (row.created_at, row.row_id))
    path = f"{draft.new_id('/archive/payment_batch_export_', 10)}.tsv"
    world.files[path] = export_text(draft.rows)
    amounts = {row.row_id: row.amount_cents for row in draft.rows}
    total = sum(amounts[row_id] for row_id in draft.fraud_ids)
    return Truth(
        instruction=world.say("archive-fraud", path=path),
        message=euros(total),
        records=(path,),
        measure=FraudMeasure(path, amounts, frozenset(draft.fraud_ids)),
        inputs={"path": path},
    )
