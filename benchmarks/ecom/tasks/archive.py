"""Archived payment exports: rows, the incidents hidden among honest look-alikes, the task to find them, and its grade.

Columns and kinds of blocks follow the public benchmark's exports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields
from datetime import datetime, timedelta
from hashlib import blake2b
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.tasks.grader import Truth
from controlplane.benchmarks.ecom.world.company import Product, Store
from controlplane.benchmarks.ecom.world.generator import World, euros, format_instant

LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789"
JITTER: Final = 0.0003
"""Most degrees between the observed place of a payment and its branch."""
TAKEOVER_CENTS: Final = 28_000
"""The least amount of a payment after an account takeover, in cents."""
DAY: Final = timedelta(days=1)
CARD, DEVICE = "pm_arch_", "dev_arch_"


@dataclass(frozen=True, slots=True)
class ExportRow:
    """One archived payment; the fields are the columns, in their order."""

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


def export_text(rows: Iterable[ExportRow]) -> str:
    """Return the table of these rows, separated by tabs, with its header."""
    lines = [
        tuple(column.name for column in fields(ExportRow)),
        *(tuple(map(str, astuple(row))) for row in rows),
    ]
    return "".join("\t".join(line) + "\n" for line in lines)


@dataclass(slots=True)
class ExportDraft:
    """An export in the making: its rows, and those that are fraud."""

    rng: Random
    stores: list[Store]
    products: list[Product]
    customers: list[str]
    """Customers that no block uses yet."""
    rows: list[ExportRow] = field(default_factory=list)
    fraud: set[str] = field(default_factory=set)
    """The row ids of the incidents."""

    def new(self, prefix: str, length: int = 12) -> str:
        """Return a prefix with random letters and digits, such as the fingerprint of a new card or device."""
        return prefix + "".join(self.rng.choices(LETTERS, k=length))

    def customer(self) -> str:
        """Return a customer without a row in the export."""
        return f"arch_{self.customers.pop()}"

    def tour(self, count: int, *, cities: int) -> list[Store]:
        """Return branches one after another, in at least `cities` cities if that many exist.

        Neighbours are in different cities if that is possible.
        """
        by_city: dict[str, list[Store]] = {}
        for store in self.stores:
            by_city.setdefault(store.city, []).append(store)
        names = self.rng.sample(
            sorted(by_city), min(len(by_city), max(cities, min(count, len(by_city))))
        )
        return [self.rng.choice(by_city[names[at % len(names)]]) for at in range(count)]

    def priced(self, is_wanted: Callable[[int], bool]) -> Product:
        """Return a product of a wanted price, or one near it if there is none."""
        found = [product for product in self.products if is_wanted(product.price_cents)]
        by_price = sorted(self.products, key=lambda product: product.price_cents)
        return self.rng.choice(found or (by_price[:3] if is_wanted(0) else by_price[-3:]))

    def add(
        self,
        moment: datetime,
        customer: str,
        store: Store,
        bought: tuple[Product, int],
        *,
        paid_with: tuple[str, str, str],
        is_fraud: bool = False,
    ) -> None:
        """Add a row for a product and its quantity, paid with a card on a device over a channel."""
        card, device, channel = paid_with
        product, count = bought
        latitude, longitude = _place(store)
        row = ExportRow(
            row_id=self.new("AR-", 6),
            archive_payment_id=self.new("ap_", 10),
            created_at=format_instant(moment),
            customer_ref=customer,
            store_ref=f"arch_{store.id}",
            store_city=store.city,
            amount_cents=product.price_cents * count,
            currency="EUR",
            payment_method_fingerprint=card,
            device_fingerprint=device,
            observed_lat=f"{latitude + self.rng.uniform(-JITTER, JITTER):.5f}",
            observed_lon=f"{longitude + self.rng.uniform(-JITTER, JITTER):.5f}",
            sku=product.sku,
            archive_channel=channel,
        )
        self.rows.append(row)
        if is_fraud:
            self.fraud.add(row.row_id)


def _place(store: Store) -> tuple[float, float]:
    """Return a fixed latitude and longitude for a branch, near those of the other branches of its city."""
    city, branch = (
        blake2b(name.encode(), digest_size=2).digest() for name in (store.city, store.id)
    )
    return 47 + city[0] / 64 + branch[0] / 4000, 5 + city[1] / 40 + branch[1] / 4000


def _rapid_burst(draft: ExportDraft, start: datetime) -> None:
    """Add a customer's burst of small payments over many cities, and often its honest twin at a service desk."""
    rng, count = draft.rng, draft.rng.randint(10, 13)
    span = rng.randint(240, 360)
    offsets = [
        timedelta(seconds=second)
        for second in (0, *sorted(rng.sample(range(1, span), count - 2)), span)
    ]
    cards, devices = (draft.new(CARD), draft.new(CARD)), (draft.new(DEVICE), draft.new(DEVICE))
    customer = draft.customer()
    for offset, store in zip(offsets, draft.tour(count, cities=4), strict=True):
        pair = rng.randrange(2)
        paid = (cards[pair], devices[pair], "mobile_app")
        bought = (draft.priced(lambda cents: cents < 7_000), 1)
        draft.add(start + offset, customer, store, bought, paid_with=paid, is_fraud=True)
    if (
        rng.random() < 0.7
    ):  # A service desk takes for one account: one device, another card each time.
        customer, device = draft.customer(), draft.new(DEVICE)
        for offset, store in zip(offsets, draft.tour(count, cities=4), strict=True):
            paid = (draft.new(CARD), device, "service_desk")
            draft.add(
                start + DAY + offset,
                customer,
                store,
                (rng.choice(draft.products), 1),
                paid_with=paid,
            )


