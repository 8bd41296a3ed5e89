"""Finds a scanned receipt among the uploads, and the products and the branch that it names.

Names on a receipt may be misread: `0sier Lea tavp` is the product `Osier Lea tarp`. So a
scanned name means the most similar name of the shop, if no other is about as similar.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from posixpath import commonprefix
from typing import Final

from controlplane.benchmarks.shop.products.catalogue import Catalogue
from controlplane.benchmarks.shop.products.product import Product
from controlplane.benchmarks.shop.products.receipts import (
    ScannedItem,
    ScannedReceipt,
    folded_text,
    likeness,
    read_coded_lines,
    read_scan,
    repaired_code,
)
from controlplane.benchmarks.shop.texts.documents import named_paths
from controlplane.benchmarks.shop.texts.text import require, value_or_raise
from controlplane.benchmarks.shop.workspace.branches import named_branches
from controlplane.benchmarks.shop.workspace.records.record import Record
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout

# Likeness is the similarity of a scanned text and the right one, from 0 to 1. With one
# or two misread characters, a name stays well above the least likeness.
LEAST_LIKENESS: Final = 0.78
"""The least likeness of a scanned name and the name of its product or branch."""
LEAST_LEAD: Final = 0.015
"""The right name must be more like the scanned one than any other name, by at least this much."""
_TEXT_FILE: Final = re.compile(r"\.txt$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ReceiptFile:
    """A receipt among the uploads."""

    path: str
    scan: ScannedReceipt


def receipt_file(layout: ShopLayout, path: str) -> ReceiptFile:
    """Return the receipt at a path; with an empty path, the only receipt among the uploads.

    Uploads are the text files in folders that documents name. Raises `CannotRead` if
    there is no receipt, or several.
    """
    if path:
        # In a file that the caller names, lines with codes alone are a receipt, too.
        text = layout.files.text_of(path)
        scan = _scan_with_names(text) or _scan_with_codes(text)
        return ReceiptFile(path, value_or_raise(scan, f"{path} lists no items"))

    receipts = []
    for file_path, text in _texts_in_named_folders(layout).items():
        # Many other files have lines with codes, so here a receipt must list names.
        scan = _scan_with_names(text)
        if scan is not None:
            receipts.append(ReceiptFile(file_path, scan))
    require(len(receipts) == 1, f"{len(receipts)} uploads are receipts: name one")
    return receipts[0]


def _texts_in_named_folders(layout: ShopLayout) -> dict[str, str]:
    """Return the text files in the folders that documents name, by path."""
    folders: list[str] = []
    for document in layout.documents.texts.values():
        folders += [f"{named_path}/" for named_path in named_paths(document)]
    paths = []
    for path in layout.files.paths:
        if path.startswith(tuple(folders)) and _TEXT_FILE.search(path):
            paths.append(path)
    return dict(zip(paths, layout.reader.read_all(paths), strict=True))


def _scan_with_names(text: str) -> ScannedReceipt | None:
    """Return the receipt in a text; None if the text does not list items with names.

    If these items have no codes, but other lines do, the items are read from those lines,
    because a code identifies a product more reliably than a name.
    """
    scan = read_scan(text)
    if scan is None or any(item.code for item in scan.items):
        return scan
    return _scan_with_codes(text) or scan


def _scan_with_codes(text: str) -> ScannedReceipt | None:
    """Return the receipt in a text whose lines have codes instead of names; None for other texts."""
    return read_coded_lines(text.splitlines())


def scanned_product(catalogue: Catalogue, item: ScannedItem) -> Product:
    """Return the product of an item on a receipt. Raises `CannotRead` if it is not certain.

    An item without a name is identified by its code alone. Otherwise, the products with
    codes like the scanned one are compared, and the one with the most similar name is
    returned. If several names are about equally similar, the code decides.
    """
    # 1. By the code alone.
    if not item.name:
        code = repaired_code(item.code, catalogue.codes)
        if code is not None:
            return catalogue.with_codes([code])[0]

    # 2. By name and code. A name without a code is never certain: nothing limits the products to
    #    compare. No product's name is like an empty one, so an unknown code alone is refused, too.
    product = None
    if item.code:
        product = _product_by_name(catalogue, item)
    code_text = item.code or "no code"
    return value_or_raise(
        product,
        f"it is not certain which product {item.name!r} ({code_text}) of the receipt is",
    )


def _product_by_name(catalogue: Catalogue, item: ScannedItem) -> Product | None:
    """Return the product whose name is most like that of an item; None if it is not certain."""
    name = folded_text(item.name)
    products = _products_with_similar_codes(catalogue, item.code)
    likeness_of = {product.code: _name_likeness(name, product) for product in products}
    greatest = max(likeness_of.values(), default=0.0)
    if greatest < LEAST_LIKENESS:
        return None

    # Names that are nearly as like the scanned one as the best name may be the right
    # one, too. Then the code decides.
    least = greatest - LEAST_LEAD
    candidates = [product for product in products if likeness_of[product.code] > least]
    if len(candidates) > 1:
        code = folded_text(item.code)
        candidates = [
            product for product in candidates if folded_text(product.code) == code
        ]
    return candidates[0] if len(candidates) == 1 else None


MAX_COMPARED_PRODUCTS: Final = 12
"""The number of products, with codes most like the scanned one, whose names are compared."""


def _products_with_similar_codes(
    catalogue: Catalogue, scanned_code: str
) -> list[Product]:
    """Return the `MAX_COMPARED_PRODUCTS` products whose codes begin most like a scanned code."""
    folded_code = folded_text(scanned_code)
    ranked_codes = sorted(
        catalogue.codes,
        key=lambda code: -len(commonprefix([folded_text(code), folded_code])),
    )
    return catalogue.read(
        catalogue.codes[code] for code in ranked_codes[:MAX_COMPARED_PRODUCTS]
    )


LEAST_BRAND_LIKENESS: Final = 0.85
"""How like the brand, written twice, the start of a name is if the scan has repeated the brand."""


def _name_likeness(scanned_name: str, product: Product) -> float:
    """Return how similar a product's name is to a scanned name, from 0 to 1.

    `scanned_name` is folded: it has no blanks (see `folded_text`). It may repeat the brand:
    `osierosierleatarp` for `Osier Lea tarp`.
    """
    name = folded_text(product.name)
    brand = folded_text(product.brand)
    without_repetition = scanned_name
    beginning = scanned_name[: 2 * len(brand)]
    if brand and likeness(beginning, brand * 2) > LEAST_BRAND_LIKENESS:
        without_repetition = scanned_name[len(brand) :]
    return max(likeness(scanned_name, name), likeness(without_repetition, name))


def scanned_branch(layout: ShopLayout, scan: ScannedReceipt) -> Record:
    """Return the branch that is named above the items. Raises `CannotRead` if it is not certain."""
    # 1. Compare each branch's name with each line: of `Branch: Graz Centre`, with `Graz Centre`.
    head = [folded_text(line.rpartition(":")[2]) for line in scan.head]
    candidates = []
    for branch in named_branches(layout):
        likeness_to_head = _best_likeness(folded_text(branch.name), head)
        candidates.append((likeness_to_head, branch.path))
    candidates.sort(reverse=True)

    # 2. The best branch must be similar, and clearly more so than the second best.
    uncertainty = "it is not certain of which branch the receipt is"
    require(candidates, uncertainty)
    best, path = candidates[0]
    second, _ = candidates[1] if len(candidates) > 1 else (0.0, "")
    require(best >= LEAST_LIKENESS and best - second >= LEAST_LEAD, uncertainty)
    return layout.records.read([path])[0]


def _best_likeness(name: str, lines: Sequence[str]) -> float:
    """Return the likeness of a name to the line that is most like it."""
    return max((likeness(name, line) for line in lines), default=0.0)
