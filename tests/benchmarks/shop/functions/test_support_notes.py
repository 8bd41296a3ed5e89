"""A support note describes a product, and may claim something false of it.

The note was written on a call with a customer. `match_products` finds the product all the same, and
its notes say what is true.
"""

import pytest

from tests.benchmarks.shop.functions.goods_records import tarp
from tests.benchmarks.shop.functions.written_shop import written_shop
from tests.support.function_results import function_result


@pytest.mark.parametrize(
    ("claim", "notes"),
    [
        pytest.param("", [], id="no claim"),
        pytest.param(
            " and has waterproof 9000",
            ["of TARP-SAND it is not true that it has waterproof 9000"],
            id="a wrong claim",
        ),
        pytest.param(
            " and is waterproof 3000 mm",
            ["of TARP-SAND it is true that it has waterproof 3000 mm"],
            id="a true claim",
        ),
    ],
)
def test_what_a_support_note_claims_of_a_product_is_checked(
    claim: str, notes: list[str]
) -> None:
    """The note is on the tarp in the colour sand, which is waterproof up to 3000 mm of water."""
    shop = written_shop(
        {
            "/proc/catalogue/TARP-SAND.json": tarp(
                "TARP-SAND", colour="sand", waterproof_mm=3000
            ),
            "/proc/catalogue/TARP-GREEN.json": tarp(
                "TARP-GREEN", colour="green", waterproof_mm=9000
            ),
        }
    )

    result = function_result(
        shop,
        "match_products",
        description="support note: the tarp from Osier in the Osier Lea line "
        f"that has colour sand{claim}",
    )

    assert [product["sku"] for product in result["value"]] == ["TARP-SAND"]
    assert result["notes"] == notes
