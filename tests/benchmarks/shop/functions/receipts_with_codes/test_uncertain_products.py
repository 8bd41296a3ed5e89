"""A line of a scanned receipt that may mean several products is refused, and no product is read.

"2 Lea tarp 71.39" has no code, and several products may be called "Lea tarp".
"""

from dataclasses import dataclass
from typing import Any

import pytest

from controlplane.benchmarks.shop.receipts.receipt_parts import ScannedItem
from controlplane.benchmarks.shop.receipts.scanned_products import scanned_product
from controlplane.sandbox.functions import CannotRead


@dataclass
class UnreadableCatalogue:
    """A catalogue that knows the paths of products by their codes, and fails if one is read."""

    codes: dict[str, str]


def test_a_scanned_name_without_a_code_is_refused() -> None:
    catalogue: Any = UnreadableCatalogue({"TARP-SAND": "/proc/TARP-SAND.json"})
    item = ScannedItem(1, "Lea tarp", code="", unit_cents=7139, total_cents=7139)

    with pytest.raises(CannotRead, match=r"'Lea tarp' \(no code\)"):
        scanned_product(catalogue, item)


def test_an_unknown_code_without_a_name_is_refused() -> None:
    """A code may be misread, so a product is only certain if its name fits, too."""
    catalogue: Any = UnreadableCatalogue({"TARP-1": "/proc/TARP-1.json"})
    item = ScannedItem(1, "", code="TARP-9", unit_cents=7139, total_cents=7139)

    with pytest.raises(CannotRead, match=r"'' \(TARP-9\)"):
        scanned_product(catalogue, item)
