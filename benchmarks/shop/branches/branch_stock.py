"""The stock of one branch of a shop: units on hand, reserved, and expected by a day.

"Do you have 4 of AB-1 in Graz?" depends on the units that are on hand and not reserved for
other customers. "By Friday?" also counts the deliveries that arrive until then.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.benchmarks.shop.certain_values import value_or_raise
from controlplane.benchmarks.shop.texts.documents import marked_words
from controlplane.benchmarks.shop.workspace.field_shapes import (
    Data,
    Shape,
    every_row,
    keys_of,
    rows_of,
)
from controlplane.benchmarks.shop.workspace.fields.stock_fields import (
    StockFields,
    stock_fields,
)
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.records import WorkspaceRecord
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
)
from controlplane.sandbox.functions import CannotRead


@dataclass(frozen=True, slots=True)
class _StockUnits:
    """The units of one product at one branch."""

    on_hand: int
    reserved: int
    available: int
    """Units on hand that are not reserved. They can be sold today."""
    within: int
    """Units available today plus those delivered within the requested number of days.

    The name is that in the results of `stock_at`.
    """


class BranchStock:
    """The stock of one branch, as its record lists it: one row for each product.

    `{"stock": [{"sku": "AB-1", "on_hand": 4, "reserved": 1, "incoming": [{"quantity": 20,
    "arrival_in_days": 3}]}]}` has 3 available units of AB-1, and 23 within 3 days. The
    names of these fields (`StockFields`) differ from shop to shop.
    """

    def __init__(self, branch: WorkspaceRecord, fields: StockFields) -> None:
        self.branch = branch
        self._fields = fields
        self._rows = {
            str(row.get(fields.code)): row for row in rows_of(branch.data, fields.rows)
        }

    def units(self, code: str, days: int = 0) -> _StockUnits:
        """Return the units of a product, including deliveries within some days.

        All counts are 0 if the branch does not list the product. Raises `CannotRead` if
        deliveries cannot be read.
        """
        row = self._rows.get(code, {})
        on_hand = int(row.get(self._fields.on_hand, 0))
        reserved = int(row.get(self._fields.reserved, 0))
        available = max(on_hand - reserved, 0)
        delivered = self._delivered_units(row, days)
        return _StockUnits(on_hand, reserved, available, within=available + delivered)

    def _delivered_units(self, row: Data, days: int) -> int:
        """Return the units of a row that are delivered within some days."""
        delivery_fields = self._fields.deliveries
        if delivery_fields is None:  # unknown, or there are no deliveries
            # Deliveries are the only rows inside a row, so any list of rows is one of them.
            has_deliveries = any(rows_of(row, key) for key in keys_of(row, Shape.ROWS))
            if days and has_deliveries:
                msg = "it is not certain which field of a delivery says in how many days it arrives"
                raise CannotRead(msg)
            return 0
        units = 0
        for delivery in rows_of(row, delivery_fields.rows):
            if int(delivery[delivery_fields.days]) <= days:
                units += int(delivery[delivery_fields.quantity])
        return units


def stock_of(layout: ShopLayout, branch: WorkspaceRecord) -> BranchStock:
    """Return the stock of a branch. Raises `CannotRead` if the names of its fields are not certain."""
    return BranchStock(branch, fields_of_stock(layout, branch))


def fields_of_stock(layout: ShopLayout, branch: WorkspaceRecord) -> StockFields:
    """Return the names of the fields of a branch's stock.

    They are learned from a branch that lists deliveries, because only its rows have all
    fields, or else from the given branch. Raises `CannotRead` if they are not certain.
    """
    example = branch.data
    for data in (branch.data, *layout.kinds.samples(Kind.BRANCH)):
        if _lists_deliveries(data):
            example = data
            break
    policy = layout.policies.text_of("stock")
    names_in_policy = frozenset(marked_words(policy))  # the words in backticks
    fields = stock_fields(example, names_in_policy)
    return value_or_raise(
        fields, "it is not certain which fields of a branch count its units"
    )


def _lists_deliveries(branch: Data) -> bool:
    """Return True if a row of a branch's stock contains rows itself, which are deliveries."""
    # `every_row` yields the rows that are listed in a field of a record, or of a row.
    stock_rows = [row.data for row in every_row([branch])]
    delivery_rows = list(every_row(stock_rows))
    return bool(delivery_rows)


# The decorator `layout_from_harness` makes the layout, which is the workspace of the shop, from
# the `harness` of a script. So scripts call these functions without the argument `layout`.
