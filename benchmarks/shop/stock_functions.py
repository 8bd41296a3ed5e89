"""Functions for scripts about stock: at a branch, for a basket, for a scanned receipt.

A script calls `harness.tools.stock_at(["AB-1"], "Graz Centre")`, and gets how many units of the
product this branch has, and how many of them can be sold. So the model that writes the script
need not know in which fields the shop's records count units. `layout_from_harness` makes the
first argument, the `ShopLayout`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from controlplane.benchmarks.shop.branches.branch_searches import (
    branch_called,
    branches_around,
    is_open,
)
from controlplane.benchmarks.shop.branches.branch_stock import BranchStock, stock_of
from controlplane.benchmarks.shop.certain_values import require
from controlplane.benchmarks.shop.products.basket_check import checked_basket
from controlplane.benchmarks.shop.products.catalogue import (
    catalogue_of,
)
from controlplane.benchmarks.shop.products.coming_days import notes_on_coming_days
from controlplane.benchmarks.shop.products.product import Product, product_reference
from controlplane.benchmarks.shop.receipts.receipt_files import receipt_file
from controlplane.benchmarks.shop.receipts.receipt_parts import ScannedItem
from controlplane.benchmarks.shop.receipts.repricing import Repriced, reprice
from controlplane.benchmarks.shop.receipts.scanned_branches import scanned_branch
from controlplane.benchmarks.shop.receipts.scanned_products import scanned_product
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.named_records import (
    reference_to,
)
from controlplane.benchmarks.shop.workspace.stock_notes import stock_notes
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
    layout_from_harness,
)
from controlplane.sandbox.functions import FunctionResult, Reference


@layout_from_harness
def stock_at(
    layout: ShopLayout, products: list[str], branch: str, days: int = 0
) -> FunctionResult[dict[str, Any]]:
    """Return a branch's units by product code.

    `stock_at(["AB-1"], "Graz Centre", days=3)` -> `{"AB-1": {"on_hand": 5, "reserved": 2,
    "available": 3, "within": 7}}`. `available` counts units that can be sold today. `within`
    adds deliveries of the next `days` days. A product that the branch does not list has 0
    units. Raises `CannotRead` for an unknown product or branch.
    """
    require(products, "no product is named: pass SKUs")
    branch_record = branch_called(layout, branch)
    catalogue = catalogue_of(layout)
    wanted = catalogue.with_codes(products)
    stock = stock_of(layout, branch_record)
    value = {
        product.code: asdict(stock.units(product.code, days)) for product in wanted
    }
    references = [reference_to(branch_record, Kind.BRANCH)]
    references += [product_reference(product) for product in wanted]
    # The notes warn of what the records do not say: a page may correct the stock, such as a day
    # book of deliveries, and a product may not be for sale before a date.
    notes_on_pages = stock_notes(layout.documents)
    notes_on_days = notes_on_coming_days(layout, wanted)
    return FunctionResult(value, tuple(references), (*notes_on_pages, *notes_on_days))


@layout_from_harness
def branches_in(layout: ShopLayout, place: str) -> FunctionResult[list[dict[str, Any]]]:
    """Return the branches of a city, sorted by name: `id`, `name`, `path`, `is_open`.

    `place` is a city, or a branch in it. `branches_in("Graz")` -> `[{"id": "store_graz",
    "name": "Graz Centre", "path": "/proc/stores/store_graz.json", "is_open": True}]`
    """
    rows = []
    references = []
    for branch in branches_around(layout, place):
        row = {
            "id": branch.id,
            "name": branch.name,
            "path": branch.path,
            "is_open": is_open(layout, branch),
        }
        rows.append(row)
        references.append(reference_to(branch, Kind.BRANCH))
    return FunctionResult(rows, tuple(references))


@layout_from_harness
def check_basket(layout: ShopLayout, basket: str) -> FunctionResult[dict[str, Any]]:
    """Return the state of a basket, and compare its lines with the stock of its branch.

    `basket` is an id: `basket_1`. The result has `state`, `is_open`, `branch`, `subtotal_cents`,
    `lines`, and `short`: the codes of products with too few units. Each line has `sku`,
    `quantity`, `price_cents`, `available` and `needs_stock`, which is False for a download.
    Raises `CannotRead` for a basket that the asker may not see.
    """
    checked = checked_basket(layout, basket)
    record = checked.record
    reference = Reference(record.path, f"basket {record.id} is {record.state}")
    # More notes warn that a page, such as a day book of deliveries, may correct the stock.
    notes = (*checked.notes, *stock_notes(layout.documents))
    return FunctionResult(checked.as_result, (reference,), notes)


@layout_from_harness
def settle_receipt(
    layout: ShopLayout, path: str = "", tolerance_cents: int = 0
) -> FunctionResult[dict[str, Any]]:
    """Return a receipt's lines as products, its subtotals then and now, and if it can be bought.

    Each of the `lines` has `sku`, `quantity`, today's `price_cents`, and `available`: the units
    at the receipt's branch today. `within` is true if the subtotals differ by at most the
    tolerance. `can_be_bought` is true if the branch has all units. If no path is given, the only
    receipt among the uploads is read. Raises `CannotRead` if a product or the branch is not certain.
    """
    # 1. Read the receipt, its products and its branch.
    receipt = receipt_file(layout, path)
    catalogue = catalogue_of(layout)
    lines = []
    for item in receipt.scan.items:
        lines.append(_ReceiptLine(item, scanned_product(catalogue, item)))
    branch = scanned_branch(layout, receipt.scan)
    stock = stock_of(layout, branch)

    # 2. Compare the subtotal with today's prices, and each line with the stock.
    sum_cents = sum(line.item.count * line.item.unit_cents for line in lines)
    subtotal_cents = receipt.scan.subtotal_cents
    if subtotal_cents is None:
        subtotal_cents = sum_cents
    repriced = _repriced(lines, subtotal_cents)
    value = {
        "branch": branch.id,
        "lines": [line.as_result(stock) for line in lines],
        "subtotal_then_cents": subtotal_cents,
        "subtotal_now_cents": repriced.today_cents,
        "difference_cents": repriced.difference_cents,
        "within": repriced.difference_cents <= tolerance_cents,
        "can_be_bought": _can_be_bought(stock, lines),
    }

    # 3. Note what does not fit, and cite the receipt, the branch and each product once.
    products = [line.product for line in lines]
    notes = []
    if sum_cents != subtotal_cents:
        notes.append(
            f"the lines add up to {sum_cents} cents, the subtotal says {subtotal_cents}"
        )
    notes += notes_on_coming_days(layout, products)
    reason = f"the receipt of {branch.name or branch.id} with its lines"
    references = [
        Reference(receipt.path, reason),
        reference_to(branch, Kind.BRANCH),
    ]
    for product in {product.path: product for product in products}.values():
        references.append(product_reference(product))
    return FunctionResult(value, tuple(references), tuple(dict.fromkeys(notes)))


@dataclass(frozen=True, slots=True)
class _ReceiptLine:
    """A line of a receipt: the scanned item, and the product that it is."""

    item: ScannedItem
    product: Product

    def as_result(self, stock: BranchStock) -> dict[str, Any]:
        """Return the line as scripts get it, with the units in a branch's stock today."""
        return {
            "sku": self.product.code,
            "quantity": self.item.count,
            "price_cents": self.product.price_cents,
            "available": stock.units(self.product.code).available,
        }


def _repriced(lines: Sequence[_ReceiptLine], subtotal_cents: int) -> Repriced:
    """Return today's cost of a receipt's lines, compared with its subtotal.

    2 tarps at 74.50 today, subtotal of 142.78 -> 14900 cents, a difference of 622. A product
    without a price costs nothing.
    """
    counts = [(line.product.code, line.item.count) for line in lines]
    prices = {line.product.code: line.product.price_cents or 0 for line in lines}
    return reprice(counts, subtotal_cents, prices)


def _can_be_bought(stock: BranchStock, lines: Sequence[_ReceiptLine]) -> bool:
    """Return True if a branch has all units of a receipt's lines. Downloads need no units.

    Two lines may be of the same product, so their units are added up before the comparison.
    """
    needed: dict[str, int] = {}
    for line in lines:
        code = line.product.code
        if line.product.needs_stock:
            needed[code] = needed.get(code, 0) + line.item.count
    return all(stock.units(code).available >= count for code, count in needed.items())
