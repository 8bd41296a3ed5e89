"""Baskets whose lines are odd, such as a string, and a query of the table of lines.

A basket has lines such as `{"sku": "X", "quantity": 1}`. The query works, or says in one line why not, and
has no effect on later ones. Then `unclear_failures` is empty.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.hostile_cases import Case, sql
from tests.benchmarks.ecom.hostile.hostile_texts import NINES, basket_with
from tests.benchmarks.ecom.hostile.tool_failures import unclear_failures

pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            sql(
                "select count(*) from basket_lines",
                baskets=basket_with(
                    '"lines": ['
                    + ", ".join(['{"sku": "X", "quantity": 1}'] * 10_000)
                    + "]"
                ),
            ),
            id="10,000 lines",
        ),
        pytest.param(
            sql("select * from basket_lines", baskets=basket_with('"lines": "abc"')),
            id="lines that are a string",
        ),
        pytest.param(
            sql(
                "select * from basket_lines",
                baskets=f'{{"lines": [{{"quantity": {NINES}}}]}}',
            ),
            id="lines of huge numbers",
        ),
    ],
)
def test_a_tool_works_or_says_in_one_line_why_not(
    shop: EcomEnvironment, case: Case
) -> None:
    assert unclear_failures(shop, case) == []
