"""A function that is called with the name of a city refuses if it has several branches, and names them.

By these, the model can correct its script: "no single branch is called 'Utrecht'; closest: ...".
"""

import pytest

from controlplane.sandbox.interface import CallError
from tests.benchmarks.shop.functions.goods_records import branch, tarp
from tests.benchmarks.shop.functions.written_shop import written_shop
from tests.support.function_results import function_result


def test_an_unknown_branch_is_refused_with_the_closest_branches() -> None:
    """Three branches are in Utrecht, so the city's name does not tell which one is meant."""
    stock = {"TARP-SAND": 4}
    shop = written_shop(
        {
            "/proc/catalogue/TARP-SAND.json": tarp("TARP-SAND"),
            "/proc/branches/store-1.json": branch("store-1", "Utrecht Canal", stock),
            "/proc/branches/store-2.json": branch("store-2", "Utrecht North", stock),
            "/proc/branches/store-3.json": branch("store-3", "Utrecht South", stock),
            "/proc/branches/store-4.json": branch("store-4", "Breda Castle", stock),
        }
    )

    with pytest.raises(CallError) as error:
        function_result(shop, "stock_at", products=["TARP-SAND"], branch="Utrecht")

    assert error.value.message == (
        "no single branch is called 'Utrecht'; closest: "
        "Utrecht South, Utrecht North, Utrecht Canal"
    )
