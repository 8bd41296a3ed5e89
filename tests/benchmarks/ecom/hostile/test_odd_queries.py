"""Queries of `/bin/sql` beyond a limit of SQLite, with odd characters, or that are no query at all.

The tool works, says in one line why not, or is stopped at its limit of half a second. It has no effect on
later calls.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.hostile_cases import Case, sql
from tests.benchmarks.ecom.hostile.tool_failures import failures_of, harmless_results

pytestmark = pytest.mark.second_tier

CASES = {
    "largest blob": sql(
        "select randomblob(999999999)", "select length(zeroblob(999999999))"
    ),
    "wide format": sql(
        "select printf('%999999999d', 1)", "select printf('%.*c', 99999, 'x')"
    ),
    "slow pattern": sql(
        "select hex(zeroblob(49000)) like '%0%0%0%0%0%0%0%0%0%0%0%0%0%1'",
        may_overrun=True,
    ),
    "query of odd characters": sql(
        "select '\x00'", "select '\ud800'", "\ufeffselect 1", "select x'ff' || 'a'"
    ),
    "text that is no text": sql(
        "select cast(x'ff80' as text)", "select date(cast(x'ff' as text))"
    ),
    "statements": sql(
        "select 1; select 2",
        "delete from products",
        "attach 'x' as y",
        "pragma user_version",
        "--",
    ),
    "deep query": sql(
        "select " + "(" * 20_000 + "1" + ")" * 20_000, "select " + "-" * 3_000 + "1"
    ),
    "wide query": sql(
        "select " + ",".join(["1"] * 3_000),
        "select 1 " + "union all select 1 " * 2_000,
    ),
    "functions of the host": sql(
        "select load_extension('x')",
        "select readfile('/etc/passwd')",
        "select edit('x')",
    ),
    "error over lines": sql('select "\n\n" from (select 1) where no\nsuch'),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_tool_works_or_says_in_one_line_why_not(
    shop: EcomEnvironment, case: Case
) -> None:
    results_before = harmless_results(shop)

    failures = failures_of(shop, case)

    assert [failure for failure in failures if not failure.is_clear] == []
    assert harmless_results(shop) == results_before