def _device_ring(draft: ExportDraft, start: datetime) -> None:
    """Add five customers' payments from one device, and often the honest twin at a kiosk."""

    def five_customers(start: datetime, channel: str) -> None:
        device = draft.new(DEVICE)
        for at, store in enumerate(draft.tour(5, cities=3)):
            paid = (draft.new(CARD), device, channel)
            bought = (draft.priced(lambda cents: cents >= TAKEOVER_CENTS), 1)
            moment = start + at * timedelta(seconds=510)
            draft.add(
                moment, draft.customer(), store, bought, paid_with=paid, is_fraud=channel == "web"
            )

    five_customers(start, "web")
    if draft.rng.random() < 0.7:
        five_customers(start + DAY, "store_kiosk")


def _account_takeover(draft: ExportDraft, start: datetime) -> None:
    """Add a customer's honest daily history, and then a night of expensive payments from a new device."""
    rng = draft.rng
    customer = draft.customer()
    cards, devices = (draft.new(CARD), draft.new(CARD)), (draft.new(DEVICE), draft.new(DEVICE))
    morning = start.replace(hour=9, minute=0)
    days = rng.randint(6, 14)
    for day in range(days):
        moment = morning + day * DAY + timedelta(seconds=rng.randrange(9 * 3600))
        paid = (
            rng.choice(cards),
            rng.choice(devices),
            rng.choice(("web", "web", "store_terminal")),
        )
        bought = (rng.choice(draft.products), rng.randint(1, 2))
        draft.add(moment, customer, rng.choice(draft.stores), bought, paid_with=paid)
    night = (morning + (days + rng.randint(0, 9)) * DAY).replace(
        hour=rng.randint(1, 4), minute=rng.randrange(60)
    )
    device = draft.new(DEVICE)
    alternating = rng.choice(((cards[0],), (cards[0], draft.new(CARD))))
    for at, store in enumerate(draft.tour(rng.randint(5, 6), cities=3)):
        night += timedelta(seconds=rng.randint(180, 700)) if at else timedelta(0)
        paid = (alternating[at % len(alternating)], device, rng.choice(("web", "mobile_app")))
        product = rng.choice(draft.products)
        times = -(-TAKEOVER_CENTS // product.price_cents)
        bought = (product, times if rng.random() < 0.85 else times + 1)
        draft.add(night, customer, store, bought, paid_with=paid, is_fraud=True)


def _equal_amounts(draft: ExportDraft, start: datetime) -> None:
    """Add a customer's slow run of the same article for the same amount in one city after another."""
    rng = draft.rng
    customer, bought = draft.customer(), (draft.priced(lambda cents: cents >= 19_000), 1)
    cards, devices = (draft.new(CARD), draft.new(CARD)), (draft.new(DEVICE), draft.new(DEVICE))
    moment = start
    for at, store in enumerate(draft.tour(rng.randint(4, 5), cities=4)):
        paid = (cards[at % 2], devices[at // 2 % 2], "web")
        draft.add(moment, customer, store, bought, paid_with=paid, is_fraud=True)
        moment += timedelta(seconds=rng.randint(600, 1500))


def _everyday_payments(draft: ExportDraft, start: datetime) -> None:
    """Add ordinary payments over some weeks; two payments of one customer are hours or days apart."""
    rng = draft.rng
    for _ in range(rng.randint(6, 16)):
        customer, card = draft.customer(), draft.new(CARD)
        devices = [draft.new(DEVICE) for _ in range(rng.randint(1, 2))]
        moment = start + timedelta(seconds=rng.randrange(20 * 86_400))
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            channel = rng.choice(("web", "web", "store_terminal", "store_terminal", "mobile_app"))
            bought = (rng.choice(draft.products), rng.randint(1, 2))
            paid = (card, rng.choice(devices), channel)
            draft.add(moment, customer, rng.choice(draft.stores), bought, paid_with=paid)
            moment += timedelta(seconds=rng.randint(2 * 3600, 3 * 86_400))


INCIDENTS: Final = (_rapid_burst, _device_ring, _account_takeover, _equal_amounts)


@dataclass(frozen=True)
class FraudMeasure:
    """Grades the rows that an answer cites: recall by amount, times the share of the cited amount that is fraud.

    The public benchmark scores recall by amount; the share, as the cost of a false row, is our choice. A row that does
    not exist, and a total that is neither that of the cited rows nor the right one, cost the whole score.
    """

    file: str
    """The export, whose rows answers cite as `FILE#row=ID`."""
    amounts: Mapping[str, int]
    """The cents of every row by its id."""
    fraud: frozenset[str]
    """The ids of the fraudulent rows."""

    def measure(self, message: str, refs: Sequence[str]) -> tuple[float, tuple[str, ...]]:
        """Return the score of the cited rows, 0 to 1, and lines that explain the score."""
        prefix = f"{self.file}#row="
        cited = {ref.removeprefix(prefix) for ref in refs if ref.startswith(prefix)}
        existing = cited & self.amounts.keys()
        total, given, caught = (
            sum(self.amounts[row] for row in rows)
            for rows in (self.fraud, existing, existing & self.fraud)
        )
        stated, faults = message.strip(), list[str]()
        if stated not in (euros(total), euros(given)):
            faults.append(f"answer is not the sum of the cited rows, {euros(given)}, alone")
        if cited - existing:
            faults.append(f"{len(cited - existing)} cited rows do not exist")
        lines = [
            f"answer amount {'matched' if stated == euros(total) else 'mismatch'}",
            f"archive fraud refs recovered ~{caught / total:.0%} EUR from fraud amount, and also marked "
            f"{_how_many(len(existing - self.fraud))} payments as false positives.",
        ]
        return caught / total * caught / given if given and not faults else 0.0, (*lines, *faults)


def _how_many(count: int) -> str:
    """Return a number of rows in the words of the public benchmark, which says `a few` of none, too."""
    return (
        "no"
        if not count
        else "a few"
        if count <= 5
        else "up to ten"
        if count <= 10
        else "more than ten"
    )


def archive_fraud(world: World, variant: int) -> Truth:
    """Request the fraudulent rows of one export: two to four incidents of different kinds among everyday payments."""
    rng = world.rng
    world.sign_in_employee()
    customers = [world.layout.id_of("cust", number) for number in rng.sample(range(1, 400), 200)]
    draft = ExportDraft(
        rng, list(world.stores.values()), list(world.catalogue.products.values()), customers
    )
    start = world.clock - timedelta(days=rng.randint(690, 800))
    for at, incident in enumerate(rng.sample(INCIDENTS, rng.randint(2, 4))):
        incident(
            draft, start + at * timedelta(days=31) + timedelta(seconds=rng.randrange(3 * 86_400))
        )
    for at in range(rng.randint(1, 3)):
        _everyday_payments(draft, start + at * timedelta(days=35))
    draft.rows.sort(key=lambda row: (row.created_at, row.row_id))
    path = f"{draft.new('/archive/payment_batch_export_', 10)}.tsv"
    world.files[path] = export_text(draft.rows)
    amounts = {row.row_id: row.amount_cents for row in draft.rows}
    return Truth(
        instruction=world.say("archive-fraud", path=path),
        message=euros(sum(amounts[row_id] for row_id in draft.fraud)),
        records=(path,),
        measure=FraudMeasure(path, amounts, frozenset(draft.fraud)),
        inputs={"path": path},
    )
