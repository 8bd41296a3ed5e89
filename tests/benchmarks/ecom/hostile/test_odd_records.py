"""Records of every kind that are no objects, and a query of every table, of which each has a kind.

A script of a model may write any text as the file of a record: `[]`, or half a JSON object. A query works,
or says in one line why not, and has no effect on later ones. Then `unclear_failures` is empty.

`NINES` is a number of 4,300 digits.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.hostile_cases import Case, every_table_with
from tests.benchmarks.ecom.hostile.hostile_texts import NINES
from tests.benchmarks.ecom.hostile.tool_failures import unclear_failures

pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(every_table_with("[]"), id="lists for records"),
        pytest.param(every_table_with("7"), id="numbers for records"),
        pytest.param(every_table_with("{}"), id="empty objects"),
        pytest.param(every_table_with(""), id="empty files"),
        pytest.param(every_table_with('{"id": '), id="no JSON"),
        pytest.param(every_table_with('\ufeff{"id": "x"}'), id="byte order mark"),
        pytest.param(every_table_with("\x00\x01\ufffd\x7f{}"), id="binary text"),
        pytest.param(
            every_table_with('{"id": 1, "id": "two", "id": [3]}'), id="duplicate keys"
        ),
        pytest.param(
            every_table_with('{"id": ["x"], "name": {"a": 1}, "status": [[]]}'),
            id="lists for strings",
        ),
        pytest.param(
            every_table_with('{"id": true, "name": false, "price_cents": true}'),
            id="true everywhere",
        ),
        pytest.param(
            every_table_with(f'{{"id": {10**30}, "price_cents": {NINES}}}'),
            id="huge whole numbers",
        ),
        pytest.param(every_table_with(f'{{"id": {NINES * 2}}}'), id="too many digits"),
        pytest.param(
            every_table_with('{"id": NaN, "price_cents": Infinity, "name": 1e999}'),
            id="numbers that are none",
        ),
        pytest.param(
            every_table_with('{"id": "\\ud800", "name": "a\\udfffb"}'),
            id="lone surrogates",
        ),
    ],
)
def test_a_tool_works_or_says_in_one_line_why_not(
    shop: EcomEnvironment, case: Case
) -> None:
    assert unclear_failures(shop, case) == []
