"""Functions find names with accents in any spelling, such as "Zuerich" or "zurich" for `Zürich`.

The JSON of records may have the letters themselves, or escapes: `Z\\u00fcrich`.
"""

import json
from typing import Any

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
class TestAccents:
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
        self, function: str, arguments: dict[str, Any], is_escaped: bool
    ) -> None:
        product = tarp("TARP-4", brand="Bjørn Åsmöör")
        other_product = tarp("TARP-7", brand="Bjarne")
        shop = written_shop(
            {
                "/proc/catalogue/Bjørn Åsmöör/TARP-4.json": json.dumps(
                    product, indent=2, ensure_ascii=is_escaped
                ),
                "/proc/catalogue/Bjarne/TARP-7.json": json.dumps(other_product),
            }
        )

        products = function_result(shop, function, **arguments)["value"]

        assert [product["sku"] for product in products] == ["TARP-4"]

    @pytest.mark.parametrize(
        ("place", "branch_id"),
        [
            ("Zuerich", "store-1"),
            ("zurich", "store-1"),
            ("’s Den Haag", "store-2"),
        ],
    )
    def test_the_branches_in_a_city_with_accents_are_found(
        self, place: str, branch_id: str, is_escaped: bool
    ) -> None:
        zurich = branch("store-1", "Zürich Lake", {"TARP-4": 7})
        the_hague = branch("store-2", "Beach", {"TARP-4": 7}) | {"city": "'s-Den Haag"}
        shop = written_shop(
            {
                "/proc/branches/store-1.json": json.dumps(
                    zurich, indent=2, ensure_ascii=is_escaped
                ),
                "/proc/branches/store-2.json": json.dumps(
                    the_hague, indent=2, ensure_ascii=is_escaped
                ),
            }
        )

        result = function_result(shop, "branches_in", place=place)

        assert [row["id"] for row in result["value"]] == [branch_id]

    def test_the_stock_of_the_branch_in_a_city_with_accents_is_found(
        self, is_escaped: bool
    ) -> None:
        """The city is enough to name the branch, since it is the only one there."""
        zurich = branch("store-1", "Zürich Lake", {"TARP-4": 7})
        shop = written_shop(
            {
                "/proc/catalogue/TARP-4.json": tarp("TARP-4"),
                "/proc/branches/store-1.json": json.dumps(
                    zurich, indent=2, ensure_ascii=is_escaped
                ),
            }
        )

        stock = function_result(shop, "stock_at", products=["TARP-4"], branch="Zurich")

        assert stock["value"]["TARP-4"]["available"] == 7
