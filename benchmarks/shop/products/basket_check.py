"""Compares the lines of a basket with the stock of its branch, by their records.

The basket `{"lines": [{"sku": "AB-1", "qty": 4}], "store": "store_graz"}` is short of AB-1 if
the branch in Graz can sell only 3 of it. A script learns that before it buys the basket, and
the check of a checkout before the tool is run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from controlplane.benchmarks.shop.branches.branch_stock import stock_of
from controlplane.benchmarks.shop.products.catalogue import (
    Catalogue,
    catalogue_of,
)
from controlplane.benchmarks.shop.products.product import Product, notes_on_coming_days
from controlplane.benchmarks.shop.workspace.fields.basket_fields import line_fields
from controlplane.benchmarks.shop.workspace.identity import folded_id
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.records import WorkspaceRecord
from controlplane.benchmarks.shop.workspace.staff import named_record
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
)
from controlplane.sandbox.functions import CannotRead


@dataclass(frozen=True, slots=True)
class BasketLine:
    """A line of a basket, with its product and the units of it that the branch can sell."""

    code: str
    """The product's code as the basket spells it."""
    quantity: int
    product: Product
    available: int

    @property
    def total_cents(self) -> int:
        """The price of all units; 0 for a product without a price."""
        return (self.product.price_cents or 0) * self.quantity

    @property
    def is_short(self) -> bool:
        """True if the branch has too few units. A download needs none."""
        return self.product.needs_stock and self.available < self.quantity

    @property
    def as_result(self) -> dict[str, Any]:
        """The line in function results: `{"sku": "AB-1", "quantity": 4, "available": 3, ...}`."""
        return {
            "sku": self.code,
            "quantity": self.quantity,
            "price_cents": self.product.price_cents,
            "available": self.available,
            "needs_stock": self.product.needs_stock,
        }


@dataclass(frozen=True, slots=True)
class CheckedBasket:
    """A basket beside the stock of its branch."""

    record: WorkspaceRecord
    is_open: bool
    branch: WorkspaceRecord
    lines: list[BasketLine]
    notes: tuple[str, ...]
    """What may make a line right or wrong although the records say otherwise."""

    @property
    def subtotal_cents(self) -> int:
        """The price of all lines."""
        return sum(line.total_cents for line in self.lines)

    @property
    def as_result(self) -> dict[str, Any]:
        """The basket in function results: `{"state": "open", ..., "short": ["AB-1"], ...}`."""
        return {
            "state": self.record.state,
            "is_open": self.is_open,
            "branch": self.branch.id,
            "subtotal_cents": self.subtotal_cents,
            "short": [line.code for line in self.lines if line.is_short],
            "lines": [line.as_result for line in self.lines],
        }


def checked_basket(layout: ShopLayout, basket: str) -> CheckedBasket:
    """Return a basket beside the stock of its branch. `basket` is an id or a path.

    Raises `CannotRead` if the asker may not see the basket, or if it is not certain what its
    branch and its lines are.
    """
    record = named_record(layout, basket)
    is_basket = layout.kinds.of(record.path) is Kind.BASKET
    if not is_basket or not layout.asker.may_see(record.owner):
        msg = f"{basket} is no basket that the asker may see"
        raise CannotRead(msg)
    branch = _branch_linked_to(layout, record)
    # Shops choose the names of the fields of lines, so they are learned from several baskets.
    fields = line_fields([record.data, *layout.kinds.samples(Kind.BASKET)])
    if branch is None or fields is None:
        msg = f"the lines of {basket}, or its branch, are not certain"
        raise CannotRead(msg)

    lines = _lines_with_stock(layout, branch, fields.counts_in(record.data))
    notes = _notes_on_lines(layout, lines)
    is_open = record.state == layout.open_state
    return CheckedBasket(record, is_open, branch, lines, notes)


def _lines_with_stock(
    layout: ShopLayout, branch: WorkspaceRecord, counts: Mapping[str, int]
) -> list[BasketLine]:
    """Return the lines of a basket with their stock at a branch. `counts`: `{"AB-1": 4}`.

    Raises `CannotRead` if a product does not exist.
    """
    products = catalogue_of(layout).with_codes(counts)
    # A basket may spell a code in another way than the product's record: `ab-1` for `AB-1`.
    product_by_id = {folded_id(product.code): product for product in products}
    stock = stock_of(layout, branch)
    lines = []
    for code, count in counts.items():
        product = product_by_id[folded_id(code)]
        available = stock.units(product.code).available
        lines.append(BasketLine(code, count, product, available))
    return lines


def _notes_on_lines(layout: ShopLayout, lines: list[BasketLine]) -> tuple[str, ...]:
    """Return notes on what may make a line right or wrong although the records say otherwise.

    For example, a product may not be sold before a day. Notes on pages that correct the stock
    in the records, such as a day book of deliveries, are not among them.
    """
    catalogue = catalogue_of(layout)
    notes = []
    if catalogue.stockless_mark is None:
        # "Products whose `fulfillment` is `download`" would be such a mark.
        notes.append("no policy marks which products need no stock: all were compared")
    for line in lines:
        if line.product.needs_stock:
            notes += _notes_on_units(layout, catalogue, line.product)
    notes += notes_on_coming_days(layout, [line.product for line in lines])
    return tuple(notes)


def _branch_linked_to(
    layout: ShopLayout, record: WorkspaceRecord
) -> WorkspaceRecord | None:
    """Return the first branch that a record names; None if it names none.

    The basket `{"buyer": "cust_7", "store": "store_graz"}` -> the record of `store_graz`.
    """
    paths = []
    for link in record.links():
        path = layout.records.files.path_of(link)
        if path is not None:
            paths.append(path)
    for linked in layout.records.read(paths):
        if layout.kinds.of(linked.path) is Kind.BRANCH:
            return linked
    return None


def _notes_on_units(
    layout: ShopLayout, catalogue: Catalogue, product: Product
) -> list[str]:
    """Return a note for each property of a product that may change how its units count.

    | property | note | because |
    |---|---|---|
    | `"replaced_by": "AB-2"` | "AB-1 has `replaced_by` AB-2" | AB-2 is a product, too |
    | `"pieces": 4` | "AB-1 has `pieces` 4" | a page of the shop mentions `pieces` in backticks |
    """
    notes = []
    for key, value in product.properties.items():
        if str(value) in catalogue.codes or key in layout.documents.marked:
            notes.append(f"{product.code} has `{key}` {value}")
    return notes
