"""Queries of `/bin/sql` beyond a limit of SQLite, with odd characters, or that are no query at all.

The tool works, says in one line why not, or is stopped at its limit of half a second. It has no effect on
later calls.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.hostile_cases import sql
from tests.benchmarks.ecom.hostile.tool_failures import unclear_failures

pytestmark = pytest.mark.second_tier


class TestLargeQueries:
    """Queries that ask for too much, by their length or by their results."""

    @pytest.mark.parametrize(
        "query",
        [
            pytest.param("select randomblob(999999999)", id="random bytes"),
            pytest.param("select length(zeroblob(999999999))", id="empty bytes"),
            pytest.param("select printf('%999999999d', 1)", id="wide number"),
            pytest.param("select printf('%.*c', 99999, 'x')", id="repeated letter"),
            pytest.param(
                "select " + "(" * 20_000 + "1" + ")" * 20_000, id="deep brackets"
            ),
            pytest.param("select " + "-" * 3_000 + "1", id="many signs"),
            pytest.param("select " + ",".join(["1"] * 3_000), id="many columns"),
            pytest.param(
                "select 1 " + "union all select 1 " * 2_000, id="many queries in one"
            ),
        ],
    )
    def test_a_query_works_or_says_why_not(
        self, shop: EcomEnvironment, query: str
    ) -> None:
        assert unclear_failures(shop, sql(query)) == []

    def test_a_slow_pattern_may_be_stopped_at_the_limit(
        self, shop: EcomEnvironment
    ) -> None:
        query = "select hex(zeroblob(49000)) like '%0%0%0%0%0%0%0%0%0%0%0%0%0%1'"

        assert unclear_failures(shop, sql(query, may_overrun=True)) == []


class TestOddQueries:
    """Queries with characters or statements that a tool for reading does not expect."""

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
    def test_a_query_works_or_says_why_not(
        self, shop: EcomEnvironment, query: str
    ) -> None:
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
        self, shop: EcomEnvironment, statement: str
    ) -> None:
        assert unclear_failures(shop, sql(statement)) == []
