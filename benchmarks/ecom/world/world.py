"""A generated world: its records, files and notices, and who asks. A family of tasks adapts it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from random import Random

from pydantic_core import to_json

from controlplane.benchmarks.ecom.workspace import RenderedFiles, Workspace
from controlplane.benchmarks.ecom.world.catalogue import Catalogue
from controlplane.benchmarks.ecom.world.company import Policy, nicknames
from controlplane.benchmarks.ecom.world.names import Layout, WorldNames
from controlplane.benchmarks.ecom.world.notices import Notices
from controlplane.benchmarks.ecom.world.pages import SECURITY, documents
from controlplane.benchmarks.ecom.world.records import (
    ACTIVE,
    Basket,
    Delivery,
    Employee,
    Payment,
    Product,
    Record,
    Return,
    Stock,
    Store,
)
from controlplane.benchmarks.ecom.world.settings import Profile
from controlplane.benchmarks.ecom.world.wordings import wordings
from controlplane.sandbox.interface import Plain


def format_instant(moment: datetime) -> str:
    """Return a time in the format of records: `2027-03-04T10:20:30Z`."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(slots=True)
class World:
    """A generated world: a shop on one day, and the user who asks.

    Created for each trial. A family of tasks then adds records, changes stock and signs
    a user in.
    """

    rng: Random
    """The source of all random choices of a task, which are made in a fixed order."""
    names: WorldNames
    """The names of everything: paths, fields, states, verbs and documents."""
    policy: Policy
    catalogue: Catalogue
    stores: dict[str, Store]
    """The branches, by id."""
    employees: dict[str, Employee]
    """The members of staff, by id."""
    origin: Mapping[str, str]
    """Facts about the company's history, from `choose_origin`."""
    clock: datetime
    """The world's time in UTC, which stands still."""
    notices: Notices
    numbers: list[int]
    """Unused id numbers, shuffled so that an id does not show when its record was created."""
    baskets: dict[str, Basket] = field(default_factory=dict)
    payments: dict[str, Payment] = field(default_factory=dict)
    returns: dict[str, Return] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    """Files other than records and documents, such as uploads."""
    remarks: dict[str, dict[str, Plain]] = field(default_factory=dict)
    """Additional fields of records, by path."""
    directories: list[str] = field(default_factory=list)
    """Directories in addition to those that every world has."""
    user: str = "anonymous"
    """The id of the user who asks."""
    roles: tuple[str, ...] = ("guest",)
    """The roles of that user."""
    profile: Profile = field(default_factory=Profile)
    """How difficult the world is."""
    flat_paths_resolve: bool = False
    """True if a record in a sub-directory can also be read by a path directly below its root."""

    @property
    def layout(self) -> Layout:
        """The paths of records and the form of their ids."""
        return self.names.layout

    # Words, ids and paths.

    def say(self, name: str, /, **values: object) -> str:
        """Return a random wording of a request, from the set of wordings that this world uses."""
        templates = wordings()[name].of(self.names.wordings)
        return self.rng.choice(templates).format(**values)

    def new_id(self, prefix: str) -> str:
        """Return an unused id."""
        return self.layout.id_of(prefix, self.numbers.pop())

    def path(self, record: Record) -> str:
        """Return the path of a record's file."""
        return self.layout.path_of(record)

    def paths(self, *records: Record) -> tuple[str, ...]:
        """Return the paths of records."""
        return tuple(self.path(record) for record in records)

    def documents(self, *keys: str) -> tuple[str, ...]:
        """Return the paths of documents, given by their keys."""
        return tuple(self.names.documents[key] for key in keys)

    def lines_and_branch(self, *baskets: Basket) -> tuple[str, ...]:
        """Return the paths of the products and branches of baskets, which answers may cite."""
        paths: list[str] = []
        for basket in baskets:
            paths.append(self.path(self.stores[basket.store_id]))
            paths += self.paths(*self.products_of(basket))
        return tuple(paths)

    def text(self, record: Record, **changed: Plain) -> str:
        """Return the text of a record's file. `changed` replaces fields, by the code's names."""
        data = {**record.data(), **changed}
        shown = self.names.records.in_shown_names(data)
        if self.remarks:
            shown |= self.remarks.get(self.path(record), {})
        # This gives the same text as `record_text` in a tenth of the time.
        return to_json(shown, indent=2).decode() + "\n"

    def ago(self, *, days: float = 0, minutes: float = 0) -> str:
        """Return a time before the world's clock, in the format of records."""
        return format_instant(self.clock - timedelta(days=days, minutes=minutes))

    # New records.

    def add_basket(
        self,
        customer_id: str,
        store: Store,
        lines: dict[str, int],
        *,
        status: str = ACTIVE,
    ) -> Basket:
        """Add a basket that was created up to 25 days ago."""
        basket_id = self.new_id("basket")
        created_at = self.ago(days=self.rng.uniform(1, 25))
        basket = Basket(basket_id, customer_id, store.id, status, created_at, lines)
        self.baskets[basket.id] = basket
        return basket

    def add_payment(self, basket: Basket, *, status: str = "paid") -> Payment:
        """Add the payment for a basket at current prices."""
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
        returned = Return(
            id=self.new_id("return"),
            customer_id=payment.customer_id,
            payment_id=payment.id,
            status=status,
            reason_code=self.rng.choice(self.names.return_reasons),
            created_at=self.ago(minutes=self.rng.uniform(5, 100)),
        )
        self.returns[returned.id] = returned
        return returned

    # Who asks.

    def sign_out(self) -> None:
        """Make the user a guest."""
        self.user = "anonymous"
        self.roles = ("guest",)

    def sign_in_customer(self) -> str:
        """Sign in a new customer and return the id."""
        self.user = self.new_id("cust")
        self.roles = ("customer",)
        return self.user

    def sign_in_employee(
        self, *, store: Store | None = None, role: str = "", without: str = ""
    ) -> Employee:
        """Sign in a random employee, who gets `role` and loses the role `without`.

        With `store`, the employee works at this branch.
        """
        staff = list(self.employees.values())
        if store is not None:
            staff = [employee for employee in staff if employee.store_id == store.id]
        employee = self.rng.choice(staff)
        if role and role not in employee.roles:
            employee.roles.append(role)
        if without in employee.roles:
            employee.roles.remove(without)
        self.user = employee.id
        self.roles = tuple(employee.roles)
        return employee

    def sign_in_anyone(self, *, or_guest: bool = False) -> None:
        """Sign in a random user: a customer, an employee or, with `or_guest`, nobody.

        Of 100 users, 40 are employees. With `or_guest`, 15 of the other 60 stay guests.
        """
        draw = self.rng.random()
        is_employee = draw >= 0.6
        stays_guest = or_guest and 0.45 <= draw < 0.6
        if is_employee:
            self.sign_in_employee()
        elif not stays_guest:
            self.sign_in_customer()

    # Branches, products and stock.

    def some_store(self, *, is_open: bool | None = None) -> Store:
        """Return a random branch; `is_open` restricts the choice."""
        stores = list(self.stores.values())
        if is_open is not None:
            stores = [store for store in stores if store.is_open == is_open]
        return self.rng.choice(stores)

    def nickname(self, store: Store) -> str:
        """Return a random nickname of the branch."""
        return self.rng.choice(nicknames(store))

    def some_products(self, count: int) -> list[Product]:
        """Return different random products that need stock."""
        return self.rng.sample(self.catalogue.shelf, count)

    def products_of(self, basket: Basket) -> list[Product]:
        """Return the products in a basket."""
        return [self.catalogue.products[sku] for sku in basket.lines]

    def subtotal(self, basket: Basket) -> int:
        """Return the price of a basket's lines in cents."""
        return self.price_of(basket.lines)

    def price_of(self, lines: Mapping[str, int]) -> int:
        """Return the price of products in cents, from their quantities by SKU."""
        total = 0
        for sku, count in lines.items():
            total += self.catalogue.products[sku].price_cents * count
        return total

    def set_available(
        self,
        store: Store,
        sku: str,
        available: int,
        *,
        incoming: Iterable[Delivery] = (),
    ) -> None:
        """Give the branch a stock row with exactly `available` units for sale today."""
        reserved = self.rng.randint(0, 4)
        store.inventory[sku] = Stock(available + reserved, reserved, list(incoming))
        store.inventory = dict(sorted(store.inventory.items()))

    def stocked_lines(self, store: Store, count: int) -> dict[str, int]:
        """Return random basket lines that the branch has in stock."""
        lines = {}
        for product in self.some_products(count):
            quantity = self.rng.randint(1, 3)
            lines[product.sku] = quantity
            self.set_available(store, product.sku, quantity + self.rng.randint(0, 5))
        return lines

    # The trial's view.

    def workspace(self) -> Workspace:
        """Return the world as the workspace of a trial.

        Files of records and pages are generated when they are first read.
        """
        pages = documents(
            self.notices.stated, self.names, self.origin, self.notices.rule
        )
        sources: dict[str, str | Callable[[], str]] = {**pages}
        sources.update(self.notices.files)
        for record in self._records():
            sources[self.path(record)] = partial(self.text, record)
        sources.update(self.files)
        return Workspace(
            files=RenderedFiles(sources),
            directories=(*self.names.directories, *self.directories),
            roots=self.layout.roots,
            names=self.names.records,
            clock=self.clock,
            security_document=self.names.documents[SECURITY],
            uploads=self.names.uploads,
            user=self.user,
            roles=self.roles,
            verification_delay=timedelta(minutes=self.policy.verification_delay_min),
            sql_is_up=self.profile.sql_is_up,
            limits=self.profile.limits,
            flat_paths_resolve=self.flat_paths_resolve,
        )

    def _records(self) -> list[Record]:
        return [
            *self.catalogue.products.values(),
            *self.stores.values(),
            *self.baskets.values(),
            *self.payments.values(),
            *self.returns.values(),
            *self.employees.values(),
        ]
