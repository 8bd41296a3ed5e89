"""The shop's tool for stock on a branch's record that has huge numbers, or no object at all.

`/bin/availability /tmp/s X` counts the units of X in the record /tmp/s, which a script has written.
The tool works, or says in one line why not, and has no effect on later calls: then
`unclear_failures` is empty.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.hostile_cases import tool
from tests.benchmarks.ecom.hostile.hostile_texts import (
    DEEP,
    HUGE_STOCK,
)
from tests.benchmarks.ecom.hostile.tool_failures import unclear_failures

pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "branch",
    [
        pytest.param(
            '{"inventory": [{"sku": ["X"], "on_hand": 1, "reserved": 0}]}',
            id="a list as SKU",
        ),
        pytest.param(HUGE_STOCK, id="huge numbers"),
        pytest.param("null", id="no record"),
        pytest.param(DEEP, id="a deep list"),
    ],
)
def test_an_odd_branch(shop: EcomEnvironment, branch: str) -> None:
    case = tool("availability", "/tmp/s", "X", files={"/tmp/s": branch})

    assert unclear_failures(shop, case) == []


def test_the_same_product_999_times(shop: EcomEnvironment) -> None:
    products = ["X"] * 999
    empty_branch = '{"inventory": []}'
    case = tool("availability", "/tmp/s", *products, files={"/tmp/s": empty_branch})

    assert unclear_failures(shop, case) == []
