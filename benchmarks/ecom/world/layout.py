"""Chooses the paths and ids of records, which differ from world to world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Final

from benchmarks.ecom.runtime.workspace import Roots
from benchmarks.ecom.world.shop_records import Basket, Employee, Payment, Product, Return, Store

Record = Product | Store | Basket | Payment | Return | Employee

OWN_PATHS: Final[Mapping[type[Record], tuple[str, ...]]] = {
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

PUBLIC_PATHS: Final[Mapping[type[Record], tuple[str, ...]]] = {
    Product: (
        *("/proc/catalog/{0.brand}/{0.sku}.json",) * 5,
        "/proc/products/{0.category_id}/{0.kind_id}/{0.sku}.json",
        "/proc/prod/{0.sku}.json",
        "/proc/catalog/{0.category_id}/{0.kind_id}/{0.family_id}/{0.sku}.json",
    ),
    Store: (
        *("/proc/locations/{0.city}/{0.id}.json",) * 5,
        *("/proc/stores/{0.id}.json",) * 2,
        "/proc/branches/{0.postal_code}/{0.id}.json",
    ),
    Basket: (*("/proc/carts/{0.customer_id}/{0.id}.json",) * 4, "/proc/baskets/{0.id}.json"),
    Payment: (
        *("/proc/payment-ledger/{0.customer_id}/{0.id}.json",) * 4,
        *("/proc/payments/{0.id}.json",) * 3,
        "/proc/checkout/payments/{0.store_id}/{0.id}.json",
    ),
    Return: ("/proc/return-workflows/{0.customer_id}/{0.id}.json", "/proc/returns/{0.id}.json"),
    Employee: (*("/proc/staff/{0.store_id}/{0.id}.json",) * 3, "/proc/employees/{0.id}.json"),
}
"""Those of the public benchmark, roughly as often as there."""

ROOT_WORDS: Final[Mapping[type[Record], tuple[str, ...]]] = {
    Product: ("range", "goods", "wares", "items"),
    Store: ("sites", "shops", "houses", "premises"),
    Basket: ("trolleys", "bags", "hampers", "wishes"),
    Payment: ("charges", "receipts-in", "takings", "money-in"),
    Return: ("goods-back", "take-backs", "refund-cases", "sent-back"),
    Employee: ("people", "team", "crew", "roster"),
}
"""The roots of the vocabulary `random`, which keep the folders of one of the other templates."""

SEPARATORS: Final = ("-", "_")
WIDTHS: Final = (3, 4)
PREFIXES: Final[Mapping[str, tuple[str, ...]]] = {"return": ("ret", "return", "rma"), "pay": ("pay", "payment")}
"""The prefixes that an id may have in place of the usual one."""


def _root(template: str) -> str:
    return template[: template.index("/{")]


@dataclass(frozen=True, slots=True)
class Layout:
    """One choice of record paths and id formats."""

    paths: Mapping[type[Record], str]
    """The path template of each kind of record."""
    separator: str
    width: int
    prefixes: Mapping[str, str]
    """The prefix of the ids of each kind of record, by the usual one: `cust basket pay return emp`."""

    def id_of(self, prefix: str, number: int) -> str:
        """Return an id such as `basket-0042`, by the usual prefix of its kind."""
        return f"{self.prefixes.get(prefix, prefix)}{self.separator}{number:0{self.width}d}"

    def path_of(self, record: Record) -> str:
        """Return the path of the record, as listings show it."""
        return self.paths[type(record)].format(record)

    @property
    def roots(self) -> Roots:
        """The directory of each kind of record."""
        return Roots(*map(_root, self.paths.values()))


def _random_path(rng: Random, kind: type[Record]) -> str:
    """Return a template with another root and the folders of a usual one."""
    template = rng.choice(OWN_PATHS[kind])
    return f"/proc/{rng.choice(ROOT_WORDS[kind])}{template.removeprefix(_root(template))}"


def choose_layout(rng: Random, vocabulary: str = "own") -> Layout:
    """Return a layout of a vocabulary (`own`, `public`, `random`), with a path of its own for each kind of record."""
    if vocabulary == "random":
        paths = {kind: _random_path(rng, kind) for kind in OWN_PATHS}
    else:
        pool = PUBLIC_PATHS if vocabulary == "public" else OWN_PATHS
        paths = {kind: rng.choice(templates) for kind, templates in pool.items()}
    if vocabulary == "public":
        return Layout(paths, "-", 4, {})
    return Layout(
        paths=paths,
        separator=rng.choice(SEPARATORS),
        width=rng.choice(WIDTHS),
        prefixes={usual: rng.choice(names) for usual, names in PREFIXES.items()},
    )
