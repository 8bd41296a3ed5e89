"""What branches hold of products, what a basket's branch can sell of its lines, and the branches of a city."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from benchmarks.shop.findings.access_findings import named_record
from benchmarks.shop.findings.product_findings import product_reference
from benchmarks.shop.layout.branch_names import branch_called, branches_around
from benchmarks.shop.layout.product_search import Catalogue
from benchmarks.shop.layout.record_shapes import Kind, StockFields, line_fields, stock_fields
from benchmarks.shop.layout.shop_layout import ShopLayout, WorkspaceReader
from toolkit import CannotRead, Finding, Reference
from toolkit.layout import Data, Shape, keys_of, marked_words, rows_of
from toolkit.records import Record
from toolkit.stock import StockUnits


class BranchStock:
    """The units of one branch."""

    def __init__(self, layout: ShopLayout, branch: Record) -> None:
        policy = layout.documents.get(layout.policies.get("stock", ""), "")
        shown = _with_deliveries([branch.data, *layout.samples(Kind.BRANCH)])
        fields = stock_fields(shown, frozenset(marked_words(policy)))
        if fields is None:
            msg = "it is not certain which fields of a branch count its units"
            raise CannotRead(msg)
        self._fields: StockFields = fields
        self._rows = {str(row.get(fields.code)): row for row in rows_of(branch.data, fields.rows)}

    def units(self, code: str, days: int = 0) -> dict[str, int]:
        """Return `on_hand`, `reserved`, `available` today and `within` those days; without a row all are 0."""
        row, fields = self._rows.get(code, {}), self._fields
        if days and not fields.incoming and any(rows_of(row, key) for key in keys_of(row, Shape.ROWS)):
            msg = "it is not certain which field of a delivery says in how many days it arrives"
            raise CannotRead(msg)
        units = StockUnits(
            int(row.get(fields.on_hand, 0)),
            int(row.get(fields.reserved, 0)),
            tuple((int(each[fields.quantity]), int(each[fields.days])) for each in rows_of(row, fields.incoming)),
        )
        return {
            "on_hand": units.on_hand,
            "reserved": units.reserved,
            "available": units.available,
            "within": units.within(days),
        }


def _with_deliveries(branches: list[Data]) -> Data:
    """Return the branch of which the fields are learned: the first, if need be with another's row of deliveries."""
    for data in branches:
        for key in keys_of(data, Shape.ROWS):
            for row in rows_of(data, key):
                if keys_of(row, Shape.ROWS) and any(rows_of(row, each) for each in keys_of(row, Shape.ROWS)):
                    return data
    return branches[0]


def _branch_reference(branch: Record) -> Reference:
    return Reference(branch.path, f"the branch {branch.name or branch.id} with its stock")


def stock_at(reader: WorkspaceReader, products: list[str], branch: str, days: int = 0) -> Finding[dict[str, Any]]:
    """Return by SKU what a branch has: `on_hand`, `reserved`, `available` today, and `within` so many days.

    A product without a row has none. Raises `CannotRead` for an unknown product or branch.
    """
    if not products:
        msg = "no product is named: pass SKUs"
        raise CannotRead(msg)
    layout = ShopLayout(reader)
    place = branch_called(layout, branch)
    found = Catalogue(layout).called(products)
    stock = BranchStock(layout, place)
    value = {each.code: stock.units(each.code, days) for each in found}
    return Finding(value, (_branch_reference(place), *map(product_reference, found)))


def branches_in(reader: WorkspaceReader, place: str) -> Finding[list[dict[str, Any]]]:
    """Return the branches of a city, or of the city of a named branch: `id`, `name`, `path`, `is_open`, by name."""
    layout = ShopLayout(reader)
    found = branches_around(layout, place)
    flags = keys_of(layout.samples(Kind.BRANCH)[0], Shape.FLAG)
    if len(flags) != 1:
        msg = "it is not certain which field of a branch says whether it is open"
        raise CannotRead(msg)
    value = [
        {"id": each.id, "name": each.name, "path": each.path, "is_open": each.data.get(flags[0]) is True}
        for each in found
    ]
    return Finding(value, tuple(_branch_reference(each) for each in found))


def check_basket(reader: WorkspaceReader, basket: str) -> Finding[dict[str, Any]]:
    """Return a basket's `state`, whether it `is_open`, `subtotal_cents`, `lines`, and the SKUs that are `short`.

    Each line has `sku`, `quantity`, `price_cents`, `available` at the basket's branch, and `needs_stock`. Raises
    `CannotRead` for a basket that is not the asker's to see.
    """
    layout = ShopLayout(reader)
    found = named_record(layout, basket)
    if layout.kind_of(found.path) is not Kind.BASKET or not layout.asker.may_cite(found.owner):
        msg = f"{basket} is no basket that the asker may see"
        raise CannotRead(msg)
    branch = next((each for each in _linked(layout, found) if layout.kind_of(each.path) is Kind.BRANCH), None)
    fields = line_fields([found.data, *layout.samples(Kind.BASKET)])
    if branch is None or fields is None:
        msg = f"the lines of {basket}, or its branch, are not certain"
        raise CannotRead(msg)
    catalogue, stock = Catalogue(layout), BranchStock(layout, branch)
    counts = {str(row[fields.code]): int(row[fields.quantity]) for row in rows_of(found.data, fields.rows)}
    products = {each.code: each for each in catalogue.called(counts)}
    available = {code: stock.units(code)["available"] for code in counts}
    needing = [code for code in counts if products[code].needs_stock]
    lines = [
        {
            "sku": code,
            "quantity": count,
            "price_cents": products[code].price_cents,
            "available": available[code],
            "needs_stock": code in needing,
        }
        for code, count in counts.items()
    ]
    value = {
        "state": found.state,
        "is_open": found.state == layout.open_state,
        "branch": branch.id,
        "subtotal_cents": sum((products[code].price_cents or 0) * count for code, count in counts.items()),
        "short": [code for code in needing if available[code] < counts[code]],
        "lines": lines,
    }
    notes = () if catalogue.tells_downloads else ("no policy marks which products need no stock: all were compared",)
    return Finding(value, (Reference(found.path, f"basket {found.id} is {found.state}"),), notes)


def _linked(layout: ShopLayout, record: Record) -> Iterable[Record]:
    return layout.records.read(path for link in record.links() if (path := layout.records.path_of(link)))
