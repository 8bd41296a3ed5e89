"""Records with one field that is odd, such as lines that are a string, and a query of the table with it.

The query works, or says in one line why not, and has no effect on later ones. `NINES` is a number of 4,300
digits, the most that Python reads, and `HUGE_STOCK` a branch with so many units of a product.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.hostile_cases import Case, sql
from tests.benchmarks.ecom.hostile.hostile_texts import HUGE_STOCK, NINES, basket_with
from tests.benchmarks.ecom.hostile.tool_failures import unclear_failures

pytestmark = pytest.mark.second_tier

CASES = {
    "surrogate as a key": sql(
        "select * from product_properties",
        products='{"properties": {"\\ud800": 1}}',
    ),
    "10,000 lines": sql(
        "select count(*) from basket_lines",
        baskets=basket_with(
            '"lines": [' + ", ".join(['{"sku": "X", "quantity": 1}'] * 10_000) + "]"
        ),
    ),
    "lines that are a string": sql(
        "select * from basket_lines", baskets=basket_with('"lines": "abc"')
    ),
    "lines of huge numbers": sql(
        "select * from basket_lines",
        baskets=f'{{"lines": [{{"quantity": {NINES}}}]}}',
    ),
    "roles that are a string": sql(
        "select * from employee_roles", employees='{"roles": "manager"}'
    ),
    "roles that are objects": sql(
        "select * from employee_roles",
        employees='{"roles": [{"a": [1]}, null, 1e400]}',
    ),
    "stock of huge numbers": sql("select * from inventory", stores=HUGE_STOCK),
    "incoming that is no list": sql(
        "select * from incoming",
        stores='{"inventory": [{"incoming": {"a": 1}}, 3]}',
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_tool_works_or_says_in_one_line_why_not(
    shop: EcomEnvironment, case: Case
) -> None:
    assert unclear_failures(shop, case) == []
