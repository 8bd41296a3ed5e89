"""A search for a value that no record has finds nothing, and a note names the closest ones.

This is no error, since "there is none" may be the answer to what a customer asks.
"""

from tests.benchmarks.shop.functions.customer_records import employee
from tests.benchmarks.shop.functions.goods_records import tarp
from tests.benchmarks.shop.functions.written_shop import written_shop
from tests.support.function_results import function_result


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
