"""Chooses the paths and ids of records, which differ from world to world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Final

from benchmarks.ecom.runtime.workspace import Roots
from benchmarks.ecom.world.shop_records import Basket, Employee, Payment, Product, Return, Store

Record = Product | Store | Basket | Payment | Return | Employee

PATHS: Final[Mapping[type[Record], tuple[str, ...]]] = {
    Product: (
        "/proc/catalogue/{0.brand}/{0.sku}.json",
        "/proc/products/{0.category_id}/{0.kind_id}/{0.sku}.json",
        "/proc/assortment/{0.category_id}/{0.kind_id}/{0.family_id}/{0.sku}.json",
        "/proc/articles/{0.sku}.json",
    ),
    Store: (
        "/proc/branches/{0.city}/{0.id}.json",
        "/proc/stores/{0.id}.json",
        "/proc/outlets/{0.postal_code}/{0.id}.json",
    ),
    Basket: (
        "/proc/baskets/{0.customer_id}/{0.id}.json",
        "/proc/carts/{0.id}.json",
        "/proc/orders/open/{0.id}.json",
    ),
    Payment: (
        "/proc/payments/{0.id}.json",
        "/proc/ledger/{0.customer_id}/{0.id}.json",
        "/proc/settlements/{0.store_id}/{0.id}.json",
    ),
    Return: ("/proc/returns/{0.id}.json", "/proc/return-cases/{0.customer_id}/{0.id}.json"),
    Employee: ("/proc/staff/{0.store_id}/{0.id}.json", "/proc/employees/{0.id}.json"),
}
"""The path templates that each kind of record may have, in the order of `Roots`."""

SEPARATORS: Final = ("-", "_")
WIDTHS: Final = (3, 4)
RETURN_PREFIXES: Final = ("ret", "return", "rma")
PAYMENT_PREFIXES: Final = ("pay", "payment")


def _root(template: str) -> str:
    return template[: template.index("/{")]


@dataclass(frozen=True, slots=True)
class Layout:
    """One choice of record paths and id formats."""

    paths: Mapping[type[Record], str]
    """The path template of each kind of record."""
    separator: str
    width: int
    return_prefix: str
    payment_prefix: str

    def id_of(self, prefix: str, number: int) -> str:
        """Return an id such as `basket-0042`."""
        return f"{prefix}{self.separator}{number:0{self.width}d}"

    def path_of(self, record: Record) -> str:
        """Return the path of the record, as listings show it."""
        return self.paths[type(record)].format(record)

    @property
    def roots(self) -> Roots:
        """The directory of each kind of record."""
        return Roots(*map(_root, self.paths.values()))


def choose_layout(rng: Random) -> Layout:
    """Return a layout that chooses the path of each kind of record independently."""
    return Layout(
        paths={kind: rng.choice(templates) for kind, templates in PATHS.items()},
        separator=rng.choice(SEPARATORS),
        width=rng.choice(WIDTHS),
        return_prefix=rng.choice(RETURN_PREFIXES),
        payment_prefix=rng.choice(PAYMENT_PREFIXES),
    )
