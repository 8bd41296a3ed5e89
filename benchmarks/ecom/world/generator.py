"""Generates a world from a seed, and turns it into the workspace of a trial."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from random import Random
from typing import Final

from pydantic_core import to_json

from benchmarks.ecom.runtime.workspace import CallLimits, RenderedFiles, Workspace
from benchmarks.ecom.world import company, pages
from benchmarks.ecom.world.catalogue import Catalogue, choose_catalogue
from benchmarks.ecom.world.company import MIXED, Layout, WorldNames, choose_names
from benchmarks.ecom.world.shop_records import (
    ABANDONED,
    ACTIVE,
    CHECKED_OUT,
    Basket,
    Employee,
    Payment,
    Product,
    Record,
    Return,
    Stock,
    Store,
    Verification,
)
from sandbox.interface import Plain

RETURN_STATES: Final = ("requested", "approved", "rejected", "refund_pending", "closed", "approved") * 4
CHALLENGES: Final = ("challenge_open", "challenge_abandoned", "challenge_timed_out")
EXPERT: Final = "expert"


@dataclass(frozen=True, slots=True)
class Profile:
    """The settings of a profile."""

    sql_is_up: bool = False
    products: int = 100
    has_addenda: bool = False
    """True if dated notices override pages."""
    has_decoys: bool = False
    """True if an outdated copy and a rumour contradict pages."""
    limits: CallLimits = field(default_factory=CallLimits)


PROFILES: Final[Mapping[str, Profile]] = {
    "dev": Profile(sql_is_up=True, products=1_000, has_addenda=True),
    "prod": Profile(),
    "hard": Profile(
        products=400,
        has_addenda=True,
        has_decoys=True,
        limits=CallLimits(listed=60, read_lines=160, timeout_share=0.02, tool_ms=20),
    ),
    # The calls that a request may take in the profile `expert`, told by a notice: enough to read every record once.
    EXPERT: Profile(products=400, has_addenda=True, has_decoys=True, limits=CallLimits(calls=1_000)),
}


@dataclass(frozen=True, slots=True)
class WorldSettings:
    """The user's choices for the worlds of a run."""

    profile: str = "prod"
    names: str = MIXED
    """`own`, `public`, `random`, or `mixed` for one of them by the seed."""
    wordings: str = pages.KNOWN
    """`unseen` for the wordings of requests and documents that are held out, `known` for those that rules are written
    for, `mixed` for all."""


DEFAULTS: Final = WorldSettings()
PLAYED: Final = WorldSettings(wordings=pages.UNSEEN)
"""The default of a run: wordings that no rule is written for."""


