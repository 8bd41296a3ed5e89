"""The preflight adds up the stock of a city's branches, and tells the model the sum.

    request            "Across every Graz branch, how many units of product (TARP-SAND) are there?"
    told to the model  "all branches of Graz together have 7 units of TARP-SAND available: 7."

The preflight is the code that looks at a request before a model is asked.
"""

import pytest

from tests.benchmarks.shop.functions.goods_records import branch, tarp
from tests.benchmarks.shop.functions.written_shop import written_shop
from tests.support.function_results import function_result


def told_to_model(request: str) -> str:
    """Return what the model of a shop with three branches is told; empty if nothing."""
    graz_centre = branch("store-1", "Graz Centre", {"TARP-SAND": 4})
    graz_lend = branch("store-2", "Graz Lend", {"TARP-SAND": 3})
    linz_port = branch("store-3", "Linz Port", {"TARP-SAND": 20})
    shop = written_shop(
        {
            "/docs/stock.md": "`/bin/availability` tells the stock.",
            "/proc/catalogue/TARP-SAND.json": tarp("TARP-SAND"),
            "/proc/catalogue/TARP-RED.json": tarp("TARP-RED"),
            "/proc/branches/store-1.json": graz_centre,
            "/proc/branches/store-2.json": graz_lend,
            "/proc/branches/store-3.json": linz_port,
        }
    )
    result = function_result(shop, "tell_city_stock", request=request, intent="{}")
    return str(result["value"].get("context", ""))


@pytest.mark.parametrize(
    ("request_text", "notice"),
    [
        pytest.param(
            "Across every Graz branch, how many units of product (TARP-SAND) are there?",
            "all branches of Graz together have 7 units of TARP-SAND available: 7.",
            id="in any form",
        ),
        pytest.param(
            "Across every Graz branch, how many units of product (TARP-SAND) are there? "
            'Say "count: %d".',
            "all branches of Graz together have 7 units of TARP-SAND available: count: 7.",
            id="in the requested form",
        ),
        pytest.param(
            "Across every Graz branch, how many units of product (TARP-RED) are there?",
            "all branches of Graz together have 0 units of TARP-RED available: 0.",
            id="nothing that can be sold",
        ),
    ],
)
def test_the_model_is_told_the_stock_of_a_city(request_text: str, notice: str) -> None:
    assert notice in told_to_model(request_text)


def test_the_model_is_told_nothing_if_the_request_names_no_product_and_no_city() -> (
    None
):
    assert told_to_model("How many units does every branch have?") == ""
