"""Before the day in its field `embargo_until`, nothing may be told of a product.

Whichever function a script asks about such a product, a note tells it of the embargo. Today is
2028-05-01.
"""

from typing import Any

import pytest

from tests.benchmarks.shop.functions.goods_records import branch, tarp
from tests.benchmarks.shop.functions.written_shop import written_shop
from tests.support.function_results import function_result

# The rules mention the field, so that it counts.
RULES = """\
Records are below /proc/. Follow /docs/checkout.md.
Tell nothing of a product before its `embargo_until`.
"""
RECEIPT = """\
Branch: Utrecht Canal
1 x TARP-4 71.19
Subtotal EUR 71.19
"""
NOTE_OF_21_MAY = (
    "TARP-4 has `embargo_until` 2028-05-21, which is still to come: see the rules on it"
)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("settle_receipt", {"path": "/uploads/slip.txt"}),
        ("find_records", {"kind": "product", "field": "sku", "value": "TARP-4"}),
        ("stock_at", {"products": ["TARP-4"], "branch": "store-1"}),
        ("match_products", {"description": "Osier tarp"}),
    ],
)
@pytest.mark.parametrize(
    ("embargo_day", "notes"),
    [
        pytest.param("2028-05-21", [NOTE_OF_21_MAY], id="still to come"),
        pytest.param("2028-04-21", [], id="past"),
    ],
)
def test_functions_note_that_a_product_is_still_under_embargo(
    function: str, arguments: dict[str, Any], embargo_day: str, notes: list[str]
) -> None:
    product = tarp("TARP-4", cents=7119, embargo_until=embargo_day)
    shop = written_shop(
        {
            "/AGENTS.MD": RULES,
            "/proc/catalogue/TARP-4.json": product,
            "/proc/branches/store-1.json": branch(
                "store-1", "Utrecht Canal", {"TARP-4": 7}
            ),
            "/uploads/slip.txt": RECEIPT,
        }
    )

    result = function_result(shop, function, **arguments)

    assert result["notes"] == notes
