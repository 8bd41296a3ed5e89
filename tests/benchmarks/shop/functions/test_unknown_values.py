"""A search for a value that no record has finds nothing, and a note names the three closest ones.

This is no error, since "there is none" may be the answer to what a customer asks.
"""

from tests.benchmarks.shop.functions.customer_records import employee
from tests.benchmarks.shop.functions.goods_records import tarp
from tests.benchmarks.shop.functions.written_shop import written_shop
from tests.support.function_results import function_result


def test_a_record_with_an_unknown_value_is_not_found() -> None:
    """Of the four products, the files of three have names like "tents". The most similar is first."""
    shop = written_shop(
        {
            "/proc/catalogue/LAMP-1.json": tarp("LAMP-1"),
            "/proc/catalogue/TENT-GREEN.json": tarp("TENT-GREEN"),
            "/proc/catalogue/TENT-RED.json": tarp("TENT-RED"),
            "/proc/catalogue/TENT-SAND.json": tarp("TENT-SAND"),
        }
    )

    result = function_result(
        shop, "find_records", kind="product", field="name", value="tents"
    )

    assert result["value"] == []
    assert result["notes"] == [
        "no product holds 'tents' as its name; closest: /proc/catalogue/TENT-SAND.json, "
        "/proc/catalogue/TENT-RED.json, /proc/catalogue/TENT-GREEN.json"
    ]


def test_no_person_has_an_unknown_role() -> None:
    """The function counts people. Of the four roles in the shop, three are named, `driver` first."""
    shop = written_shop(
        {
            "/proc/staff/emp-1.json": employee("emp-1", roles=["packer", "driver"]),
            "/proc/staff/emp-2.json": employee("emp-2", roles=["manager", "cashier"]),
        }
    )

    result = function_result(shop, "staff_with_role", role="drivers")

    assert result["value"] == 0
    assert result["notes"] == [
        "nobody has the role 'drivers' there; roles of others: driver, cashier, packer"
    ]
