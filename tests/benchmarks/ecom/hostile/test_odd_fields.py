"""Records with an odd field, such as roles that are a string, and a query of the table with it.

A script of a model may write any text as the file of a record. The query must work, or must say in
one line why not.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.hostile_cases import sql
from tests.benchmarks.ecom.hostile.hostile_texts import HUGE_STOCK
from tests.benchmarks.ecom.hostile.tool_failures import unclear_failures

pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    ("query", "kind", "record"),
    [
        pytest.param(
            "select * from product_properties",
            "products",
            '{"properties": {"\\ud800": 1}}',
            id="half a character as a key",
        ),
        pytest.param(
            "select * from employee_roles",
            "employees",
            '{"roles": "manager"}',
            id="roles that are a string",
        ),
        pytest.param(
            "select * from employee_roles",
            "employees",
            '{"roles": [{"a": [1]}, null, 1e400]}',
            id="roles that are objects",
        ),
        pytest.param(
            "select * from inventory",
            "stores",
            HUGE_STOCK,
            id="stock of a product, a number of 4,300 digits",
        ),
        pytest.param(
            "select * from incoming",
            "stores",
            '{"inventory": [{"incoming": {"a": 1}}, 3]}',
            id="incoming that is no list",
        ),
    ],
)
def test_a_query_works_or_says_in_one_line_why_not(
    shop: EcomEnvironment, query: str, kind: str, record: str
) -> None:
    """`unclear_failures` lists other prints of the query, and later calls with other results."""
    case = sql(query, **{kind: record})  # writes the record, and then runs the query

    assert unclear_failures(shop, case) == []
