"""Computing with a column that can be read in two ways is refused, rather than guess.

`1.234` may be 1234 with a separator of thousands, or 1.234 with a decimal point. The error says
what is ambiguous, and how the query can be changed.
"""

import pytest

from controlplane.sandbox.interface import CallError
from tests.benchmarks.files.tables.cell_forms.queried_rows import query_rows


@pytest.mark.parametrize(
    ("text", "sql", "expected_error"),
    [
        pytest.param(
            "a;b\nx;1.234\ny;2.500\nz;12\n",
            "select sum(b) from t",
            "'1.234' may be with a decimal point or comma: say form='decimal comma'",
            id="sum",
        ),
        pytest.param(
            "a;b\nx;1.234\ny;2.500\nz;12\n",
            "select * from t where b > 100",
            "b is not certain, as '1.234' may",
            id="comparison",
        ),
        pytest.param(
            "a;b\nx;1.234\ny;2.500\nz;12\n",
            "select a from t order by b desc limit 1",
            "b is not certain, as '1.234' may",
            id="order",
        ),
        pytest.param(
            "x\n1,500\n2,000\n",
            "select sum(x) from t",
            "x is not certain, as '1,500' may be with a decimal point or comma",
            id="comma in each number",
        ),
        pytest.param(
            "d,x\n03/04/2025,1\n05/04/2025,2\n",
            "select x from t where d > '2025-04-30'",
            "'day first' or 'month first'",
            id="dates",
        ),
        pytest.param(
            "a,x\n1,$5\n2,€7\n",
            "select sum(x) from t",
            r"it has \$ and €",
            id="two currencies",
        ),
        pytest.param(
            'a,x\n1,1.5\n2,2.50\n3,3\n4,"3,5"\n',
            "select sum(x) from t",
            "different decimal marks",
            id="two decimal marks",
        ),
    ],
)
def test_computing_with_an_ambiguous_column_is_refused(
    text: str, sql: str, expected_error: str
) -> None:
    with pytest.raises(CallError, match=expected_error):
        query_rows(text, sql)
