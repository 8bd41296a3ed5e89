"""Tools that print too much, or take too long, are stopped, and later calls work as before.

A call may take half a second of processor time, and its output has a largest size. In a case with
`may_overrun`, the tool may be stopped at one of these limits. In each case it may also end by
itself, if it works, or says in one line why not.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.hostile_cases import Case, sql, tool
from tests.benchmarks.ecom.hostile.tool_failures import unclear_failures

pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            tool(
                "cat",
                *["/tmp/n"] * 1_000,
                files={"/tmp/n": "x" * 100_000},
                may_overrun=True,
            ),
            id="much output",
        ),
        pytest.param(
            tool(
                "cat", "-n", "/tmp/n", files={"/tmp/n": "\x0b\x0c\u2028\x85\r" * 1_000}
            ),
            id="numbered lines",
        ),
        pytest.param(
            sql(
                "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n",
                may_overrun=True,
            ),
            id="query without end",
        ),
        pytest.param(
            sql(
                "select count(*) from inventory a, inventory b, inventory c, inventory d "
                "where a.sku || b.sku > c.sku || d.sku",
                may_overrun=True,
            ),
            id="join of everything",
        ),
        pytest.param(
            sql("select hex(zeroblob(40000)) from inventory", may_overrun=True),
            id="megabytes of digits",
        ),
    ],
)
def test_a_tool_is_stopped_or_works_or_says_in_one_line_why_not(
    shop: EcomEnvironment, case: Case
) -> None:
    """`unclear_failures` lists other ends of the tool, and later calls with other results."""
    assert unclear_failures(shop, case) == []
