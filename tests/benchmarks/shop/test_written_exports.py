"""The pre-call check compares an export of stock, which a script writes, with the records.

    SKU,2030-01-14,2030-01-15        today, and tomorrow
    AB-1,4,12                        4 units can be sold, and tomorrow 12 more arrive

It objects to a wrong cell, and to a row that is missing.
"""

from controlplane.benchmarks.shop.pre_call_check import pre_call_check
from controlplane.sandbox.functions import FunctionResult
from tests.benchmarks.shop.small_shop import SmallShop, product

PAGE_ON_STOCK = "`/bin/availability` tells the stock. A delivery has `arrival_in_days`."


def check_of_export(
    export: str, page_on_stock: str = PAGE_ON_STOCK
) -> FunctionResult[str]:
    """Return what the check says of an export. The shop has three products and one branch.

    It is 2030-01-14. Tomorrow, 12 units of AB-1 arrive.
    """
    files = {
        "/AGENTS.MD": "Records are in /proc.",
        "/docs/stock.md": page_on_stock,
        "/proc/articles/AB-1.json": product("AB-1"),
        "/proc/articles/AB-2.json": product("AB-2"),
        "/proc/articles/AB-3.json": product("AB-3"),
        "/proc/branches/store_graz.json": {
            "id": "store_graz",
            "name": "Graz Centre",
            "is_open": True,
            "stock": [
                {
                    "sku": "AB-1",
                    "on_hand": 5,
                    "reserved": 1,
                    "incoming": [{"quantity": 12, "arrival_in_days": 1}],
                },
                {"sku": "AB-2", "on_hand": 7, "reserved": 0, "incoming": []},
                {"sku": "AB-3", "on_hand": 2, "reserved": 0, "incoming": []},
            ],
        },
    }
    if not page_on_stock:
        del files["/docs/stock.md"]
    shop = SmallShop(
        files, user="emp_0001", roles="employee", time="2030-01-14T10:00:00Z"
    )
    arguments = {"path": "/exports/stock.csv", "content": export}
    return pre_call_check(shop.layout, "write", arguments)


def test_the_right_export_is_not_objected_to() -> None:
    right_export = "SKU,2030-01-14,2030-01-15\nAB-1,4,12\nAB-2,7,0\nAB-3,2,0\n"

    assert check_of_export(right_export) == FunctionResult("")


def test_a_cell_against_the_records_is_named() -> None:
    export = "SKU,2030-01-14,2030-01-15\nAB-1,4,12\nAB-2,7,0\nAB-3,6,0\n"

    objection = check_of_export(export).value

    assert "line 3: `2030-01-14` is '6', and the records give '2'" in objection


def test_a_missing_first_row_is_named() -> None:
    export = "SKU,2030-01-14,2030-01-15\nAB-2,7,0\nAB-3,2,0\n"

    objection = check_of_export(export).value

    assert "the table has 2 rows, and 3 are due; no row is about AB-1" in objection


def test_a_missing_last_row_is_named() -> None:
    export = "SKU,2030-01-14,2030-01-15\nAB-1,4,12\nAB-2,7,0\n"

    objection = check_of_export(export).value

    assert "the table has 2 rows, and 3 are due; no row is about AB-3" in objection


def test_a_row_for_an_unknown_product_is_objected_to() -> None:
    objection = check_of_export("SKU,2030-01-14\nNO-SUCH,3\n").value

    assert "no product is called NO-SUCH" in objection


def test_an_export_is_not_judged_in_a_shop_without_pages() -> None:
    """Only pages tell what the fields of the records mean. A note says why nothing is judged."""
    wrong_export = "SKU,2030-01-14,2030-01-15\nAB-1,9,12\nAB-2,7,0\nAB-3,2,0\n"

    result = check_of_export(wrong_export, page_on_stock="")

    assert result.value == ""
    assert result.notes == (
        "without documents, too little is known of the shop to judge an export",
    )
