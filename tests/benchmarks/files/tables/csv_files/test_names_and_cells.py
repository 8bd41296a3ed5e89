"""Names and cells of CSV files with old line ends, odd quotation marks, or years as names.

`read_csv(text)` returns the names of the columns, the rows with their cells, and `doubts`: guesses
that should be checked.
"""

import pytest

from tests.benchmarks.files.tables.csv_files.read_csv_files import read_csv


@pytest.mark.parametrize(
    ("text", "names", "first_row"),
    [
        pytest.param(
            "a;b\r1;2\r3;4\r", ["a", "b"], ["1", "2"], id="line ends of old Macs"
        ),
        pytest.param("\ufeffa,b\n1,2\n", ["a", "b"], ["1", "2"], id="byte order mark"),
        pytest.param(
            'a,b\n1,"He \\"x, y\\" z"\n',
            ["a", "b"],
            ["1", 'He "x, y" z'],
            id="quotation marks with backslashes",
        ),
        pytest.param(
            'size,n\n5" pipe,3\n"4"" pipe",5\n',
            ["size", "n"],
            ['5" pipe', "3"],
            id="quotation mark in a cell",
        ),
        pytest.param(
            "country,2019,2020\nDE,5,6\n",
            ["country", "2019", "2020"],
            ["DE", "5", "6"],
            id="years as names",
        ),
        pytest.param(
            "id,note\n1,quiet\n2,loud\n", ["id", "note"], ["1", "quiet"], id="plain"
        ),
    ],
)
def test_names_and_cells_are_read_without_doubts(
    text: str, names: list[str], first_row: list[str]
) -> None:
    csv_file = read_csv(text)

    assert csv_file.names == names
    assert csv_file.cells[0] == first_row
    assert csv_file.doubts == []
