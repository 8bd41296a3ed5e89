"""`/bin/jq FILTER FILE` picks values from JSON. Here the filter is hostile.

The tool works, says in one line why not, or is stopped at its limit of half a second (`may_overrun`). It
has no effect on later calls. Then `unclear_failures` is empty. `NINES` is a number of 4,300 digits, and
`DEEP` a list in a list in a list ...
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.hostile_cases import Case, tool
from tests.benchmarks.ecom.hostile.hostile_texts import DEEP, NINES
from tests.benchmarks.ecom.hostile.tool_failures import unclear_failures

pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            tool("jq", ".a" * 5_000, "/tmp/n", files={"/tmp/n": "{}"}),
            id="filter of many steps",
        ),
        pytest.param(
            tool("jq", "|".join(["."] * 50_000), "/tmp/n", files={"/tmp/n": "{}"}),
            id="filter of many pipes",
        ),
        pytest.param(
            tool("jq", f".[{NINES * 2}]", "/tmp/n", files={"/tmp/n": "[1]"}),
            id="filter with a long index",
        ),
        pytest.param(
            tool("jq", f".a[{DEEP}]", "/tmp/n", files={"/tmp/n": '{"a": 1}'}),
            id="filter with a deep value",
        ),
        pytest.param(
            tool("jq", "(" * 100_000, "/tmp/n", files={"/tmp/n": "{}"}),
            id="filter that cannot be read",
        ),
        pytest.param(
            tool(
                "jq",
                "select(." + " " * 50_000,
                "/tmp/n",
                files={"/tmp/n": "{}"},
                may_overrun=True,
            ),
            id="filter that backtracks",
        ),
        pytest.param(
            tool("jq", "a\nb", "/tmp/n", files={"/tmp/n": "{}"}), id="filter over lines"
        ),
    ],
)
def test_a_tool_works_or_says_in_one_line_why_not(
    shop: EcomEnvironment, case: Case
) -> None:
    assert unclear_failures(shop, case) == []
