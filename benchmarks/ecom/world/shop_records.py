"""The records of a world, and the JSON data of their files."""

from __future__ import annotations

from dataclasses import dataclass, field

from sandbox.interface import Plain

ACTIVE = "active"
CHECKED_OUT = "checked_out"
ABANDONED = "abandoned"


@dataclass(slots=True)
class Product:
    """One article. `asked` is a customer's phrase that fits this article alone."""

    number: int
    sku: str
    name: str
    brand: str
    category_id: str
    kind_id: str
    family_id: str
    price_cents: int
    is_digital: bool
    properties: dict[str, str | int | bool]
    asked: str

    def data(self) -> dict[str, Plain]:
        """Return the record as its file shows it."""
        return {
            "id": self.number,
            "sku": self.sku,
            "name": self.name,
            "brand": self.brand,
            "category_id": self.category_id,
            "kind_id": self.kind_id,
            "family_id": self.family_id,
            "price_cents": self.price_cents,
            "fulfilment": "download" if self.is_digital else "shelf",
            "properties": {**self.properties},
        }


@dataclass(slots=True)
class Stock:
    """The stock of one SKU at one branch. `incoming` lists (quantity, days until arrival)."""

    on_hand: int
    reserved: int
    incoming: list[tuple[int, int]] = field(default_factory=list)

    @property
    def available(self) -> int:
        """The units that can be sold today."""
        return max(self.on_hand - self.reserved, 0)

    def within(self, days: int) -> int:
        """Return the units that can be sold once everything due within `days` has arrived."""
        return self.available + sum(quantity for quantity, due in self.incoming if due <= days)


@dataclass(slots=True)
class Store:
    """One branch, with its stock by SKU."""

    id: str
    name: str
    district: str
    street: str
    postal_code: str
    city: str
    is_open: bool
    inventory: dict[str, Stock] = field(default_factory=dict)

    def data(self) -> dict[str, Plain]:
        """Return the record as its file shows it."""
        rows: list[Plain] = []
        for sku, stock in self.inventory.items():
            row: dict[str, Plain] = {"sku": sku, "on_hand": stock.on_hand, "reserved": stock.reserved}
            if stock.incoming:
                row["incoming"] = [{"quantity": each, "arrives_in_days": due} for each, due in stock.incoming]
            rows.append(row)
        return {
            "id": self.id,
            "name": self.name,
            "street": self.street,
            "postal_code": self.postal_code,
            "city": self.city,
            "country_code": "NL",
            "is_open": self.is_open,
            "inventory": rows,
        }


@dataclass(slots=True)
class Discount:
    """The discount on a basket."""

    percent: int
    reason_code: str
    issuer_id: str


@dataclass(slots=True)
class Basket:
    """A customer's basket at one branch; `lines` maps SKU to quantity, in order."""

    id: str
    customer_id: str
    store_id: str
    status: str
    created_at: str
    lines: dict[str, int]
    discount: Discount | None = None

    def data(self) -> dict[str, Plain]:
        """Return the record as its file shows it."""
        shown: dict[str, Plain] = {
            "id": self.id,
            "customer_id": self.customer_id,
            "store_id": self.store_id,
            "status": self.status,
            "created_at": self.created_at,
        }
        if self.discount:
            shown["discount"] = {
                "percent": self.discount.percent,
                "reason_code": self.discount.reason_code,
                "issuer_id": self.discount.issuer_id,
            }
        shown["lines"] = [{"sku": sku, "quantity": quantity} for sku, quantity in self.lines.items()]
        return shown


@dataclass(slots=True)
class Verification:
    """The card verification of a payment; `retry_after` is an instant in UTC."""

    state: str
    attempts: int
    max_attempts: int
    retry_after: str

    def data(self) -> dict[str, Plain]:
        """Return the verification as the payment's file shows it."""
        return {
            "state": self.state,
            "attempts": self.attempts,
            "max_attempts": self.max_attempts,
            "retry_after": self.retry_after,
        }


@dataclass(slots=True)
class Payment:
    """A payment for a checked-out basket."""

    id: str
    basket_id: str
    customer_id: str
    store_id: str
    amount_cents: int
    status: str
    created_at: str
    verification: Verification | None = None

    def data(self) -> dict[str, Plain]:
        """Return the record as its file shows it."""
        shown: dict[str, Plain] = {
            "id": self.id,
            "basket_id": self.basket_id,
            "customer_id": self.customer_id,
            "store_id": self.store_id,
            "amount_cents": self.amount_cents,
            "currency": "EUR",
            "status": self.status,
            "created_at": self.created_at,
        }
        if self.verification:
            shown["verification"] = self.verification.data()
        return shown


@dataclass(slots=True)
class Return:
    """A request to return the goods of one payment."""

    id: str
    customer_id: str
    payment_id: str
    status: str
    reason_code: str
    created_at: str

    def data(self) -> dict[str, Plain]:
        """Return the record as its file shows it."""
        return {
            "id": self.id,
            "customer_id": self.customer_id,
            "payment_id": self.payment_id,
            "status": self.status,
            "reason_code": self.reason_code,
            "created_at": self.created_at,
        }


@dataclass(slots=True)
class Employee:
    """A member of staff at one branch."""

    id: str
    display_name: str
    email: str
    title: str
    store_id: str
    roles: list[str]

    def data(self) -> dict[str, Plain]:
        """Return the record as its file shows it."""
        return {
            "id": self.id,
            "display_name": self.display_name,
            "email": self.email,
            "title": self.title,
            "store_id": self.store_id,
            "roles": list(self.roles),
        }
