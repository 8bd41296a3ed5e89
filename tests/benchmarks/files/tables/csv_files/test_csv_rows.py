"""Reading CSV files as people have them, with faults that no standard knows.

They have any delimiter, titles above the header, missing quotation marks, and rows that are too
long or too short. No cell is ever lost. What had to be guessed is reported in sentences: `assumed`
are likely right, and `doubts` should be checked, such as "line 3: fewer cells than the header has".
"""

import random
from dataclasses import dataclass

import pytest

from controlplane.benchmarks.files.tables.csv_files.csv_layout import CsvRow
from controlplane.benchmarks.files.tables.csv_files.csv_rows import csv_rows
from controlplane.benchmarks.files.tables.csv_files.layout_detection import (
    layout_of,
    normal_lines,
)
from controlplane.benchmarks.files.tables.csv_files.row_lines import MAX_CELL_LINES
from controlplane.benchmarks.files.tables.csv_files.unfit_rows import UnfitRows
from controlplane.sandbox.interface import bounds


@dataclass(frozen=True)
class CsvFile:
    """What is read from the text of a CSV file."""

    names: list[str]
    """The names of the columns."""
    header_line: int
    rows: list[CsvRow]
    """The rows below the header: `CsvRow(line=2, cells=["Berlin", "5"])`."""
    assumed: list[str]
    """What was guessed, and is likely right: `line 2 is the header`."""
    doubts: list[str]
    """What was guessed, and should be checked: `line 3: fewer cells than the header has`."""

    @property
    def cells(self) -> list[list[str]]:
        return [row.cells for row in self.rows]


def read_csv(text: str) -> CsvFile:
    """Read a CSV file, in the two steps that the product takes: its layout, and then its rows."""
    text = normal_lines(text)
    layout = layout_of(text)
    unfit_rows = UnfitRows()
    rows = list(csv_rows(text, layout, unfit_rows))
    width = len(layout.header.names)
    return CsvFile(
        names=layout.header.names,
        header_line=layout.header.line,
        rows=rows,
        assumed=layout.assumed,
        doubts=[*layout.doubts, *unfit_rows.doubts(width)],
    )


class TestDelimiters:
    """The delimiter may be a comma, a semicolon, a tab or a pipe, and no file says which.

    `read_csv(text)` returns the names of the columns, the rows with their cells, and what had to be
    guessed: `doubts` should be checked.
    """

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
            pytest.param(
                "x\n1,500\n2,000\n", ["x"], ["1,500"], id="one column of numbers"
            ),
            pytest.param(
                "a;b\r1;2\r3;4\r", ["a", "b"], ["1", "2"], id="line ends of old Macs"
            ),
            pytest.param(
                "\ufeffa,b\n1,2\n", ["a", "b"], ["1", "2"], id="byte order mark"
            ),
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
    def test_delimiter_and_header_are_detected_without_doubts(
        self, text: str, names: list[str], first_row: list[str]
    ) -> None:
        csv_file = read_csv(text)

        assert csv_file.names == names
        assert csv_file.cells[0] == first_row
        assert csv_file.doubts == []


