"""What a scanned receipt lists, in the records' products, at today's prices and with today's units."""

from __future__ import annotations

import re
from typing import Any, Final

from benchmarks.shop.findings.product_findings import product_reference
from benchmarks.shop.findings.stock_findings import BranchStock
from benchmarks.shop.layout.branch_names import named_branches
from benchmarks.shop.layout.product_search import Catalogue, Product
from benchmarks.shop.layout.shop_layout import ShopLayout, WorkspaceReader
from toolkit import CannotRead, Finding, Reference
from toolkit.layout import named_paths
from toolkit.receipts import ScannedItem, ScannedReceipt, folded_text, likeness, read_scan, shared_beginning
from toolkit.records import Record

_CANDIDATES: Final = 12
"""Products of like codes whose names are compared with an item's."""
_LIKE: Final = 0.78
_APART: Final = 0.015
"""How much likelier than any other a product must be."""
_TEXT: Final = re.compile(r"\.txt$", re.IGNORECASE)


def settle_receipt(reader: WorkspaceReader, path: str = "", tolerance_cents: int = 0) -> Finding[dict[str, Any]]:
    """Return the `lines` of a receipt as products, its subtotal then and now, and whether it `can_be_bought` again.

    Each line has `sku`, `quantity`, `price_cents` and `available` today at the receipt's branch; `within` says whether
    the subtotals differ by the tolerance at most. Without a path the only receipt among the uploads is meant. Raises
    `CannotRead` if a product or the branch is not certain.
    """
    layout = ShopLayout(reader)
    path, scan = _receipt(layout, path)
    catalogue = Catalogue(layout)
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
    now = sum((product.price_cents or 0) * item.count for item, product in zip(scan.items, products, strict=True))
    wanted: dict[str, int] = {}
    for item, product in zip(scan.items, products, strict=True):
        wanted[product.code] = wanted.get(product.code, 0) + item.count * product.needs_stock
    value = {
        "branch": branch.id,
        "lines": lines,
        "subtotal_then_cents": then,
        "subtotal_now_cents": now,
        "difference_cents": abs(now - then),
        "within": abs(now - then) <= tolerance_cents,
        "can_be_bought": all(stock.units(code)["available"] >= count for code, count in wanted.items()),
    }
    notes = () if listed == then else (f"the lines add up to {listed} cents, the subtotal says {then}",)
    refs = [Reference(path, f"the receipt of {branch.name or branch.id} with its lines")]
    refs.append(Reference(branch.path, f"the branch {branch.name or branch.id} with its stock"))
    refs += map(product_reference, {each.path: each for each in products}.values())
    return Finding(value, tuple(refs), notes)


def _receipt(layout: ShopLayout, path: str) -> tuple[str, ScannedReceipt]:
    """Return the receipt that is meant, and where it is."""
    folders = [each for text in layout.documents.values() for each in named_paths(text)] if not path else []
    paths = (
        [path]
        if path
        else [
            each for each in layout.paths if _TEXT.search(each) and any(each.startswith(f"{one}/") for one in folders)
        ]
    )
    try:
        texts = layout.reader.read_all(paths)
    except LookupError:
        msg = f"there is no file {path}"
        raise CannotRead(msg) from None
    found = [(each, scan) for each, text in zip(paths, texts, strict=True) if (scan := read_scan(text)) is not None]
    if len(found) != 1:
        msg = f"{path} lists no items" if path else f"{len(found)} uploads are receipts: name one"
        raise CannotRead(msg)
    return found[0]


def _product_of(catalogue: Catalogue, item: ScannedItem) -> Product:
    """Return the product that an item's name describes, among those with codes like the noted one."""
    noted, said = folded_text(item.code), folded_text(item.name)
    ranked = sorted(catalogue.codes, key=lambda code: -shared_beginning(folded_text(code), noted))
    products = catalogue.read(catalogue.codes[each] for each in ranked[:_CANDIDATES])
    likely = {each.code: _likeness(said, each) for each in products}
    best = max(likely.values(), default=0.0)
    near = [each for each in products if likely[each.code] > best - _APART]
    chosen = near if len(near) == 1 else [each for each in near if folded_text(each.code) == noted]
    if not item.code or best < _LIKE or len(chosen) != 1:
        msg = f"it is not certain which product {item.name!r} ({item.code or 'no code'}) of the receipt is"
        raise CannotRead(msg)
    return chosen[0]


def _likeness(said: str, product: Product) -> float:
    """Return how like a product's name an item's is, whose brand may stand twice."""
    name, brand = folded_text(product.name), folded_text(product.brand)
    once = said[len(brand) :] if brand and likeness(said[: 2 * len(brand)], brand * 2) > 0.85 else said
    return max(likeness(said, name), likeness(once, name))


def _branch_of(layout: ShopLayout, scan: ScannedReceipt) -> Record:
    """Return the branch whose name stands above the items."""
    head = [folded_text(line.rpartition(":")[2]) for line in scan.head]
    names = {each.path: folded_text(each.name) for each in named_branches(layout)}
    likely = sorted(
        ((max((likeness(name, line) for line in head), default=0.0), path) for path, name in names.items()),
        reverse=True,
    )
    if not likely or likely[0][0] < _LIKE or (len(likely) > 1 and likely[0][0] - likely[1][0] < _APART):
        msg = "it is not certain of which branch the receipt is"
        raise CannotRead(msg)
    return layout.records.read([likely[0][1]])[0]