def format_instant(moment: datetime) -> str:
    """Return an instant in the format of records, such as `2027-03-04T10:20:30Z`."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(slots=True)
class World:
    """A generated world, which a family may adapt to its task."""

    rng: Random
    names: WorldNames
    """The names of everything: paths, fields, states, verbs and documents are rendered with them."""
    policy: company.Policy
    catalogue: Catalogue
    stores: dict[str, Store]
    employees: dict[str, Employee]
    origin: Mapping[str, str]
    clock: datetime
    notices: pages.Notices
    numbers: list[int]
    """Unused id numbers, shuffled so that an id reveals nothing about its origin."""
    baskets: dict[str, Basket] = field(default_factory=dict)
    payments: dict[str, Payment] = field(default_factory=dict)
    returns: dict[str, Return] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    """Files other than records and documents, such as uploads."""
    remarks: dict[str, dict[str, Plain]] = field(default_factory=dict)
    """Further fields of records, by path."""
    directories: list[str] = field(default_factory=list)
    user: str = "anonymous"
    roles: tuple[str, ...] = ("guest",)
    profile: Profile = field(default_factory=Profile)
    flat_paths_resolve: bool = False

    @property
    def layout(self) -> Layout:
        """The paths of records, and the form of their ids."""
        return self.names.layout

    def say(self, name: str, /, **values: object) -> str:
        """Return one of the wordings of a request, of the half that this world uses, with its values."""
        return self.rng.choice(pages.wordings()[name].of(self.names.wordings)).format(**values)

    def new_id(self, prefix: str) -> str:
        """Return an unused id."""
        return self.layout.id_of(prefix, self.numbers.pop())

    def path(self, record: Record) -> str:
        """Return the path of a record's file."""
        return self.layout.path_of(record)

    def text(self, record: Record, **changed: Plain) -> str:
        """Return the text of a record's file, with some fields `changed`; both by the names of the code."""
        shown = self.names.records.in_file_names({**record.data(), **changed})
        if self.remarks:
            shown |= self.remarks.get(self.path(record), {})
        return to_json(shown, indent=2).decode() + "\n"  # as `record_text`, in a tenth of its time

    def ago(self, *, days: float = 0, minutes: float = 0) -> str:
        """Return an instant before the world's clock, in the format of records."""
        return format_instant(self.clock - timedelta(days=days, minutes=minutes))

    def add_basket(self, customer_id: str, store: Store, lines: dict[str, int], *, status: str = ACTIVE) -> Basket:
        """Add a basket that is some days old."""
        basket = Basket(
            self.new_id("basket"), customer_id, store.id, status, self.ago(days=self.rng.uniform(1, 25)), lines
        )
        self.baskets[basket.id] = basket
        return basket

    def add_payment(self, basket: Basket, *, status: str = "paid") -> Payment:
        """Add the payment for a basket, at today's prices."""
        payment = Payment(
            id=self.new_id("pay"),
            basket_id=basket.id,
            customer_id=basket.customer_id,
            store_id=basket.store_id,
            amount_cents=self.subtotal(basket),
            status=status,
            created_at=self.ago(days=self.rng.uniform(0.1, 0.9)),
        )
        self.payments[payment.id] = payment
        return payment

    def add_return(self, payment: Payment, *, status: str) -> Return:
        """Add a return for a payment."""
        entered = Return(
            id=self.new_id("return"),
            customer_id=payment.customer_id,
            payment_id=payment.id,
            status=status,
            reason_code=self.rng.choice(self.names.return_reasons),
            created_at=self.ago(minutes=self.rng.uniform(5, 100)),
        )
        self.returns[entered.id] = entered
        return entered

    def sign_in_customer(self) -> str:
        """Sign in a new customer and return the id."""
        self.user, self.roles = self.new_id("cust"), ("customer",)
        return self.user

    def sign_in_employee(self, *, store: Store | None = None, role: str = "", without: str = "") -> Employee:
        """Sign in a member of staff who has `role` and lacks the role `without`."""
        staff = [employee for employee in self.employees.values() if store is None or employee.store_id == store.id]
        employee = self.rng.choice(staff)
        if role and role not in employee.roles:
            employee.roles.append(role)
        if without in employee.roles:
            employee.roles.remove(without)
        self.user, self.roles = employee.id, tuple(employee.roles)
        return employee

    def sign_in_anyone(self, *, or_guest: bool = False) -> None:
        """Sign in a customer or a member of staff, for a question that both may ask, or nobody if guests may, too."""
        drawn = self.rng.random()
        if drawn < 0.6 - 0.15 * or_guest:
            self.sign_in_customer()
        elif drawn >= 0.6 or not or_guest:
            self.sign_in_employee()

    def some_store(self, *, is_open: bool | None = None) -> Store:
        """Return some branch; `is_open` restricts the choice."""
        return self.rng.choice([store for store in self.stores.values() if is_open in (None, store.is_open)])

    def nickname(self, store: Store) -> str:
        """Return one of the names that people give the branch."""
        return self.rng.choice(company.nicknames(store))

    def some_products(self, count: int) -> list[Product]:
        """Return different products that need stock."""
        return self.rng.sample(self.catalogue.shelf, count)

    def set_available(
        self, store: Store, sku: str, available: int, *, incoming: Iterable[tuple[int, int]] = ()
    ) -> None:
        """Give the branch a stock row with exactly `available` units to sell today."""
        reserved = self.rng.randint(0, 4)
        store.inventory[sku] = Stock(available + reserved, reserved, list(incoming))
        store.inventory = dict(sorted(store.inventory.items()))

    def stocked_lines(self, store: Store, count: int) -> dict[str, int]:
        """Return basket lines that the branch can sell today in full."""
        lines = {}
        for product in self.some_products(count):
            lines[product.sku] = self.rng.randint(1, 3)
            self.set_available(store, product.sku, lines[product.sku] + self.rng.randint(0, 5))
        return lines

    def products_of(self, basket: Basket) -> list[Product]:
        """Return the products of a basket's lines."""
        return [self.catalogue.products[sku] for sku in basket.lines]

    def lines_and_branch(self, *baskets: Basket) -> tuple[str, ...]:
        """Return the paths of the products and branches of baskets, which answers about the baskets may cite."""
        return tuple(
            path for basket in baskets for path in self.paths(self.stores[basket.store_id], *self.products_of(basket))
        )

    def documents(self, *keys: str) -> tuple[str, ...]:
        """Return the paths of documents, given by their keys."""
        return tuple(map(self.names.documents.__getitem__, keys))

    def paths(self, *records: Record) -> tuple[str, ...]:
        """Return the paths of records."""
        return tuple(map(self.path, records))

    def subtotal(self, basket: Basket) -> int:
        """Return the price of the basket's lines in cents."""
        return sum(self.catalogue.products[sku].price_cents * count for sku, count in basket.lines.items())

    def workspace(self) -> Workspace:
        """Return the world as the workspace of a trial; record files are rendered when they are first read."""
        sources: dict[str, str | Callable[[], str]] = {
            **pages.documents(self.notices.stated, self.names, self.origin, self.notices.rule),
            **dict(self.notices.files),
        }
        for family in (
            self.catalogue.products,
            self.stores,
            self.baskets,
            self.payments,
            self.returns,
            self.employees,
        ):
            for record in family.values():
                sources[self.path(record)] = partial(self.text, record)
        sources.update(self.files)
        return Workspace(
            files=RenderedFiles(sources),
            directories=(*self.names.directories, *self.directories),
            roots=self.layout.roots,
            names=self.names.records,
            clock=self.clock,
            security_document=self.names.documents[pages.SECURITY],
            uploads=self.names.uploads,
            user=self.user,
            roles=self.roles,
            verification_delay=timedelta(minutes=self.policy.verification_delay_min),
            sql_is_up=self.profile.sql_is_up,
            limits=self.profile.limits,
            flat_paths_resolve=self.flat_paths_resolve,
        )


