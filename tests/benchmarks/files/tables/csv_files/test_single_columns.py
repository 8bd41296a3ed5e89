"""CSV files of one column, with a delimiter in its texts.

`read_csv(text)` returns the names of the columns, the rows with their cells, and `doubts`: guesses
that should be checked.
"""

from tests.benchmarks.files.tables.csv_files.read_csv_files import read_csv


def test_last_line_with_a_delimiter_does_not_make_two_columns() -> None:
    """Two of three lines have no semicolon, so it is not the delimiter."""
    csv_file = read_csv("c0\nv0\na;b\n")

    assert csv_file.names == ["c0"]
    assert csv_file.cells == [["v0"], ["a;b"]]
    assert csv_file.doubts == []


def test_addresses_with_delimiters_do_not_make_two_columns() -> None:
    """Every row has a semicolon, but the header has none."""
    csv_file = read_csv("url\nhttp://a?b=1;c=2\nhttp://a?b=3;c=4\n")

    assert csv_file.names == ["url"]
    assert csv_file.cells == [["http://a?b=1;c=2"], ["http://a?b=3;c=4"]]
    assert csv_file.doubts == []
