r"""Functions find products of a brand with accents, such as "Bjørn Åsmöör", in small or capital letters.

The JSON of the product's record may have the letters themselves, or escapes: `Bj\u00f8rn`.
"""

import json
from typing import Any

import pytest

from tests.benchmarks.shop.functions.goods_records import tarp
from tests.benchmarks.shop.functions.written_shop import written_shop
from tests.support.function_results import function_result


@pytest.mark.parametrize(
    "is_escaped",
    [
        pytest.param(False, id="written as they are"),
        pytest.param(True, id="escaped in JSON"),
    ],
)
@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("match_products", {"description": "Bjørn Åsmöör's Lea"}),
        ("match_products", {"description": "BJØRN ÅSMÖÖR tarp"}),
        (
            "find_records",
            {"kind": "product", "field": "brand", "value": "Bjørn Åsmöör"},
        ),
    ],
)
def test_a_product_of_a_brand_with_accents_is_found(
    function: str, arguments: dict[str, Any], is_escaped: bool
) -> None:
    record = json.dumps(
        tarp("TARP-4", brand="Bjørn Åsmöör"), indent=2, ensure_ascii=is_escaped
    )
    shop = written_shop(
        {
            "/proc/catalogue/Bjørn Åsmöör/TARP-4.json": record,
            "/proc/catalogue/Bjarne/TARP-7.json": tarp("TARP-7", brand="Bjarne"),
        }
    )

    products = function_result(shop, function, **arguments)["value"]

    assert [product["sku"] for product in products] == ["TARP-4"]
