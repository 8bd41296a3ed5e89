"""Quotation marks in CSV files: a cell in them may have several lines.

So an open quotation mark could swallow all rows below it. `read_csv(text)` returns the cells of
each row, and `doubts` such as "line 2: a quotation mark ...".
"""

import pytest

from controlplane.benchmarks.files.tables.csv_files import MAX_CELL_LINES
from tests.benchmarks.files.tables.csv_files.read_csv_files import read_csv


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('id,note,n\n1,"broken,5\n2,fine,6\n3,ok,7\n', id="never closed"),
        pytest.param(
            'id,note,n\n1,"broken,5\n2,fine,6\n3,"ok",7\n',
            id="closed in front of another cell",
        ),
        pytest.param(
            'id,note,n\n1,"broken,5\n' + "2,fine,6\n" * MAX_CELL_LINES + '3,"x",7\n',
            id="closed too many lines later",
        ),
    ],
)
def test_unclosed_quotation_mark_does_not_swallow_the_rows_below(text: str) -> None:
    csv_file = read_csv(text)

    assert csv_file.cells[0] == ["1", '"broken', "5"]
    assert csv_file.cells[1] == ["2", "fine", "6"]
    lines_below_the_header = text.count("\n") - 1
    assert len(csv_file.rows) == lines_below_the_header
    assert csv_file.doubts == [
        "line 2: a quotation mark that nothing closes is read as a character"
    ]


def test_cell_with_line_breaks_is_reported_if_it_may_contain_rows() -> None:
    """The quotation mark of line 2 is closed in line 3, which looks like a row of its own."""
    csv_file = read_csv('id,note\n1,"broken\n2,fine"\n3,ok\n')

    assert [row.line for row in csv_file.rows] == [2, 4]
    assert csv_file.doubts == [
        "line 2: a cell in quotation marks holds further lines, which may be rows"
    ]


def test_cell_with_line_breaks_is_not_reported_if_its_lines_are_not_rows() -> None:
    csv_file = read_csv('id,note\n1,"two\nlines"\n')

    assert csv_file.cells == [["1", "two\nlines"]]
    assert csv_file.doubts == []
