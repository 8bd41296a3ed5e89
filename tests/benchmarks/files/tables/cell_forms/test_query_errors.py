"""The error of a query names the columns as queries can use them.

The file has the columns `n` and `amount`. As one of the amounts is the word "call", queries can
use the columns `amount as written` and `amount as number` instead.
"""

import pytest

from controlplane.sandbox.interface import CallError
from tests.benchmarks.files.tables.cell_forms.queried_rows import query_rows


@pytest.mark.parametrize(
    ("sql", "expected_error"),
    [
        pytest.param(
            "select n from t where amount > 6 and n = 'a'",
            "amount is not certain, as 'call' is no number; "
            '"amount as written" is its text, "amount as number" is null there',
            id="ambiguous column",
        ),
        pytest.param(
            "select amounts from t",
            "Binder Error: .*; the table t has the columns "
            "_line, n, amount as written, amount as number",
            id="misspelt column",
        ),
        pytest.param(
            "select year(n) from t",
            r"Binder Error: No function matches .* 'year\(VARCHAR\)'.*; "
            "the table t has .*",
            id="year of a text",
        ),
    ],
)
def test_error_of_a_query_names_the_columns_as_queries_can_use_them(
    sql: str, expected_error: str
) -> None:
    text = "n,amount\na,5\nb,7\nc,call\nd,100\n"

    with pytest.raises(CallError, match=f"the query failed: {expected_error}$"):
        query_rows(text, sql)
