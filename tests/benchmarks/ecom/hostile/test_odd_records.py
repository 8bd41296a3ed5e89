"""Records whose file has an odd text, such as `[]` or half an object, and queries of all tables.

A script of a model may write any text as the file of a record. Here, a file with the text appears
in each folder of records: baskets, products and so on. Then a query of each table must work, or
must print one clear line, `sql: ...`. Later calls must give the same results as before.

`NINES` is a number of 4,300 digits, the most that Python reads.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.hostile_cases import every_table_with
from tests.benchmarks.ecom.hostile.hostile_texts import NINES
from tests.benchmarks.ecom.hostile.tool_failures import unclear_failures

pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[]", id="lists for records"),
        pytest.param("7", id="numbers for records"),
        pytest.param("{}", id="empty objects"),
        pytest.param("", id="empty files"),
        pytest.param('{"id": ', id="no JSON"),
        pytest.param('\ufeff{"id": "x"}', id="byte order mark"),
        pytest.param("\x00\x01\ufffd\x7f{}", id="binary text"),
        pytest.param('{"id": 1, "id": "two", "id": [3]}', id="duplicate keys"),
        pytest.param(
            '{"id": ["x"], "name": {"a": 1}, "status": [[]]}',
            id="lists for strings",
        ),
        pytest.param(
            '{"id": true, "name": false, "price_cents": true}',
            id="true everywhere",
        ),
        pytest.param(
            f'{{"id": {10**30}, "price_cents": {NINES}}}',
            id="huge whole numbers",
        ),
        pytest.param(f'{{"id": {NINES * 2}}}', id="too many digits"),
        pytest.param(
            '{"id": NaN, "price_cents": Infinity, "name": 1e999}',
            id="numbers that are none",
        ),
        pytest.param(
            '{"id": "\\ud800", "name": "a\\udfffb"}',
            id="lone surrogates",
        ),
    ],
)
def test_queries_work_or_say_in_one_line_why_not(
    shop: EcomEnvironment, text: str
) -> None:
    """`unclear_failures` lists other prints of the queries, and later calls with other results."""
    files_and_queries = every_table_with(text)

    assert unclear_failures(shop, files_and_queries) == []
