"""A description with a word that no product has fits nothing, and a note names the closest products.

This is no error, since "there is none" may be the answer to what a customer asks.
"""

from tests.benchmarks.shop.functions.goods_records import tarp
from tests.benchmarks.shop.functions.written_shop import written_shop
from tests.support.function_results import function_result


def test_a_product_with_an_unknown_word_is_not_found() -> None:
    """No product is a sack. The closest ones have the other word, `waterproof`."""
    shop = written_shop(
        {
            "/proc/catalogue/TARP-1.json": tarp("TARP-1", waterproof_mm=4000),
            "/proc/catalogue/TARP-2.json": tarp("TARP-2", waterproof_mm=4000),
            "/proc/catalogue/TARP-3.json": tarp("TARP-3", waterproof_mm=4000),
            "/proc/catalogue/TARP-4.json": tarp("TARP-4", waterproof_mm=4000),
            "/proc/catalogue/TARP-5.json": tarp("TARP-5"),
        }
    )

    result = function_result(shop, "match_products", description="the waterproof sack")

    assert result["value"] == []
    assert result["notes"] == [
        "no product record holds 'sack': use words of the records; closest: "
        "TARP-1 Osier Lea tarp, TARP-2 Osier Lea tarp, TARP-3 Osier Lea tarp"
    ]


def test_a_note_names_all_unknown_words() -> None:
    """No product has either word, so none is closest."""
    shop = written_shop({"/proc/catalogue/TARP-1.json": tarp("TARP-1")})

    result = function_result(shop, "match_products", description="hatchet warmer")

    assert result["value"] == []
    assert result["notes"] == [
        "no product record holds 'hatchet', 'warmer': use words of the records"
    ]
