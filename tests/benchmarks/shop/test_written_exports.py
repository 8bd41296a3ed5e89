"""The pre-call check compares an export of stock, which a script writes, with the records.

    SKU,2028-05-01,2028-05-02        today, and tomorrow
    TARP-RED,4,12                    4 units can be sold, and tomorrow 12 more arrive

It objects to a wrong cell, and to a row that is missing.
"""

from collections.abc import Mapping
from typing import Any

from tests.benchmarks.shop.checked_calls import judge_call
from tests.benchmarks.shop.functions.goods_records import branch, tarp
from tests.benchmarks.shop.functions.written_shop import written_shop

STOCK_PAGE = "`/bin/availability` counts. A delivery has `arrival_in_days`."


def check_of_export(export: str) -> Mapping[str, Any]:
    """Return what the check says of an export: `{"value": OBJECTION, ...}`.

    The shop has three products and one branch. It is 2028-05-01. Tomorrow, 12 units of TARP-RED
    arrive.
    """
    graz = branch("store-1", "Graz", {"TARP-BLUE": 7, "TARP-RED": 4, "TARP-SAND": 2})
    graz["inventory"][1]["incoming"] = [{"quantity": 12, "arrival_in_days": 1}]
    shop = written_shop(
        {
            "/docs/stock.md": STOCK_PAGE,
            "/proc/catalogue/TARP-BLUE.json": tarp("TARP-BLUE"),
            "/proc/catalogue/TARP-RED.json": tarp("TARP-RED"),
            "/proc/catalogue/TARP-SAND.json": tarp("TARP-SAND"),
            "/proc/branches/store-1.json": graz,
        }
    )
    return judge_call(shop, "write", {"path": "/exports/stock.csv", "content": export})


def test_the_right_export_is_not_objected_to() -> None:
    right_export = (
        "SKU,2028-05-01,2028-05-02\nTARP-BLUE,7,0\nTARP-RED,4,12\nTARP-SAND,2,0\n"
    )

    assert check_of_export(right_export) == {"value": "", "refs": [], "notes": []}


def test_a_cell_against_the_records_is_named() -> None:
    export = "SKU,2028-05-01,2028-05-02\nTARP-BLUE,7,0\nTARP-RED,4,12\nTARP-SAND,6,0\n"

    objection = check_of_export(export)["value"]

    assert "line 3: `2028-05-01` is '6', and the records give '2'" in objection


def test_a_missing_first_row_is_named() -> None:
    export = "SKU,2028-05-01,2028-05-02\nTARP-RED,4,12\nTARP-SAND,2,0\n"

    objection = check_of_export(export)["value"]

    assert "the table has 2 rows, and 3 are due; no row is about TARP-BLUE" in objection


def test_a_missing_last_row_is_named() -> None:
    export = "SKU,2028-05-01,2028-05-02\nTARP-BLUE,7,0\nTARP-RED,4,12\n"

    objection = check_of_export(export)["value"]

    assert "the table has 2 rows, and 3 are due; no row is about TARP-SAND" in objection


def test_a_row_for_an_unknown_product_is_objected_to() -> None:
    objection = check_of_export("SKU,2028-05-01\nNO-SUCH,3\n")["value"]

    assert "no product is called NO-SUCH" in objection
