"""Records of every kind that are no objects, and a query of every table, of which each has a kind.

A script of a model may write any text as the file of a record: `[]`, or half a JSON object. A query works,
or says in one line why not, and has no effect on later ones. `NINES` is a number of 4,300 digits.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.hostile_cases import Case, every_table_with
from tests.benchmarks.ecom.hostile.hostile_texts import NINES
from tests.benchmarks.ecom.hostile.tool_failures import unclear_failures

pytestmark = pytest.mark.second_tier

CASES = {
    "lists for records": every_table_with("[]"),
    "numbers for records": every_table_with("7"),
    "empty objects": every_table_with("{}"),
    "empty files": every_table_with(""),
    "no JSON": every_table_with('{"id": '),
    "byte order mark": every_table_with('\ufeff{"id": "x"}'),
    "binary text": every_table_with("\x00\x01\ufffd\x7f{}"),
    "duplicate keys": every_table_with('{"id": 1, "id": "two", "id": [3]}'),
    "lists for strings": every_table_with(
        '{"id": ["x"], "name": {"a": 1}, "status": [[]]}'
    ),
    "true everywhere": every_table_with(
        '{"id": true, "name": false, "price_cents": true}'
    ),
    "huge whole numbers": every_table_with(
        f'{{"id": {10**30}, "price_cents": {NINES}}}'
    ),
    "too many digits": every_table_with(f'{{"id": {NINES * 2}}}'),
    "numbers that are none": every_table_with(
        '{"id": NaN, "price_cents": Infinity, "name": 1e999}'
    ),
    "lone surrogates": every_table_with('{"id": "\\ud800", "name": "a\\udfffb"}'),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_tool_works_or_says_in_one_line_why_not(
    shop: EcomEnvironment, case: Case
) -> None:
    assert unclear_failures(shop, case) == []
