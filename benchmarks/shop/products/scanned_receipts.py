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
from controlplane.benchmarks.shop.products.coded_receipts import read_coded_lines
from controlplane.benchmarks.shop.products.misread_characters import (
    folded_text,
    likeness,
)
from controlplane.benchmarks.shop.products.named_receipts import read_scan
from controlplane.benchmarks.shop.products.product import Product
from controlplane.benchmarks.shop.products.receipt_parts import (
    ScannedItem,
    ScannedReceipt,
)
from controlplane.benchmarks.shop.products.repricing import repaired_code
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
        scan = _receipt_in(layout.files.text_of(path), codes_are_enough=True)
        return ReceiptFile(path, value_or_raise(scan, f"{path} lists no items"))

    receipts = []
    for file_path, text in _texts_in_named_folders(layout).items():
        # Many other files have lines with codes, too, such as lists of stock.
        scan = _receipt_in(text, codes_are_enough=False)
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


def _receipt_in(text: str, *, codes_are_enough: bool) -> ScannedReceipt | None:
    """Return the receipt in a text; None if the text is not one.

    A line of a receipt has an item's name or its code:

        2 x  Lea tarp 3x3 sand       71.39   142.78
        2 x  VH-TRP-LEA-3X3-SND      71.39   142.78

    If lines can be read in both ways, they are read by code, because a code identifies a
    product more reliably than a name. With `codes_are_enough`, a text is also a receipt if
    its lines can only be read by code.
    """
    by_name = read_scan(text)
    if by_name is None and not codes_are_enough:
        return None
    if by_name is not None and any(item.code for item in by_name.items):
        # The codes are on lines of their own, below the names.
        return by_name
    by_code = read_coded_lines(text.splitlines())
    return by_code or by_name


def scanned_product(catalogue: Catalogue, item: ScannedItem) -> Product:
    """Return the product of an item on a receipt. Raises `CannotRead` if it is not certain.

    - An item with only a code is the product with this code, of which characters may be
      misread: `VH-TRP-5ND` is `VH-TRP-SND`.
    - An item with a name and a code is the product with the most similar name, among those
      with similar codes: `0sier Lea tavp` is `Osier Lea tarp`.
    - An item with only a name is never certain, because nothing limits the products whose
      names would have to be compared.
    """
    product = None
    if not item.name:
        product = _product_by_code(catalogue, item)
    elif item.code:
        product = _product_by_name(catalogue, item)
    code_text = item.code or "no code"
    return value_or_raise(
        product,
        f"it is not certain which product {item.name!r} ({code_text}) of the receipt is",
    )


def _product_by_code(catalogue: Catalogue, item: ScannedItem) -> Product | None:
    """Return the product with an item's code, which may be misread; None if it is not certain."""
    code = repaired_code(item.code, catalogue.codes)
    if code is None:
        return None
    return catalogue.with_codes([code])[0]


def _product_by_name(catalogue: Catalogue, item: ScannedItem) -> Product | None:
    """Return the product whose name is most like that of an item; None if it is not certain.

    Only products with codes like that of the item are compared.
    """
    # 1. Compare the names.
    name = folded_text(item.name)
    products = _products_with_similar_codes(catalogue, item.code)
    likeness_of = {product.code: _name_likeness(name, product) for product in products}
    best_likeness = max(likeness_of.values(), default=0.0)
    if best_likeness < LEAST_LIKENESS:
        return None

    # 2. Take the product with the best likeness, and those that are about as similar.
    candidates = []
    for product in products:
        if likeness_of[product.code] > best_likeness - LEAST_LEAD:
            candidates.append(product)

    # 3. Of several, the code decides.
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
