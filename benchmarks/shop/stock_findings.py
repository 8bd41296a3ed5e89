"""Functions about units of stock: at a branch, for a basket, for the lines of a scanned receipt."""

from __future__ import annotations

import re
from typing import Any, Final

from benchmarks.shop.kinds import Kind
from benchmarks.shop.layout import Data, Shape, every_row, keys_of, marked_words, named_paths, rows_of
from benchmarks.shop.product_findings import Catalogue, Product, catalogue_of, product_reference
from benchmarks.shop.reader import WorkspaceReader, on_harness
from benchmarks.shop.record_findings import named_record, reference_to
from benchmarks.shop.records import Record
from benchmarks.shop.stock import (
    ScannedItem,
    ScannedReceipt,
    folded_text,
    likeness,
    read_coded_lines,
    read_scan,
    repaired_code,
    reprice,
    shared_beginning,
)
from benchmarks.shop.workspace import (
    ShopLayout,
    StockFields,
    branch_called,
    branches_around,
    layout_of,
    line_fields,
    named_branches,
    stock_fields,
)
from sandbox.functions import CannotRead, Finding, Reference


class BranchStock:
    """The units of one branch."""

    def __init__(self, layout: ShopLayout, branch: Record, fields: StockFields | None = None) -> None:
        """`fields` are the names of its fields, where another branch shows them."""
        if fields is None:
            policy = layout.documents.get(layout.policies.get("stock", ""), "")
            shown = _with_deliveries([branch.data, *layout.samples(Kind.BRANCH)])
            fields = stock_fields(shown, frozenset(marked_words(policy)))
        if fields is None:
            msg = "it is not certain which fields of a branch count its units"
            raise CannotRead(msg)
        self.fields = fields
        self._rows = {str(row.get(fields.code)): row for row in rows_of(branch.data, fields.rows)}

    def units(self, code: str, days: int = 0) -> dict[str, int]:
        """Return `on_hand`, `reserved`, `available` today and `within` those days; all are 0 without a row."""
        row, fields = self._rows.get(code, {}), self.fields
        if days and not fields.incoming and any(rows_of(row, key) for key in keys_of(row, Shape.ROWS)):
            msg = "it is not certain which field of a delivery says in how many days it arrives"
            raise CannotRead(msg)
        on_hand, reserved = int(row.get(fields.on_hand, 0)), int(row.get(fields.reserved, 0))
        available = max(on_hand - reserved, 0)
        due = (int(one[fields.quantity]) for one in rows_of(row, fields.incoming) if int(one[fields.days]) <= days)
        return {"on_hand": on_hand, "reserved": reserved, "available": available, "within": available + sum(due)}


def _with_deliveries(branches: list[Data]) -> Data:
    """Return the branch that shows the fields: the first one with a row of deliveries, else the first."""
    for data in branches:
        listed = (row for _, row in every_row([data]) if any(isinstance(value, list) for value in row.values()))
        if next(every_row(listed), None):
            return data
    return branches[0]


@on_harness
def stock_at(reader: WorkspaceReader, products: list[str], branch: str, days: int = 0) -> Finding[dict[str, Any]]:
    """Return a branch's units by SKU: `on_hand`, `reserved`, `available` today, and `within` some days.

    A product without a row has 0 units. Raises `CannotRead` for an unknown product or branch.
    """
    if not products:
        msg = "no product is named: pass SKUs"
        raise CannotRead(msg)
    layout = layout_of(reader)
    place = branch_called(layout, branch)
    catalogue = catalogue_of(layout)
    wanted = catalogue.called(products)
    stock = BranchStock(layout, place)
    value = {product.code: stock.units(product.code, days) for product in wanted}
    notes = (*layout.stock_notes, *catalogue.coming_days(wanted))
    return Finding(value, (reference_to(place, Kind.BRANCH), *map(product_reference, wanted)), notes)


def is_open(layout: ShopLayout, branch: Record) -> bool:
    """Say whether a branch is open. Raises `CannotRead` if the field that says so is not certain."""
    flags = keys_of(layout.samples(Kind.BRANCH)[0], Shape.FLAG)
    if len(flags) != 1:
        msg = "it is not certain which field of a branch says whether it is open"
        raise CannotRead(msg)
    return branch.data.get(flags[0]) is True


