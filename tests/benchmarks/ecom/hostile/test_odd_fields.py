"""Records with one field that is odd, such as roles that are a string, and a query of the table with it.

The query works, or says in one line why not, and has no effect on later ones. Then `unclear_failures` is
empty. `HUGE_STOCK` is a branch with so many units of a product that the number has 4,300 digits.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.hostile_cases import Case, sql
from tests.benchmarks.ecom.hostile.hostile_texts import HUGE_STOCK
from tests.benchmarks.ecom.hostile.tool_failures import unclear_failures

pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            sql(
                "select * from product_properties",
                products='{"properties": {"\\ud800": 1}}',
            ),
            id="surrogate as a key",
        ),
        pytest.param(
            sql("select * from employee_roles", employees='{"roles": "manager"}'),
            id="roles that are a string",
        ),
        pytest.param(
            sql(
                "select * from employee_roles",
                employees='{"roles": [{"a": [1]}, null, 1e400]}',
            ),
            id="roles that are objects",
        ),
        pytest.param(
            sql("select * from inventory", stores=HUGE_STOCK),
            id="stock of huge numbers",
        ),
        pytest.param(
            sql(
                "select * from incoming",
                stores='{"inventory": [{"incoming": {"a": 1}}, 3]}',
            ),
            id="incoming that is no list",
        ),
    ],
)
def test_a_tool_works_or_says_in_one_line_why_not(
    shop: EcomEnvironment, case: Case
) -> None:
    assert unclear_failures(shop, case) == []
