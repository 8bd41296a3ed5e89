"""The pre-call check objects to an export of stock, which a script writes, that lacks a row.

    SKU,2028-05-01,2028-05-02        units that can be sold today, and units that arrive tomorrow
    TARP-RED,4,12

The shop has three products, so that three rows are due.
"""

from tests.benchmarks.shop.written_exports.checked_exports import check_of_export


def test_a_missing_first_row_is_named() -> None:
    export = "SKU,2028-05-01,2028-05-02\nTARP-RED,4,12\nTARP-SAND,2,0\n"

    objection = check_of_export(export)["value"]

    assert "the table has 2 rows, and 3 are due; no row is about TARP-BLUE" in objection


def test_a_missing_last_row_is_named() -> None:
    export = "SKU,2028-05-01,2028-05-02\nTARP-BLUE,7,0\nTARP-RED,4,12\n"

    objection = check_of_export(export)["value"]

    assert "the table has 2 rows, and 3 are due; no row is about TARP-SAND" in objection
