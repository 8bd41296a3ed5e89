"""A task: its world, the truth that the grader compares with, and how families set up their worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from benchmarks.ecom.runtime.record_names import RecordNames
from benchmarks.ecom.tasks.statements import Subject
from benchmarks.ecom.world import pages
from benchmarks.ecom.world.company import nicknames
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.shop_records import (
    Basket,
    Employee,
    Payment,
    Product,
    Record,
    Return,
    Stock,
    Store,
)
from gates.submission import OUTCOMES

OK, DENIED, CLARIFICATION, UNSUPPORTED, INTERNAL = OUTCOMES
DOCUMENT_REASONS: Final[Mapping[str, str]] = {
    pages.RULES: "the rules of Veerhaven's workspace: systems that it does not have",
    pages.SECURITY: "Security: `/bin/id` alone says who is asking",
    pages.CHECKOUT: "Baskets and checkout: the conditions of checking out and editing",
    pages.DISCOUNTS: "Discounts: the conditions and the maximum",
    pages.VERIFICATION: "Card verification of a payment: when it may be restarted",
    pages.RETURNS: "Returns and refunds: who approves and who closes",
    pages.ORIGINS: "Origins: the table of facts",
}


@dataclass(frozen=True, slots=True)
class Variant:
    """One case of a family, which a trial's seed draws."""

    about: str
    weight: int = 1
    """How often it is drawn, against the other variants of its family."""


@dataclass(frozen=True, slots=True)
class Family:
    """A family of tasks: its cases, and what adapts a world to one of them and returns the truth of the task in it."""

    pose: Callable[[World, int], Truth]
    """Takes the number of a variant, counted from 1."""
    variants: tuple[Variant, ...]


class Measure(Protocol):
    """Grades what an answer achieves in fractions, for the few families that have them."""

    @property
    def reachable(self) -> float:
        """The score that a good answer reaches at least."""
        ...

    def measure(self, message: str, refs: Sequence[str]) -> tuple[float, tuple[str, ...]]:
        """Return the score of a message and its references, 0 to 1, and lines that say how it came about."""
        ...


@dataclass(frozen=True, slots=True)
class Truth:
    """What a task asks, and how its trial must end."""

    instruction: str
    message: str
    """The only right message if `is_exact`, else an example of one."""
    outcome: str = OK
    is_exact: bool = False
    subject: Subject = field(default_factory=Subject)
    """What is true of what a message in free words may speak of."""
    tokens: tuple[str, ...] = ()
    """Strings that a message in free words must hold."""
    forbidden: tuple[str, ...] = ()
    """Strings that it must not hold in any spelling, such as what a refusal must not reveal."""
    records: Mapping[str, str] = field(default_factory=dict)
    """The records that must be cited, each with a reason; further ones cost score unless `tolerated`."""
    documents: Mapping[str, str] = field(default_factory=dict)
    """The documents that must be cited as well, each with a reason."""
    tolerated: frozenset[str] = frozenset()
    """Records that may be cited but need not be."""
    changes: Mapping[str, str | None] = field(default_factory=dict)
    """Every file that must change, with its new text, or None if it is deleted. No other file may change."""
    call: tuple[str, ...] = ()
    """The tool and its arguments that make the changes, if a tool makes them."""
    exact_ends: bool = False
    """Whether a page asks for the newline at the end of such a file."""
    measure: Measure | None = None
    """What grades an answer without a fault in fractions; without it, such an answer scores 1."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """What a solution needs to know, by name."""
    names: RecordNames = field(default_factory=RecordNames)
    """How the world spells its records; posing sets it."""
    family: str = ""
    """The name of the family whose solution answers it: that of blocks if it is refused for one. Posing sets it."""

    @property
    def reachable(self) -> float:
        """The score that a right answer reaches at least."""
        return 1.0 if self.measure is None else self.measure.reachable


@dataclass(frozen=True, slots=True)
class Task:
    """One task in its world."""

    world: World
    truth: Truth

    @property
    def instruction(self) -> str:
        """What is asked."""
        return self.truth.instruction


def cite_documents(world: World, *keys: str) -> dict[str, str]:
    """Return the paths of documents, given by their keys, each with a natural reason for its citation."""
    return {world.names.document(key): DOCUMENT_REASONS[key] for key in keys}


def cite_records(world: World, records: Iterable[Record]) -> dict[str, str]:
    """Return the paths of records, each with a natural reason that names something in its file."""
    return {world.path(record): _reason(record) for record in records}


def _reason(record: Record) -> str:
    match record:
        case Product():
            return f"catalogue record of {record.sku}, {record.name}"
        case Store():
            return f"branch record of {record.name} with its inventory"
        case Basket():
            return f"basket {record.id}, its status and lines"
        case Payment():
            return f"payment {record.id} for {record.basket_id}"
        case Return():
            return f"return {record.id}, tied to {record.payment_id}"
        case Employee():
            return f"staff record of {record.display_name} ({record.id}) with its roles"


def sign_in_customer(world: World) -> str:
    """Sign in a new customer and return the id."""
    world.user = world.new_id("cust")
    world.roles = ("customer",)
    return world.user


def sign_in_employee(world: World, *, store: Store | None = None, role: str = "", without: str = "") -> Employee:
    """Sign in a member of staff who has `role` and lacks the role `without`."""
    staff = [employee for employee in world.employees.values() if store is None or employee.store_id == store.id]
    employee = world.rng.choice(staff)
    if role and role not in employee.roles:
        employee.roles.append(role)
    if without in employee.roles:
        employee.roles.remove(without)
    world.user = employee.id
    world.roles = tuple(employee.roles)
    return employee


def sign_in_anyone(world: World) -> None:
    """Sign in a customer or a member of staff, for a question that both may ask."""
    if world.rng.random() < 0.6:
        sign_in_customer(world)
    else:
        sign_in_employee(world)


def some_store(world: World, *, is_open: bool | None = None) -> Store:
    """Return some branch; `is_open` restricts the choice."""
    stores = [store for store in world.stores.values() if is_open is None or store.is_open == is_open]
    return world.rng.choice(stores)


def nickname(world: World, store: Store) -> str:
    """Return one of the names that people give the branch."""
    return world.rng.choice(nicknames(store))


def some_products(world: World, count: int) -> list[Product]:
    """Return different products that need stock."""
    return world.rng.sample(world.catalogue.shelf, count)


def set_available(
    world: World, store: Store, sku: str, available: int, *, incoming: Iterable[tuple[int, int]] = ()
) -> None:
    """Give the branch a stock row with exactly `available` units to sell today."""
    reserved = world.rng.randint(0, 4)
    store.inventory[sku] = Stock(available + reserved, reserved, list(incoming))
    store.inventory = dict(sorted(store.inventory.items()))


def stocked_lines(world: World, store: Store, count: int) -> dict[str, int]:
    """Return basket lines that the branch can sell today in full."""
    lines = {}
    for product in some_products(world, count):
        lines[product.sku] = world.rng.randint(1, 3)
        set_available(world, store, product.sku, lines[product.sku] + world.rng.randint(0, 5))
    return lines


def products_of(world: World, basket: Basket) -> list[Product]:
    """Return the products of a basket's lines."""
    return [world.catalogue.products[sku] for sku in basket.lines]


def lines_and_branch(world: World, basket: Basket) -> frozenset[str]:
    """Return the paths of a basket's products and branch, which answers about discounts may cite."""
    return frozenset(cite_records(world, [world.stores[basket.store_id], *products_of(world, basket)]))
