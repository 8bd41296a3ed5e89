"""`settle_receipt` tells which products a scanned receipt has, and what they cost now.

A scan may have codes instead of names, and misread letters: `TARP-5AND` for `TARP-SAND`.
"""

from dataclasses import dataclass
from typing import Any

import pytest

from controlplane.benchmarks.shop.receipts.receipt_parts import ScannedItem
from controlplane.benchmarks.shop.receipts.scanned_products import scanned_product
from controlplane.sandbox.functions import CannotRead
from tests.benchmarks.shop.functions.goods_records import branch, tarp
from tests.benchmarks.shop.functions.written_shop import written_shop
from tests.support.function_results import function_result

# A line has a quantity, a code, the price of one and the price of all. A line about one product
# has only one price.
RECEIPT = """\
Branch: Utrecht Canal
2 TARP-GREEN 71.39 142.78
1 x TARP-5AND 71.19
Subtotal EUR 213.97
"""


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/uploads/slip.txt", id="given by its path"),
        pytest.param("", id="the only upload"),
    ],
)
class TestReceiptsWithCodes:
    """`RECEIPT` was uploaded. Its products still have the same prices."""

    def test_a_receipt_without_names_is_settled_by_its_codes(self, path: str) -> None:
        """The misread code `TARP-5AND` is that of TARP-SAND."""
        shop = written_shop(
            {
                "/uploads/slip.txt": RECEIPT,
                "/proc/catalogue/TARP-GREEN.json": tarp("TARP-GREEN", cents=7139),
                "/proc/catalogue/TARP-SAND.json": tarp("TARP-SAND", cents=7119),
                "/proc/branches/store-1.json": branch(
                    "store-1", "Utrecht Canal", {"TARP-GREEN": 4, "TARP-SAND": 4}
                ),
            }
        )

        settled = function_result(shop, "settle_receipt", path=path)["value"]

        quantities = {line["sku"]: line["quantity"] for line in settled["lines"]}
        assert quantities == {"TARP-GREEN": 2, "TARP-SAND": 1}
        assert settled["subtotal_now_cents"] == 213_97  # 2 * 71.39 + 71.19
        assert settled["within"] is True  # The subtotal of the receipt is the same.

    def test_a_receipt_is_compared_with_the_prices_of_today(self, path: str) -> None:
        """TARP-SAND costs EUR 10 more now than on the receipt."""
        shop = written_shop(
            {
                "/uploads/slip.txt": RECEIPT,
                "/proc/catalogue/TARP-GREEN.json": tarp("TARP-GREEN", cents=7139),
                "/proc/catalogue/TARP-SAND.json": tarp("TARP-SAND", cents=8119),
                "/proc/branches/store-1.json": branch(
                    "store-1", "Utrecht Canal", {"TARP-GREEN": 4, "TARP-SAND": 4}
                ),
            }
        )

        settled = function_result(shop, "settle_receipt", path=path)["value"]

        assert settled["subtotal_then_cents"] == 213_97
        assert settled["subtotal_now_cents"] == 223_97
        assert settled["within"] is False


@dataclass
class UnreadableCatalogue:
    """A catalogue that knows the paths of products by their codes, and fails if one is read."""

    codes: dict[str, str]


class TestUncertainProducts:
    """A line of a receipt that may mean several products is refused, and no product is read."""

    def test_a_scanned_name_without_a_code_is_refused(self) -> None:
        """Several products may be called "Lea tarp"."""
        catalogue: Any = UnreadableCatalogue({"TARP-SAND": "/proc/TARP-SAND.json"})
        item = ScannedItem(1, "Lea tarp", code="", unit_cents=7139, total_cents=7139)

        with pytest.raises(CannotRead, match=r"'Lea tarp' \(no code\)"):
            scanned_product(catalogue, item)

    def test_an_unknown_code_without_a_name_is_refused(self) -> None:
        """A code may be misread, so a product is only certain if its name fits, too."""
        catalogue: Any = UnreadableCatalogue({"TARP-1": "/proc/TARP-1.json"})
        item = ScannedItem(1, "", code="TARP-9", unit_cents=7139, total_cents=7139)

        with pytest.raises(CannotRead, match=r"'' \(TARP-9\)"):
            scanned_product(catalogue, item)
