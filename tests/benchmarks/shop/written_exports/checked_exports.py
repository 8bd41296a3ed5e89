"""What the pre-call check says of an export of stock, which a script is about to write.

The shop has one branch, and it is 2028-05-01. Tomorrow, 12 units of TARP-RED arrive. So this is right:

    SKU,2028-05-01,2028-05-02       units that can be sold today, and units that arrive tomorrow
    TARP-BLUE,7,0
    TARP-RED,4,12
    TARP-SAND,2,0
"""

from collections.abc import Mapping
from typing import Any

from tests.benchmarks.shop.checked_calls import judge_call
from tests.benchmarks.shop.functions.goods_records import branch, tarp
from tests.benchmarks.shop.functions.written_shop import written_shop

STOCK_PAGE = "`/bin/availability` counts. A delivery has `arrival_in_days`."


def check_of_export(export: str) -> Mapping[str, Any]:
    """Return what the check says of an export: `{"value": OBJECTION, ...}`.

    With `TARP-SAND,6,0`, the objection is "... line 3: `2028-05-01` is '6', and the records give
    '2' ...". Lines are counted without the header.
    """
    graz = branch("store-1", "Graz", {"TARP-BLUE": 7, "TARP-RED": 4, "TARP-SAND": 2})
    _blue_row, red_row, _sand_row = graz["inventory"]
    red_row["incoming"] = [{"quantity": 12, "arrival_in_days": 1}]
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
