"""Queries of the shop's tool `/bin/sql` with characters or statements that it does not expect.

The tool works, or says in one line why not: "SQL logic error: no such column: such". Neither a query
nor its failure changes what later calls return.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.harmless_calls import harmless_results
from tests.benchmarks.ecom.hostile.hostile_cases import sql
from tests.benchmarks.ecom.hostile.tool_failures import failures_of, unclear_failures

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
    """`unclear_failures` returns texts of other failures, and if later calls differ."""
    assert unclear_failures(shop, sql(query)) == []


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("delete from products", id="delete rows"),
        pytest.param("attach 'x' as y", id="open another database"),
        pytest.param("pragma user_version", id="use a setting"),
        pytest.param("select load_extension('x')", id="load a library"),
        pytest.param("select readfile('/etc/passwd')", id="read a file"),
        pytest.param("select edit('x')", id="start an editor"),
    ],
)
def test_a_statement_that_is_no_plain_query_is_refused(
    shop: EcomEnvironment, statement: str
) -> None:
    results_before = harmless_results(shop)

    (failure,) = failures_of(shop, sql(statement))

    assert failure.is_clear, failure.text
    assert harmless_results(shop) == results_before
