"""Headers of CSV files that stand below titles, or are missing. All of these are guesses.

`read_csv(text)` tells on which line the header is. What is `assumed` is likely right, and `doubts`
should be checked.
"""

import pytest

from tests.benchmarks.files.tables.csv_files.read_csv_files import read_csv


@pytest.mark.parametrize(
    ("text", "header_line"),
    [
        pytest.param(
            "Export of 2025-01-06\nid;owner;price\n1;Foo;1,5\n",
            2,
            id="date of export",
        ),
        pytest.param("My export\nid;price\n1;2,5\n", 2, id="title"),
        pytest.param(
            "sep=;\r\nid;price\r\n1;1,5\r\n", 2, id="delimiter as Excel declares it"
        ),
        pytest.param(
            "Title,,\n,,\nid,owner,price\n1,a,5\n", 3, id="title and empty row"
        ),
        pytest.param(
            "nonsense1\nnonsense2\nid,owner,price\n1,a,5\n", 3, id="two titles"
        ),
        pytest.param("# made by hand\n# 2025\nid,n\n1,2\n", 3, id="comments"),
        pytest.param(
            "Report,Sales\nPeriod,2025\n\nid,owner,price\n1,a,5\n2,b,6\n",
            4,
            id="titles of two cells",
        ),
    ],
)
def test_header_is_found_below_titles(text: str, header_line: int) -> None:
    """Programs write titles, dates or comments above the header. That it is one is a guess."""
    csv_file = read_csv(text)

    assert csv_file.header_line == header_line
    assert csv_file.rows[0].line == header_line + 1
    assert f"line {header_line} is the header" in csv_file.assumed


def test_first_row_is_kept_if_there_is_no_header() -> None:
    """The columns get names of our own. That there is no header is a guess."""
    csv_file = read_csv("1,Ada,5\n2,Bob,6\n")

    assert csv_file.names == ["column_1", "column_2", "column_3"]
    assert csv_file.cells[0] == ["1", "Ada", "5"]
    assert "line 1 looks like a row" in csv_file.doubts[0]
