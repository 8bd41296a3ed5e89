"""`/bin/jq FILTER FILE` picks values from JSON. Here the JSON is hostile.

The tool works, or says in one line why not, and has no effect on later calls. Then `unclear_failures` is
empty. `NINES` is a number of 4,300 digits, the most that Python reads.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.hostile_cases import Case, tool
from tests.benchmarks.ecom.hostile.hostile_texts import NINES
from tests.benchmarks.ecom.hostile.tool_failures import unclear_failures

pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            tool("jq", ".", "/tmp/n", files={"/tmp/n": "[NaN, -Infinity, 1e999]"}),
            id="jq of numbers that are none",
        ),
        pytest.param(
            tool("jq", ".", "/tmp/n", files={"/tmp/n": NINES * 2}),
            id="jq of too many digits",
        ),
        pytest.param(
            tool("jq", "-r", ".", "/tmp/n", files={"/tmp/n": '"\\ud800"'}),
            id="jq of lone surrogates",
        ),
        pytest.param(
            tool("jq", ".", "/tmp/n", files={"/tmp/n": "\ufeff{}"}),
            id="jq of a byte order mark",
        ),
    ],
)
def test_a_tool_works_or_says_in_one_line_why_not(
    shop: EcomEnvironment, case: Case
) -> None:
    assert unclear_failures(shop, case) == []
