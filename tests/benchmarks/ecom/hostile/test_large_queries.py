"""Queries of the shop's tool `/bin/sql` that ask for too much, by their length or their results.

The tool works, says in one line why not, or is stopped at its limit of half a second. It has no
effect on later calls. Then `unclear_failures` is empty.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.hostile_cases import sql
from tests.benchmarks.ecom.hostile.tool_failures import unclear_failures

pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("select randomblob(999999999)", id="random bytes"),
        pytest.param("select length(zeroblob(999999999))", id="empty bytes"),
        pytest.param("select printf('%999999999d', 1)", id="wide number"),
        pytest.param("select printf('%.*c', 99999, 'x')", id="repeated letter"),
        pytest.param("select " + "(" * 20_000 + "1" + ")" * 20_000, id="deep brackets"),
        pytest.param("select " + "-" * 3_000 + "1", id="many signs"),
        pytest.param("select " + ",".join(["1"] * 3_000), id="many columns"),
        pytest.param(
            "select 1 " + "union all select 1 " * 2_000, id="many queries in one"
        ),
    ],
)
def test_a_query_works_or_says_why_not(shop: EcomEnvironment, query: str) -> None:
    assert unclear_failures(shop, sql(query)) == []


def test_a_slow_pattern_may_be_stopped_at_the_limit(shop: EcomEnvironment) -> None:
    query = "select hex(zeroblob(49000)) like '%0%0%0%0%0%0%0%0%0%0%0%0%0%1'"

    assert unclear_failures(shop, sql(query, may_overrun=True)) == []
