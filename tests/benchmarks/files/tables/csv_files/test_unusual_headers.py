"""Headers of CSV files that have two lines, the same name twice, or one name too few.

`read_csv(text)` returns the names of the columns, the rows with their cells, and `doubts`: guesses
that should be checked.
"""

import pytest

from controlplane.benchmarks.files.tables.csv_files import CsvRow
from tests.benchmarks.files.tables.csv_files.read_csv_files import read_csv


@pytest.mark.parametrize(
    ("row_between", "second_line"),
    [
        pytest.param("", 2, id="no row between"),
        pytest.param("\n", 3, id="empty line between"),
        pytest.param(",,\n", 3, id="row of empty cells between"),
    ],
)
def test_header_of_two_lines_gives_joined_names(
    row_between: str, second_line: int
) -> None:
    """Years are in the first line, and quarters are in the second one."""
    text = f"Region,2024,2024\n{row_between},Q1,Q2\nNorth,1,2\n"

    csv_file = read_csv(text)

    assert csv_file.names == ["Region", "2024 Q1", "2024 Q2"]
    assert csv_file.rows == [CsvRow(second_line + 1, ["North", "1", "2"])]
    assert csv_file.doubts == [f"lines 1 and {second_line} are one header"]


def test_names_of_rows_are_a_column_even_if_the_header_leaves_them_out() -> None:
    """R writes tables like this: every row has one cell more than the header."""
    csv_file = read_csv("mpg,cyl\nMazda,21,6\nDatsun,22,4\n")

    assert csv_file.names == ["column_1", "mpg", "cyl"]
    assert csv_file.cells[0] == ["Mazda", "21", "6"]
    assert len(csv_file.doubts) == 1


def test_columns_may_have_the_same_name_and_rows_may_be_short() -> None:
    """Nothing is filled in for the missing cell."""
    csv_file = read_csv("a;a\n1;2\n3\n")

    assert csv_file.names == ["a", "a"]
    assert csv_file.cells == [["1", "2"], ["3"]]
    assert csv_file.doubts == ["line 3: fewer cells than the header has"]
