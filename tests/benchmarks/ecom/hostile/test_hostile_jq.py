"""`/bin/jq FILTER FILE` picks values from JSON. Here the JSON or the filter is hostile.

The tool works, says in one line why not, or is stopped at its limit of half a second. It has no effect on
later calls. `NINES` is a number of 4,300 digits, and `DEEP` a list in a list in a list ...
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.hostile_cases import Case, tool
from tests.benchmarks.ecom.hostile.hostile_texts import DEEP, NINES
from tests.benchmarks.ecom.hostile.tool_failures import unclear_failures

pytestmark = pytest.mark.second_tier

CASES = {
    "jq of numbers that are none": tool(
        "jq", ".", "/tmp/n", files={"/tmp/n": "[NaN, -Infinity, 1e999]"}
    ),
    "jq of too many digits": tool("jq", ".", "/tmp/n", files={"/tmp/n": NINES * 2}),
    "jq of lone surrogates": tool(
        "jq", "-r", ".", "/tmp/n", files={"/tmp/n": '"\\ud800"'}
    ),
    "jq of a byte order mark": tool("jq", ".", "/tmp/n", files={"/tmp/n": "\ufeff{}"}),
    "filter of many steps": tool("jq", ".a" * 5_000, "/tmp/n", files={"/tmp/n": "{}"}),
    "filter of many pipes": tool(
        "jq", "|".join(["."] * 50_000), "/tmp/n", files={"/tmp/n": "{}"}
    ),
    "filter with a long index": tool(
        "jq", f".[{NINES * 2}]", "/tmp/n", files={"/tmp/n": "[1]"}
    ),
    "filter with a deep value": tool(
        "jq", f".a[{DEEP}]", "/tmp/n", files={"/tmp/n": '{"a": 1}'}
    ),
    "filter that cannot be read": tool(
        "jq", "(" * 100_000, "/tmp/n", files={"/tmp/n": "{}"}
    ),
    "filter that backtracks": tool(
        "jq",
        "select(." + " " * 50_000,
        "/tmp/n",
        files={"/tmp/n": "{}"},
        may_overrun=True,
    ),
    "filter over lines": tool("jq", "a\nb", "/tmp/n", files={"/tmp/n": "{}"}),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_tool_works_or_says_in_one_line_why_not(
    shop: EcomEnvironment, case: Case
) -> None:
    assert unclear_failures(shop, case) == []
