r"""A branch is named by its city in any spelling, if it is the only one there: "Zurich" for `Zürich`.

The JSON of the branch's record may have the letters themselves, or escapes: `Z\u00fcrich`.
"""

import json

import pytest

from tests.benchmarks.shop.functions.goods_records import branch, tarp
from tests.benchmarks.shop.functions.written_shop import written_shop
from tests.support.function_results import function_result


@pytest.mark.parametrize(
    "is_escaped",
    [
        pytest.param(False, id="written as they are"),
        pytest.param(True, id="escaped in JSON"),
    ],
)
def test_the_stock_of_the_branch_in_a_city_with_accents_is_found(
    is_escaped: bool,
) -> None:
    zurich = branch("store-1", "Zürich Lake", {"TARP-4": 7})
    record = json.dumps(zurich, indent=2, ensure_ascii=is_escaped)
    shop = written_shop(
        {
            "/proc/catalogue/TARP-4.json": tarp("TARP-4"),
            "/proc/branches/store-1.json": record,
        }
    )

    stock = function_result(shop, "stock_at", products=["TARP-4"], branch="Zurich")

    assert stock["value"]["TARP-4"]["available"] == 7
