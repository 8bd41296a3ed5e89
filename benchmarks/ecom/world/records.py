"""The records of a shop, as the code uses them. `data()` returns what a record's file shows.

The file of a basket: `{"id": "basket-0412", "customer_id": "cust-0174", "lines": [...]}`.
Its fields are those of the class, in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from controlplane.sandbox.interface import Plain

ACTIVE = "active"
CHECKED_OUT = "checked_out"
ABANDONED = "abandoned"


@dataclass(slots=True)
class _ShopRecord:
    """A record or a part of one."""

    def data(self) -> dict[str, Plain]:
        """Return the fields in order, except those that are None."""
        shown: dict[str, Plain] = {}
        # The fields, in order. `dataclasses.fields` has them, too, but takes longer, and a
        # world has thousands of records.
        for name in map(str, self.__slots__):
            value = getattr(self, name)
            if isinstance(value, _ShopRecord):
                value = value.data()
            if value is not None:
                shown[name] = value
        return shown


@dataclass(slots=True)
class SoldProduct(_ShopRecord):
    """One product variant that is sold."""

    id: int
    sku: str
    name: str
    brand: str
    category_id: str
    kind_id: str
    family_id: str
    price_cents: int
    fulfilment: str
    """`shelf` or `download`."""
    properties: dict[str, str | float | bool]

    @property
    def is_digital(self) -> bool:
        """True if the product needs no stock."""
        return self.fulfilment == "download"

    def name_variants(self) -> tuple[str, str]:
        """Return the name with the brand and without it. A message may use either.

        `("Nordvane Skerry 2P", "Skerry 2P")`
        """
        return self.name, self.name.removeprefix(f"{self.brand} ")


class Delivery(NamedTuple):
    """Units of one SKU that are on their way to a branch."""

    quantity: int
    in_days: int
    """The number of days until they arrive."""


@dataclass(slots=True)
class Stock:
    """The stock of one SKU at one branch."""

    on_hand: int
    reserved: int
    incoming: list[Delivery] = field(default_factory=list)

    @property
    def available(self) -> int:
        """The units that can be sold today."""
        return max(self.on_hand - self.reserved, 0)

    def within(self, days: int) -> int:
        """Return the units that can be sold after all deliveries of the next `days` days."""
        units = self.available
        for delivery in self.incoming:
            if delivery.in_days <= days:
                units += delivery.quantity
        return units

    def row(self, sku: str) -> dict[str, Plain]:
        """Return this stock's row in the branch's file."""
        row: dict[str, Plain] = {
            "sku": sku,
            "on_hand": self.on_hand,
            "reserved": self.reserved,
        }
        if self.incoming:
            row["incoming"] = [
                {"quantity": delivery.quantity, "arrives_in_days": delivery.in_days}
                for delivery in self.incoming
            ]
        return row


@dataclass(slots=True)
class Store(_ShopRecord):
    """One branch, with its stock by SKU."""

    id: str
    name: str
    street: str
    postal_code: str
    city: str
    country_code: str = field(default="NL", init=False)
    is_open: bool
    inventory: dict[str, Stock] = field(default_factory=dict)

    @property
    def district(self) -> str:
        """The part of its name by which people call the branch: `Lombok`."""
        _, _, district = self.name.partition(f" {self.city} ")
        return district

    def data(self) -> dict[str, Plain]:
        """Return the record as its file shows it."""
        # `super()` does not work here: `slots=True` replaces the class by a copy.
        shown = _ShopRecord.data(self)
        shown["inventory"] = [stock.row(sku) for sku, stock in self.inventory.items()]
        return shown


@dataclass(slots=True)
class Discount(_ShopRecord):
    """The discount on a basket."""

    percent: int
    reason_code: str
    issuer_id: str


@dataclass(slots=True)
class Basket(_ShopRecord):
    """A customer's basket at one branch."""

    id: str
    customer_id: str
    store_id: str
    status: str
    created_at: str
    # Before `lines`, as in the file.
    discount: Discount | None = field(default=None, kw_only=True)
    lines: dict[str, int]
    """The quantity of each SKU, in order."""

    def data(self) -> dict[str, Plain]:
        """Return the record as its file shows it."""
        # `super()` does not work here: `slots=True` replaces the class by a copy.
        shown = _ShopRecord.data(self)
        shown["lines"] = [
            {"sku": sku, "quantity": quantity} for sku, quantity in self.lines.items()
        ]
        return shown


@dataclass(slots=True)
class CardVerification(_ShopRecord):
    """The card verification of a payment."""

    state: str
    attempts: int
    max_attempts: int
    retry_after: str
    """The time in UTC from which the verification may be restarted."""


@dataclass(slots=True)
class Payment(_ShopRecord):
    """A payment for a checked-out basket."""

    id: str
    basket_id: str
    customer_id: str
    store_id: str
    amount_cents: int
    currency: str = field(default="EUR", init=False)
    status: str
    created_at: str
    verification: CardVerification | None = None


@dataclass(slots=True)
class Return(_ShopRecord):
    """A request to return the goods of one payment."""

    id: str
    customer_id: str
    payment_id: str
    status: str
    reason_code: str
    created_at: str


@dataclass(slots=True)
class Employee(_ShopRecord):
    """An employee of one branch."""

    id: str
    display_name: str
    email: str
    title: str
    store_id: str
    roles: list[str]


Record = SoldProduct | Store | Basket | Payment | Return | Employee
