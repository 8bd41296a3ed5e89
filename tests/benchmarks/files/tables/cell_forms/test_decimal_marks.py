"""Points and commas in the numbers of a CSV file: which of them is the decimal mark?

The cells of a CSV file are texts. `1,5` is a number in a column of decimal commas, and `1,500` is
1500 in a column of decimal points. Each case is a file, a query of its table `t`, and the result.
"""

import pytest

from tests.benchmarks.files.tables.cell_forms.queried_rows import query_rows


@pytest.mark.parametrize(
    ("text", "sql", "expected_rows"),
    [
        # 1234.50 + 1100 + 12 = 2346.5; 2 * 1234.50 + 1100 + 4 * 12 = 3617
        pytest.param(
            'p,n\n"$1,234.50",2\n"1,100",1\n12.00,4\n',
            "select sum(p), sum(p * n) from t",
            ["2346.5,3617"],
            id="currency and decimal points",
        ),
        # 1234.50 + 89.90 + 12 = 1336.4
        pytest.param(
            "p;n\n1.234,50;2\n89,90;1\n12,00;4\n",
            "select sum(p) from t",
            ["1336.4"],
            id="decimal commas",
        ),
        # The comma of 1,5 shows that the points separate thousands: 1234 + 2500 = 3734
        pytest.param(
            "a;b;c\nx;1.234;1,5\ny;2.500;3\n",
            "select sum(b), sum(c) from t",
            ["3734,4.5"],
            id="decimal comma in another column",
        ),
        # No thousand begins with 0, so the point of 0.125 is a decimal point, and that of 3.500.
        pytest.param(
            "a,b\n1,0.125\n2,3.500\n",
            "select sum(b) from t",
            ["3.625"],
            id="zero before a decimal point",
        ),
    ],
)
def test_separators_are_told_apart_by_the_other_cells(
    text: str, sql: str, expected_rows: list[str]
) -> None:
    assert query_rows(text, sql) == expected_rows
