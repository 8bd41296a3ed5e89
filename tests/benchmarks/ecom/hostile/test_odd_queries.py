"""Queries of the shop's tool `/bin/sql` with characters or statements that it does not expect.

The tool works, or says in one line why not, and has no effect on later calls. Then
`unclear_failures` is empty. It can only read: a statement that changes data does nothing.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.hostile_cases import sql
from tests.benchmarks.ecom.hostile.tool_failures import unclear_failures

pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("select '\x00'", id="null character"),
        pytest.param("select '\ud800'", id="half a character"),
        pytest.param("\ufeffselect 1", id="byte order mark"),
        pytest.param("select x'ff' || 'a'", id="bytes and text"),
        pytest.param("select cast(x'ff80' as text)", id="bytes as text"),
        pytest.param("select date(cast(x'ff' as text))", id="bytes as date"),
        pytest.param(
            'select "\n\n" from (select 1) where no\nsuch', id="error over lines"
        ),
        pytest.param("select 1; select 2", id="two queries"),
        pytest.param("--", id="comment"),
    ],
)
def test_a_query_works_or_says_why_not(shop: EcomEnvironment, query: str) -> None:
    assert unclear_failures(shop, sql(query)) == []


@pytest.mark.parametrize(
    "statement",
    [
        "delete from products",
        "attach 'x' as y",
        "pragma user_version",
        "select load_extension('x')",
        "select readfile('/etc/passwd')",
        "select edit('x')",
    ],
)
def test_a_statement_that_changes_or_leaves_the_database_does_nothing(
    shop: EcomEnvironment, statement: str
) -> None:
    assert unclear_failures(shop, sql(statement)) == []