class TestUnusualHeaders:
    """A header may have two lines, the same name twice, or one name too few.

    `read_csv(text)` returns the names of the columns, the rows with their cells,
    and `doubts` about them.
    """

    @pytest.mark.parametrize(
        ("row_between", "second_line"),
        [
            pytest.param("", 2, id="no row between"),
            pytest.param("\n", 3, id="empty line between"),
            pytest.param(",,\n", 3, id="row of empty cells between"),
        ],
    )
    def test_header_of_two_lines_gives_joined_names(
        self, row_between: str, second_line: int
    ) -> None:
        """Years are in the first line, and quarters are in the second one."""
        text = f"Region,2024,2024\n{row_between},Q1,Q2\nNorth,1,2\n"

        csv_file = read_csv(text)

        assert csv_file.names == ["Region", "2024 Q1", "2024 Q2"]
        assert csv_file.rows == [CsvRow(second_line + 1, ["North", "1", "2"])]
        assert csv_file.doubts == [f"lines 1 and {second_line} are one header"]

    def test_names_of_rows_are_a_column_even_if_the_header_leaves_them_out(
        self,
    ) -> None:
        """R writes tables like this: every row has one cell more than the header."""
        csv_file = read_csv("mpg,cyl\nMazda,21,6\nDatsun,22,4\n")

        assert csv_file.names == ["column_1", "mpg", "cyl"]
        assert csv_file.cells[0] == ["Mazda", "21", "6"]
        assert len(csv_file.doubts) == 1

    def test_columns_may_have_the_same_name_and_rows_may_be_short(self) -> None:
        """Nothing is filled in for the missing cell."""
        csv_file = read_csv("a;a\n1;2\n3\n")

        assert csv_file.names == ["a", "a"]
        assert csv_file.cells == [["1", "2"], ["3"]]
        assert csv_file.doubts == ["line 3: fewer cells than the header has"]


class TestHeaders:
    """The header may stand below titles, have two lines, or be missing. All of these are guesses.

    `read_csv(text)` tells on which line the header is. What is `assumed` is likely right, and
    `doubts` should be checked.
    """

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
    def test_header_is_found_below_titles(self, text: str, header_line: int) -> None:
        """Programs write titles, dates or comments above the header. That it is one is a guess."""
        csv_file = read_csv(text)

        assert csv_file.header_line == header_line
        assert csv_file.rows[0].line == header_line + 1
        assert f"line {header_line} is the header" in csv_file.assumed

    def test_first_row_is_kept_if_there_is_no_header(self) -> None:
        """The columns get names of our own. That there is no header is a guess."""
        csv_file = read_csv("1,Ada,5\n2,Bob,6\n")

        assert csv_file.names == ["column_1", "column_2", "column_3"]
        assert csv_file.cells[0] == ["1", "Ada", "5"]
        assert "line 1 looks like a row" in csv_file.doubts[0]


class TestFilesOfOneColumn:
    """A file of one column may have a delimiter in its texts."""

    def test_last_line_with_a_delimiter_does_not_make_two_columns(self) -> None:
        """Two of three lines have no semicolon, so it is not the delimiter."""
        csv_file = read_csv("c0\nv0\na;b\n")

        assert csv_file.names == ["c0"]
        assert csv_file.cells == [["v0"], ["a;b"]]
        assert csv_file.doubts == []

    def test_addresses_with_delimiters_do_not_make_two_columns(self) -> None:
        """Every row has a semicolon, but the header has none."""
        csv_file = read_csv("url\nhttp://a?b=1;c=2\nhttp://a?b=3;c=4\n")

        assert csv_file.names == ["url"]
        assert csv_file.cells == [["http://a?b=1;c=2"], ["http://a?b=3;c=4"]]
        assert csv_file.doubts == []


class TestLengthsOfRows:
    """No cell is lost if a row is longer or shorter than the header."""

    def test_row_with_more_cells_than_the_header_keeps_them(self) -> None:
        """Probably the note has a comma that is not in quotation marks."""
        csv_file = read_csv("id,note\n1,quiet\n2,quiet, but loud\n3,x\n")

        assert csv_file.cells[1] == ["2", "quiet", " but loud"]
        expected_doubt = "line 3: more cells than the header, which has 2"
        assert csv_file.doubts[0].startswith(expected_doubt)

    def test_shorter_rows_are_reported_and_empty_ones_are_left_out(self) -> None:
        """Line 4 has only empty cells, and line 5 is empty."""
        csv_file = read_csv("a,b\n1,2\n3\n,\n\n4,5\n")

        assert csv_file.cells == [["1", "2"], ["3"], ["4", "5"]]
        assert csv_file.doubts == [
            "line 3: fewer cells than the header has",
            "rows without any value, left out: 1",
        ]

    def test_row_with_far_too_many_cells_keeps_the_rest_in_the_last_one(self) -> None:
        """No file can make a table of more columns than the limit."""
        cell_count = bounds.MOST_COLUMNS + 100

        csv_file = read_csv("a,b\n" + "x," * cell_count + "end\n")

        assert len(csv_file.cells[0]) == bounds.MOST_COLUMNS
        assert csv_file.cells[0][-1].endswith(",end")


