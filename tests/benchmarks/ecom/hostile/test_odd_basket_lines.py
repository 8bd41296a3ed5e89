"""Baskets whose lines are odd, such as a string, and a query of the table of lines.

An ordinary basket has lines such as `{"sku": "X", "quantity": 1}`. A script of a model may write
any text as the file of a basket. The query must work, or must say in one line why not.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.hostile_cases import sql
from tests.benchmarks.ecom.hostile.hostile_texts import NINES
from tests.benchmarks.ecom.hostile.tool_failures import unclear_failures

pytestmark = pytest.mark.second_tier

TEN_THOUSAND_LINES = ", ".join(['{"sku": "X", "quantity": 1}'] * 10_000)


@pytest.mark.parametrize(
    ("query", "basket"),
    [
        pytest.param(
            "select count(*) from basket_lines",
            f'{{"id": "hostile", "status": "active", "lines": [{TEN_THOUSAND_LINES}]}}',
            id="10,000 lines",
        ),
        pytest.param(
            "select * from basket_lines",
            '{"id": "hostile", "status": "active", "lines": "abc"}',
            id="lines that are a string",
        ),
        pytest.param(
            "select * from basket_lines",
            f'{{"lines": [{{"quantity": {NINES}}}]}}',
            id="a quantity of 4,300 digits",
        ),
    ],
)
def test_a_query_works_or_says_in_one_line_why_not(
    shop: EcomEnvironment, query: str, basket: str
) -> None:
    """`unclear_failures` lists other prints of the query, and later calls with other results."""
    case = sql(query, baskets=basket)

    assert unclear_failures(shop, case) == []