def _stock(rng: Random) -> Stock:
    shape = rng.random()
    if shape < 0.55:
        return Stock(rng.randint(3, 16), rng.randint(0, 3))
    if shape < 0.75:
        held = rng.randint(1, 6)
        return Stock(held, held, [(rng.randint(1, 8), rng.randint(1, 14))] if rng.random() < 0.3 else [])
    return Stock(rng.randint(0, 2), 0, [(rng.randint(2, 9), rng.randint(1, 14))] if rng.random() < 0.7 else [])


def _populate(world: World) -> None:
    """Stock the branches, and add everyday baskets, payments and returns in every state that exists."""
    rng = world.rng
    shelf = [product.sku for product in world.catalogue.shelf]
    for store in world.stores.values():
        for sku in sorted(rng.sample(shelf, rng.randint(35, 45))):
            store.inventory[sku] = _stock(rng)
    customers = [world.new_id("cust") for _ in range(40)]
    stores, every = list(world.stores.values()), list(world.catalogue.products)

    def entered(status: str) -> Basket:
        lines = {sku: rng.randint(1, 3) for sku in rng.sample(every, rng.randint(1, 4))}
        return world.add_basket(rng.choice(customers), rng.choice(stores), lines, status=status)

    for status, count in ((ACTIVE, 26), (ABANDONED, 21)):
        for _ in range(count):
            entered(status)
    payments = [world.add_payment(entered(CHECKED_OUT)) for _ in range(43)]
    for payment, status in zip(payments, RETURN_STATES, strict=False):
        world.add_return(payment, status=status)
    for payment, state in zip(reversed(payments), CHALLENGES * 3, strict=False):
        limit = world.policy.verification_attempts
        after = format_instant(world.clock + timedelta(minutes=rng.randint(-300, 50)))
        payment.status = "awaiting_verification"
        payment.verification = Verification(state, rng.randint(1, limit), limit, after)


def generate(seed: str, settings: WorldSettings = DEFAULTS) -> World:
    """Return the world of a seed; a seed gives the same world on every machine."""
    rng = Random(seed)
    names = choose_names(Random(f"names|{seed}"), settings.names, settings.wordings)
    profile = PROFILES[settings.profile]
    policy = company.choose_policy(rng, names, company.choose_rates(Random(f"rates|{seed}")))
    stores = company.choose_stores(rng, names.layout)
    numbers = list(range(1, 1000))
    rng.shuffle(numbers)
    day = datetime(2027, 1, 4, tzinfo=UTC) + timedelta(days=rng.randrange(700), seconds=rng.randrange(28_800, 61_200))
    notices = pages.Notices(policy)
    if profile.has_addenda:
        drawn = Random(f"notices|{seed}")
        notices = pages.choose_notices(drawn, policy, names, day.date(), with_decoys=profile.has_decoys)
    world = World(
        rng=rng,
        names=names,
        policy=policy,
        catalogue=choose_catalogue(Random(f"catalogue|{seed}"), profile.products),
        stores=stores,
        employees=company.choose_employees(rng, names, policy, stores),
        origin=company.choose_origin(rng, stores),
        clock=day,
        notices=notices,
        numbers=numbers,
        profile=profile,
        flat_paths_resolve=rng.random() < 0.3,
    )
    _populate(world)
    if calls := profile.limits.calls:
        since = (day - timedelta(days=rng.randint(70, 90))).date().isoformat()
        text = world.say("notice-calls", day=since, calls=calls)
        world.files[f"{names.notices}/{since}-calls.md"] = f"# Notice of {since}\n\n{text}\n"
    world.rng = Random(f"tasks|{seed}")  # A task draws the same, however much the world holds.
    return world
