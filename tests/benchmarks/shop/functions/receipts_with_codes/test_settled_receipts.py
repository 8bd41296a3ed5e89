"""`settle_receipt` tells which products a scanned receipt has, and what they cost now.

A receipt may have codes instead of names, and misread letters: `TARP-5AND` for `TARP-SAND`. The result
has the products (`lines`) and two subtotals: the one on the receipt (`subtotal_then_cents`), and the one
by the prices of today (`subtotal_now_cents`). `within` is True if these two are the same.
"""

from typing import Any

import pytest

from tests.benchmarks.shop.functions.goods_records import branch, tarp
from tests.benchmarks.shop.functions.written_shop import written_shop
from tests.support.function_results import function_result

# A line has the quantity, the code, the price of one and the price of all: 2 of 71.39 are 142.78.
# A line with the quantity 1 has only one price.
RECEIPT = """\
Branch: Utrecht Canal
2 TARP-GREEN 71.39 142.78
1 x TARP-5AND 71.19
Subtotal EUR 213.97
"""

given_or_found = pytest.mark.parametrize(
    "path",
    [
        pytest.param("/uploads/slip.txt", id="given by its path"),
        pytest.param("", id="the only upload"),
    ],
)


def settle_receipt(path: str, *, cents_of_tarp_sand: int) -> dict[str, Any]:
    """Return what the function says of the receipt. A TARP-GREEN costs 71.39, as on the receipt."""
    stock = {"TARP-GREEN": 4, "TARP-SAND": 4}
    shop = written_shop(
        {
            "/uploads/slip.txt": RECEIPT,
            "/proc/catalogue/TARP-GREEN.json": tarp("TARP-GREEN", cents=7139),
            "/proc/catalogue/TARP-SAND.json": tarp(
                "TARP-SAND", cents=cents_of_tarp_sand
            ),
            "/proc/branches/store-1.json": branch("store-1", "Utrecht Canal", stock),
        }
    )
    result = function_result(shop, "settle_receipt", path=path)
    settled: dict[str, Any] = result["value"]
    return settled


@given_or_found
def test_a_receipt_without_names_is_settled_by_its_codes(path: str) -> None:
    settled = settle_receipt(path, cents_of_tarp_sand=7119)

    quantities = {line["sku"]: line["quantity"] for line in settled["lines"]}
    assert quantities == {"TARP-GREEN": 2, "TARP-SAND": 1}
    assert settled["subtotal_now_cents"] == 213_97  # 2 * 71.39 + 71.19
    assert settled["subtotal_then_cents"] == 213_97
    assert settled["within"] is True


@given_or_found
def test_a_receipt_is_compared_with_the_prices_of_today(path: str) -> None:
    """TARP-SAND costs EUR 10 more now than on the receipt."""
    settled = settle_receipt(path, cents_of_tarp_sand=8119)

    assert settled["subtotal_then_cents"] == 213_97
    assert settled["subtotal_now_cents"] == 223_97
    assert settled["within"] is False
