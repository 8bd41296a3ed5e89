"""Rows of CSV files that are longer or shorter than the header: no cell is lost.

`read_csv(text)` returns the cells of each row, and `doubts`, which should be checked, such as
"line 3: fewer cells than the header has".
"""

from controlplane.sandbox.interface import bounds
from tests.benchmarks.files.tables.csv_files.read_csv_files import read_csv


def test_row_with_more_cells_than_the_header_keeps_them() -> None:
    """Probably the note has a comma that is not in quotation marks."""
    csv_file = read_csv("id,note\n1,quiet\n2,quiet, but loud\n3,x\n")

    assert csv_file.cells[1] == ["2", "quiet", " but loud"]
    expected_doubt = "line 3: more cells than the header, which has 2"
    assert csv_file.doubts[0].startswith(expected_doubt)


def test_shorter_rows_are_reported_and_empty_ones_are_left_out() -> None:
    """Line 4 has only empty cells, and line 5 is empty."""
    csv_file = read_csv("a,b\n1,2\n3\n,\n\n4,5\n")

    assert csv_file.cells == [["1", "2"], ["3"], ["4", "5"]]
    assert csv_file.doubts == [
        "line 3: fewer cells than the header has",
        "rows without any value, left out: 1",
    ]


def test_row_with_far_too_many_cells_keeps_the_rest_in_the_last_one() -> None:
    """No file can make a table of more columns than the limit."""
    cell_count = bounds.MOST_COLUMNS + 100

    csv_file = read_csv("a,b\n" + "x," * cell_count + "end\n")

    assert len(csv_file.cells[0]) == bounds.MOST_COLUMNS
    assert csv_file.cells[0][-1].endswith(",end")
