"""Files that are nested so deeply that a parser may run out of its stack, and tools that read them.

`DEEP` is a list in a list in a list ..., and `DEEP_OBJECT` an object in an object. A script of a
model may write them as the file of a record. The file of the record `hostile` has this text:

    tool("checkout", "hostile", baskets=DEEP)  # writes a basket, and runs `checkout hostile`
    every_table(products=DEEP)                 # writes a product, and queries each table
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.hostile_cases import Case, every_table, sql, tool
from tests.benchmarks.ecom.hostile.hostile_texts import DEEP, DEEP_OBJECT, basket_with
from tests.benchmarks.ecom.hostile.tool_failures import unclear_failures

pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(every_table(products=DEEP), id="deep list as a product"),
        pytest.param(every_table(products=DEEP_OBJECT), id="deep object as a product"),
        pytest.param(
            sql(
                "select * from product_properties",
                products=f'{{"properties": {{"a": {DEEP_OBJECT}}}}}',
            ),
            id="deep properties",
        ),
        pytest.param(
            tool("jq", ".", "/tmp/deep", files={"/tmp/deep": DEEP}),
            id="jq of a deep list",
        ),
        pytest.param(
            tool("jq", ".", "/tmp/deep", files={"/tmp/deep": DEEP_OBJECT}),
            id="jq of a deep object",
        ),
        pytest.param(
            tool("jq", "keys", "/tmp/deep", files={"/tmp/deep": DEEP_OBJECT}),
            id="keys of a deep object",
        ),
        pytest.param(
            tool("checkout", "hostile", baskets=DEEP), id="checkout of a deep basket"
        ),
        pytest.param(
            tool("checkout", "hostile", baskets=basket_with(f'"a": {DEEP_OBJECT}')),
            id="checkout of a basket with a deep field",
        ),
    ],
)
def test_a_tool_works_or_says_in_one_line_why_not(
    shop: EcomEnvironment, case: Case
) -> None:
    """`unclear_failures` lists other prints of the tool, and later calls with other results."""
    assert unclear_failures(shop, case) == []
