"""`/bin/availability BRANCH SKU...` prints how many units of products a branch can sell today."""

from tests.benchmarks.ecom.tools.tool_runs import run_tool
from tests.benchmarks.shop.functions.goods_records import branch
from tests.benchmarks.shop.functions.written_shop import written_shop


def test_availability_is_the_stock_without_reservations() -> None:
    """A product that the branch does not have is there 0 times."""
    graz = branch("store-1", "Graz", {"TARP-RED": 7, "TARP-SAND": 4})
    graz["inventory"][1]["reserved"] = 1
    shop = written_shop({"/proc/branches/store-1.json": graz})

    result = run_tool(
        shop,
        "availability",
        "/proc/branches/store-1.json",
        "TARP-RED",
        "TARP-SAND",
        "TARP-NONE",
    )

    assert result.out == "TARP-RED\t7\nTARP-SAND\t3\nTARP-NONE\t0\n"
    assert result.code == 0


def test_availability_of_a_file_that_is_not_a_branch_fails() -> None:
    shop = written_shop({"/a.md": "a page"})

    assert run_tool(shop, "availability", "/a.md", "TARP-RED").code == 1