class TestQuotationMarks:
    """A cell in quotation marks may have several lines, so that an open mark could take all rows.

    `read_csv(text)` returns the cells of each row, and `doubts` such as "line
    2: a quotation mark ...".
    """

    @pytest.mark.parametrize(
        "text",
        [
            pytest.param(
                'id,note,n\n1,"broken,5\n2,fine,6\n3,ok,7\n', id="never closed"
            ),
            pytest.param(
                'id,note,n\n1,"broken,5\n2,fine,6\n3,"ok",7\n',
                id="closed in front of another cell",
            ),
            pytest.param(
                'id,note,n\n1,"broken,5\n'
                + "2,fine,6\n" * MAX_CELL_LINES
                + '3,"x",7\n',
                id="closed too many lines later",
            ),
        ],
    )
    def test_unclosed_quotation_mark_does_not_swallow_the_rows_below(
        self, text: str
    ) -> None:
        """An open quotation mark must not swallow the rows below it.

        A cell in quotation marks may have several lines, so that it could take all rows.
        """
        csv_file = read_csv(text)

        assert csv_file.cells[0] == ["1", '"broken', "5"]
        assert csv_file.cells[1] == ["2", "fine", "6"]
        lines_below_the_header = text.count("\n") - 1
        assert len(csv_file.rows) == lines_below_the_header
        assert csv_file.doubts == [
            "line 2: a quotation mark that nothing closes is read as a character"
        ]

    def test_cell_with_line_breaks_is_reported_if_it_may_contain_rows(self) -> None:
        """The quotation mark of line 2 is closed in line 3, which looks like a row of its own."""
        csv_file = read_csv('id,note\n1,"broken\n2,fine"\n3,ok\n')

        assert [row.line for row in csv_file.rows] == [2, 4]
        assert csv_file.doubts == [
            "line 2: a cell in quotation marks holds further lines, which may be rows"
        ]

    def test_cell_with_line_breaks_is_not_reported_if_its_lines_are_not_rows(
        self,
    ) -> None:
        """A cell in quotation marks may have several lines."""
        csv_file = read_csv('id,note\n1,"two\nlines"\n')

        assert csv_file.cells == [["1", "two\nlines"]]
        assert csv_file.doubts == []


def random_lines(rng: random.Random, delimiter: str) -> list[str]:
    """Return a header and rows of 1 to 4 cells, such as `w7;"w6` with stray quotation marks.

    Every cell has a word of its own.
    """
    words = [f"w{number}" for number in range(rng.randrange(4, 60))]
    lines = [f"head{delimiter}tail"]
    while words:
        cells: list[str] = []
        for _ in range(rng.randrange(1, 5)):
            if words:
                beginning = rng.choice(["", '"', " "])
                cells.append(beginning + words.pop())
        lines.append(delimiter.join(cells))
    return lines


class TestRandomFiles:
    """Whatever a file looks like, every word of it is in a cell."""

    def test_no_word_of_a_random_file_is_lost(self) -> None:
        """300 files with random delimiters, quotation marks and row lengths are read."""
        rng = random.Random(7)
        for _ in range(300):
            delimiter = rng.choice(",;\t|")
            lines = random_lines(rng, delimiter)

            csv_file = read_csv("\n".join(lines))

            read_text = "\n".join("\t".join(cells) for cells in csv_file.cells)
            for line in lines[1:]:
                words = line.replace(delimiter, " ").replace('"', " ").split()
                for word in words:
                    assert word in read_text
