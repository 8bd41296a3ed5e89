"""Chooses the paths and ids of records, which differ from world to world."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final

from benchmarks.ecom.runtime.workspace import Roots
from benchmarks.ecom.world.shop_records import Basket, Employee, Payment, Product, Return, Store

Record = Product | Store | Basket | Payment | Return | Employee

PRODUCTS: Final = (
    "/proc/catalogue/{brand}/{sku}.json",
    "/proc/products/{category_id}/{kind_id}/{sku}.json",
    "/proc/assortment/{category_id}/{kind_id}/{family_id}/{sku}.json",
    "/proc/articles/{sku}.json",
)
STORES: Final = (
    "/proc/branches/{city}/{id}.json",
    "/proc/stores/{id}.json",
    "/proc/outlets/{postal_code}/{id}.json",
)
BASKETS: Final = ("/proc/baskets/{customer_id}/{id}.json", "/proc/carts/{id}.json", "/proc/orders/open/{id}.json")
PAYMENTS: Final = (
    "/proc/payments/{id}.json",
    "/proc/ledger/{customer_id}/{id}.json",
    "/proc/settlements/{store_id}/{id}.json",
)
RETURNS: Final = ("/proc/returns/{id}.json", "/proc/return-cases/{customer_id}/{id}.json")
EMPLOYEES: Final = ("/proc/staff/{store_id}/{id}.json", "/proc/employees/{id}.json")

SEPARATORS: Final = ("-", "_")
WIDTHS: Final = (3, 4)
RETURN_PREFIXES: Final = ("ret", "return", "rma")
PAYMENT_PREFIXES: Final = ("pay", "payment")


def _root(template: str) -> str:
    return template[: template.index("/{")]


@dataclass(frozen=True, slots=True)
class Layout:
    """One choice of record paths and id formats."""

    products: str
    stores: str
    baskets: str
    payments: str
    returns: str
    employees: str
    separator: str
    width: int
    return_prefix: str
    payment_prefix: str

    def id_of(self, prefix: str, number: int) -> str:
        """Return an id such as `basket-0042`."""
        return f"{prefix}{self.separator}{number:0{self.width}d}"

    def path_of(self, record: Record) -> str:
        """Return the path of the record, as listings show it."""
        match record:
            case Product():
                return self.products.format(
                    brand=record.brand,
                    category_id=record.category_id,
                    kind_id=record.kind_id,
                    family_id=record.family_id,
                    sku=record.sku,
                )
            case Store():
                return self.stores.format(city=record.city, postal_code=record.postal_code, id=record.id)
            case Basket():
                return self.baskets.format(customer_id=record.customer_id, id=record.id)
            case Payment():
                return self.payments.format(customer_id=record.customer_id, store_id=record.store_id, id=record.id)
            case Return():
                return self.returns.format(customer_id=record.customer_id, id=record.id)
            case Employee():
                return self.employees.format(store_id=record.store_id, id=record.id)

    @property
    def roots(self) -> Roots:
        """The directory of each kind of record."""
        return Roots(
            products=_root(self.products),
            stores=_root(self.stores),
            baskets=_root(self.baskets),
            payments=_root(self.payments),
            returns=_root(self.returns),
            employees=_root(self.employees),
        )


def choose_layout(rng: Random) -> Layout:
    """Return a layout that chooses the path of each kind of record independently."""
    return Layout(
        products=rng.choice(PRODUCTS),
        stores=rng.choice(STORES),
        baskets=rng.choice(BASKETS),
        payments=rng.choice(PAYMENTS),
        returns=rng.choice(RETURNS),
        employees=rng.choice(EMPLOYEES),
        separator=rng.choice(SEPARATORS),
        width=rng.choice(WIDTHS),
        return_prefix=rng.choice(RETURN_PREFIXES),
        payment_prefix=rng.choice(PAYMENT_PREFIXES),
    )
