"""Delimiters of CSV files: a comma, a semicolon, a tab or a pipe, and no file says which.

`read_csv(text)` returns the names of the columns, the rows with their cells, and `doubts`: guesses
that should be checked.
"""

import pytest

from tests.benchmarks.files.tables.csv_files.read_csv_files import read_csv


@pytest.mark.parametrize(
    ("text", "names", "first_row"),
    [
        pytest.param(
            '"Price, net";"Price, gross"\n1,5;2,5\n',
            ["Price, net", "Price, gross"],
            ["1,5", "2,5"],
            id="semicolons, and commas in every cell",
        ),
        pytest.param(
            "Weight, kg;Name\n2,5;Pump\n3,5;Valve\n",
            ["Weight, kg", "Name"],
            ["2,5", "Pump"],
            id="semicolons, and commas in one column",
        ),
        pytest.param("a\tb, c\n1\t2, 3\n", ["a", "b, c"], ["1", "2, 3"], id="tabs"),
        pytest.param("a|b\n1|2,5\n", ["a", "b"], ["1", "2,5"], id="pipes"),
        pytest.param(
            "name\nAda, the first\nBob, the second\n",
            ["name"],
            ["Ada, the first"],
            id="one column of prose",
        ),
        pytest.param("x\n1,500\n2,000\n", ["x"], ["1,500"], id="one column of numbers"),
    ],
)
def test_delimiter_is_detected_without_doubts(
    text: str, names: list[str], first_row: list[str]
) -> None:
    csv_file = read_csv(text)

    assert csv_file.names == names
    assert csv_file.cells[0] == first_row
    assert csv_file.doubts == []