@on_harness
def branches_in(reader: WorkspaceReader, place: str) -> Finding[list[dict[str, Any]]]:
    """Return the branches of a city, or of the city of a named branch: `id`, `name`, `path`, `is_open`, by name."""
    layout = layout_of(reader)
    branches = branches_around(layout, place)
    value = [
        {"id": branch.id, "name": branch.name, "path": branch.path, "is_open": is_open(layout, branch)}
        for branch in branches
    ]
    return Finding(value, tuple(reference_to(branch, Kind.BRANCH) for branch in branches))


@on_harness
def check_basket(reader: WorkspaceReader, basket: str) -> Finding[dict[str, Any]]:
    """Return a basket's `state`, whether it `is_open`, `subtotal_cents`, `lines`, and the SKUs that are `short`.

    Each line has `sku`, `quantity`, `price_cents`, `available` at the basket's branch, and `needs_stock`. Raises
    `CannotRead` for a basket that the asker may not see.
    """
    layout = layout_of(reader)
    found = checked_by_records(layout, basket)
    return Finding(found.value, found.refs, (*found.notes, *layout.stock_notes))


def checked_by_records(layout: ShopLayout, basket: str) -> Finding[dict[str, Any]]:
    """Return what `check_basket` does, without a search for pages that tell of other stock. Raises `CannotRead`."""
    record = named_record(layout, basket)
    if layout.kind_of(record.path) is not Kind.BASKET or not layout.asker.may_cite(record.owner):
        msg = f"{basket} is no basket that the asker may see"
        raise CannotRead(msg)
    linked = layout.records.read(path for link in record.links() if (path := layout.records.path_of(link)))
    branch = next((record for record in linked if layout.kind_of(record.path) is Kind.BRANCH), None)
    fields = line_fields([record.data, *layout.samples(Kind.BASKET)])
    if branch is None or fields is None:
        msg = f"the lines of {basket}, or its branch, are not certain"
        raise CannotRead(msg)
    catalogue, stock = catalogue_of(layout), BranchStock(layout, branch)
    rows, code_field, quantity = fields
    counts = {str(row[code_field]): int(row[quantity]) for row in rows_of(record.data, rows)}
    products = {product.code: product for product in catalogue.called(counts)}
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
        "state": record.state,
        "is_open": record.state == layout.open_state,
        "branch": branch.id,
        "subtotal_cents": sum((products[code].price_cents or 0) * count for code, count in counts.items()),
        "short": [code for code in needing if available[code] < counts[code]],
        "lines": lines,
    }
    notes = [] if catalogue.download[0] else ["no policy marks which products need no stock: all were compared"]
    for code in needing:  # A page may say that another product serves it, or how many units a piece has.
        for key, detail in products[code].properties.items():
            notes += [f"{code} has `{key}` {detail}"] * (str(detail) in catalogue.codes or key in layout.marked)
    notes += catalogue.coming_days(products.values())
    return Finding(value, (Reference(record.path, f"basket {record.id} is {record.state}"),), tuple(notes))


_CANDIDATES: Final = 12
"""Products with similar codes whose names are compared with an item's."""
_LIKE: Final = 0.78
_APART: Final = 0.015
"""The lead in likeness that a product must have over any other."""
_TEXT: Final = re.compile(r"\.txt$", re.IGNORECASE)


@on_harness
def settle_receipt(reader: WorkspaceReader, path: str = "", tolerance_cents: int = 0) -> Finding[dict[str, Any]]:
    """Return the `lines` of a receipt as products, its subtotal then and now, and whether it `can_be_bought` again.

    Each line has `sku`, `quantity`, `price_cents` and `available` today at the receipt's branch; `within` says whether
    the subtotals differ by the tolerance at most. Without a path the only receipt among the uploads is meant. Raises
    `CannotRead` if a product or the branch is not certain.
    """
    layout = layout_of(reader)
    path, scan = _receipt(layout, path)
    catalogue = catalogue_of(layout)
    products = [_product_of(catalogue, item) for item in scan.items]
    branch = _branch_of(layout, scan)
    stock = BranchStock(layout, branch)
    lines = [
        {
            "sku": product.code,
            "quantity": item.count,
            "price_cents": product.price_cents,
            "available": stock.units(product.code)["available"],
        }
        for item, product in zip(scan.items, products, strict=True)
    ]
    listed = sum(item.count * item.unit_cents for item in scan.items)
    then = listed if scan.subtotal_cents is None else scan.subtotal_cents
    counts = [(product.code, item.count) for item, product in zip(scan.items, products, strict=True)]
    prices = {product.code: product.price_cents or 0 for product in products}
    today = reprice(counts, then, prices, tolerance_cents)
    wanted: dict[str, int] = {}
    for item, product in zip(scan.items, products, strict=True):
        wanted[product.code] = wanted.get(product.code, 0) + item.count * product.needs_stock
    value = {
        "branch": branch.id,
        "lines": lines,
        "subtotal_then_cents": then,
        "subtotal_now_cents": today.current_cents,
        "difference_cents": today.difference_cents,
        "within": today.is_within,
        "can_be_bought": all(stock.units(code)["available"] >= count for code, count in wanted.items()),
    }
    notes = [] if listed == then else [f"the lines add up to {listed} cents, the subtotal says {then}"]
    notes += catalogue.coming_days(products)
    receipt = Reference(path, f"the receipt of {branch.name or branch.id} with its lines")
    bought = map(product_reference, {product.path: product for product in products}.values())
    return Finding(value, (receipt, reference_to(branch, Kind.BRANCH), *bought), tuple(dict.fromkeys(notes)))


