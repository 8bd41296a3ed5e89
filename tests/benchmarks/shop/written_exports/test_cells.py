"""The pre-call check compares an export of stock, which a script writes, with the shop's records.

    SKU,2028-05-01,2028-05-02        units that can be sold today, and units that arrive tomorrow
    TARP-RED,4,12

It objects to a cell that differs from the records, and to an unknown product.
"""

from tests.benchmarks.shop.written_exports.checked_exports import check_of_export


def test_the_right_export_is_not_objected_to() -> None:
    right_export = (
        "SKU,2028-05-01,2028-05-02\nTARP-BLUE,7,0\nTARP-RED,4,12\nTARP-SAND,2,0\n"
    )

    assert check_of_export(right_export) == {"value": "", "refs": [], "notes": []}


def test_a_cell_against_the_records_is_named() -> None:
    export = "SKU,2028-05-01,2028-05-02\nTARP-BLUE,7,0\nTARP-RED,4,12\nTARP-SAND,6,0\n"

    objection = check_of_export(export)["value"]

    # Lines are counted without the header.
    assert "line 3: `2028-05-01` is '6', and the records give '2'" in objection


def test_a_row_for_an_unknown_product_is_objected_to() -> None:
    objection = check_of_export("SKU,2028-05-01\nNO-SUCH,3\n")["value"]

    assert "no product is called NO-SUCH" in objection
