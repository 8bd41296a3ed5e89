"""Finds a scanned receipt among the uploads of a customer.

"Can I buy all this again?" means the only receipt that was uploaded. Uploads are the text files
in folders that the shop's documents name, such as `/uploads`. Other files may be there, too, and
must not be taken for a receipt: a list of stock also has lines with codes of products.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.certain_values import require, value_or_raise
from controlplane.benchmarks.shop.receipts.coded_receipts import read_coded_lines
from controlplane.benchmarks.shop.receipts.named_receipts import read_scan
from controlplane.benchmarks.shop.receipts.receipt_parts import (
    ScannedReceipt,
)
from controlplane.benchmarks.shop.texts.documents import named_paths
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout

_TEXT_FILE: Final = re.compile(r"\.txt$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ReceiptFile:
    """A receipt among the uploads."""

    path: str
    scan: ScannedReceipt


def receipt_file(layout: ShopLayout, path: str) -> ReceiptFile:
    """Return the receipt at a path; with an empty path, the only receipt among the uploads.

    Raises `CannotRead` if the file is not a receipt, or if there is no receipt among the
    uploads, or several.
    """
    # A file that the caller names is taken for a receipt if it lists codes of products.
    if path:
        scan = _receipt_in(layout.files.text_of(path), codes_are_enough=True)
        return ReceiptFile(path, value_or_raise(scan, f"{path} lists no items"))

    # Any other file is not: it may be a list of stock.
    receipts = []
    for file_path, text in _texts_in_named_folders(layout).items():
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