def _receipt(layout: ShopLayout, path: str) -> tuple[str, ScannedReceipt]:
    paths = [path]
    if not path:
        folders = tuple(f"{named}/" for text in layout.documents.values() for named in named_paths(text))
        paths = [file for file in layout.paths if file.startswith(folders) and _TEXT.search(file)]
    try:
        texts = layout.reader.read_all(paths)
    except LookupError:
        msg = f"there is no file {path}; closest: {layout.closest(path)}"
        raise CannotRead(msg) from None
    scans = [(place, _scan_of(text, is_named=bool(path))) for place, text in zip(paths, texts, strict=True)]
    receipts = [(place, scan) for place, scan in scans if scan is not None]
    if len(receipts) != 1:
        msg = f"{path} lists no items" if path else f"{len(receipts)} uploads are receipts: name one"
        raise CannotRead(msg)
    return receipts[0]


def _scan_of(text: str, *, is_named: bool) -> ScannedReceipt | None:
    """Parse a text as a receipt; its codes identify the products if they are in the items' lines."""
    scan = read_scan(text)
    if scan is not None and any(item.code for item in scan.items):
        return scan
    return (read_coded_lines(text.splitlines()) if scan is not None or is_named else None) or scan


def _product_of(catalogue: Catalogue, item: ScannedItem) -> Product:
    """Return the product that an item's name describes, among those with codes similar to the noted one."""
    if not item.name and (code := repaired_code(item.code, catalogue.codes)):
        return catalogue.called([code])[0]
    noted, said = folded_text(item.code), folded_text(item.name)
    ranked = sorted(catalogue.codes, key=lambda code: -shared_beginning(folded_text(code), noted))
    products = catalogue.read(catalogue.codes[likely_code] for likely_code in ranked[:_CANDIDATES])
    likely = {product.code: _likeness(said, product) for product in products}
    best = max(likely.values(), default=0.0)
    near = [product for product in products if likely[product.code] > best - _APART]
    chosen = near if len(near) == 1 else [product for product in near if folded_text(product.code) == noted]
    if not item.code or best < _LIKE or len(chosen) != 1:
        msg = f"it is not certain which product {item.name!r} ({item.code or 'no code'}) of the receipt is"
        raise CannotRead(msg)
    return chosen[0]


def _likeness(said: str, product: Product) -> float:
    """Return the likeness of a product's name to an item's, which may repeat the brand."""
    name, brand = folded_text(product.name), folded_text(product.brand)
    once = said[len(brand) :] if brand and likeness(said[: 2 * len(brand)], brand * 2) > 0.85 else said
    return max(likeness(said, name), likeness(once, name))


def _branch_of(layout: ShopLayout, scan: ScannedReceipt) -> Record:
    """Return the branch whose name is above the items."""
    head = [folded_text(line.rpartition(":")[2]) for line in scan.head]
    names = {branch.path: folded_text(branch.name) for branch in named_branches(layout)}
    likely = sorted(
        ((max((likeness(name, line) for line in head), default=0.0), path) for path, name in names.items()),
        reverse=True,
    )
    if not likely or likely[0][0] < _LIKE or (len(likely) > 1 and likely[0][0] - likely[1][0] < _APART):
        msg = "it is not certain of which branch the receipt is"
        raise CannotRead(msg)
    return layout.records.read([likely[0][1]])[0]
