"""A line of a scanned receipt is refused if its product is not certain, and no product is read.

The shop of these tests has a single product. A line is not about this product merely because there is no
other: its name or code may be misread, and products may be gone.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pytest

from controlplane.benchmarks.shop.products.product import Product
from controlplane.benchmarks.shop.stock_functions import ScannedItem, scanned_product
from controlplane.sandbox.functions import CannotRead


@dataclass
class UnreadableCatalogue:
    """A catalogue of products that knows only the path of each by its code."""

    codes: dict[str, str]

    def read(self, paths: Iterable[str]) -> list[Product]:
        raise AssertionError

    def with_codes(self, codes: Iterable[str]) -> list[Product]:
        raise AssertionError


def test_a_name_without_a_code_is_refused() -> None:
    """The line "1 Lea tarp 71.39" has no code. All names of a shop would be too many to compare."""
    catalogue: Any = UnreadableCatalogue(codes={"TARP-SAND": "/proc/TARP-SAND.json"})
    item = ScannedItem(
        count=1, name="Lea tarp", code="", unit_cents=7139, total_cents=7139
    )

    with pytest.raises(CannotRead, match=r"'Lea tarp' \(no code\)"):
        scanned_product(catalogue, item)


def test_an_unknown_code_without_a_name_is_refused() -> None:
    """The line "1 TARP-9 71.39" has no name, by which a misread code could be checked."""
    catalogue: Any = UnreadableCatalogue(codes={"TARP-1": "/proc/TARP-1.json"})
    item = ScannedItem(
        count=1, name="", code="TARP-9", unit_cents=7139, total_cents=7139
    )

    with pytest.raises(CannotRead, match=r"'' \(TARP-9\)"):
        scanned_product(catalogue, item)
