"""An export of stock is not judged in a shop without pages.

The pre-call check compares an export that a script writes with the shop's records. Only pages tell what
the fields of the records mean. A note says why nothing is judged.
"""

from tests.benchmarks.shop.checked_calls import judge_call
from tests.benchmarks.shop.functions.goods_records import tarp
from tests.benchmarks.shop.functions.written_shop import written_shop


def test_an_export_is_not_judged_in_a_shop_without_pages() -> None:
    shop = written_shop({"/proc/catalogue/TARP-SAND.json": tarp("TARP-SAND")})
    del shop.workspace.files["/docs/checkout.md"]
    wrong_export = "SKU,2028-05-01\nTARP-SAND,9\n"

    result = judge_call(
        shop, "write", {"path": "/exports/stock.csv", "content": wrong_export}
    )

    assert result["value"] == ""
    assert result["notes"] == [
        "without documents, too little is known of the shop to judge an export"
    ]
