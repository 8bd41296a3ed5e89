"""A search for a word that no record has finds nothing, and notes the closest words.

This is no error, since "there is none" may be the answer to what a customer asks.
"""

from tests.benchmarks.shop.functions.customer_records import employee
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


def test_a_record_with_an_unknown_value_is_not_found() -> None:
    """No product has the name `tent`. The paths of three others are most like it."""
    shop = written_shop(
        {
            "/proc/catalogue/TARP-1.json": tarp("TARP-1"),
            "/proc/catalogue/TARP-2.json": tarp("TARP-2"),
            "/proc/catalogue/TARP-3.json": tarp("TARP-3"),
            "/proc/catalogue/TARP-4.json": tarp("TARP-4"),
        }
    )

    result = function_result(
        shop, "find_records", kind="product", field="name", value="tent"
    )

    assert result["value"] == []
    assert result["notes"] == [
        "no product holds 'tent' as its name; closest: /proc/catalogue/TARP-4.json, "
        "/proc/catalogue/TARP-3.json, /proc/catalogue/TARP-2.json"
    ]


def test_a_person_with_an_unknown_role_is_not_found() -> None:
    shop = written_shop(
        {
            "/proc/staff/emp-1.json": employee("emp-1", roles=["packer", "driver"]),
            "/proc/staff/emp-2.json": employee("emp-2", roles=["manager", "cashier"]),
        }
    )

    result = function_result(shop, "staff_with_role", role="lamp")

    assert result["value"] == 0
    assert result["notes"] == [
        "nobody has the role 'lamp' there; roles of others: packer, manager, cashier"
    ]
