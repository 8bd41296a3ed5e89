"""The shop's tool `availability` fails clearly if a branch's record is odd.

`/bin/availability /tmp/s X` counts the units of the product X in the branch's record `/tmp/s`. A
script may have written any text there. `unclear_failures` is empty if the tool works, or says in
one line why not, and if later calls work as before.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.hostile_cases import Case
from tests.benchmarks.ecom.hostile.hostile_texts import DEEP, HUGE_STOCK
from tests.benchmarks.ecom.hostile.tool_failures import unclear_failures

pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "branch",
    [
        pytest.param(
            '{"inventory": [{"sku": ["X"], "on_hand": 1, "reserved": 0}]}',
            id="a list as SKU",
        ),
        # {"inventory": [{"sku": "X", "on_hand": 999..., "reserved": -999...}]}
        pytest.param(HUGE_STOCK, id="numbers of thousands of digits"),
        pytest.param("null", id="null in place of an object"),
        # [[[[...]]]]
        pytest.param(DEEP, id="a deep list in place of an object"),
    ],
)
def test_an_odd_record(shop: EcomEnvironment, branch: str) -> None:
    case = Case(
        commands=[("availability", "/tmp/s", "X")],
        files={"/tmp/s": branch},
        may_overrun=False,
    )

    assert unclear_failures(shop, case) == []


def test_a_command_that_names_a_product_999_times(shop: EcomEnvironment) -> None:
    case = Case(
        commands=[("availability", "/tmp/s", *["X"] * 999)],
        files={"/tmp/s": '{"inventory": []}'},
        may_overrun=False,
    )

    assert unclear_failures(shop, case) == []
