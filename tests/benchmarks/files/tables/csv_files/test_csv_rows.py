"""CSV files as people have them: every cell is there, and what does not fit is told."""

import random

import pytest

from controlplane.benchmarks.files.tables.csv_files.csv_layout import CsvLayout, CsvRow
from controlplane.benchmarks.files.tables.csv_files.csv_rows import csv_rows
from controlplane.benchmarks.files.tables.csv_files.layout_detection import (
    layout_of,
    normal_lines,
)
from controlplane.benchmarks.files.tables.csv_files.row_reading import MAX_CELL_LINES
from controlplane.benchmarks.files.tables.csv_files.unfit_rows import UnfitRows
from controlplane.sandbox.interface import bounds


def read(text: str) -> tuple[CsvLayout, list[CsvRow], list[str]]:
    """Return the layout, the rows and all doubts of a file."""
    text = normal_lines(text)
    layout = layout_of(text)
    unfit = UnfitRows()
    rows = list(csv_rows(text, layout, unfit))
    return layout, rows, [*layout.doubts, *unfit.doubts(len(layout.header.names))]


@pytest.mark.parametrize(
    ("text", "names", "first_row"),
    [
        (
            '"Price, net";"Price, gross"\n1,5;2,5\n',
            ["Price, net", "Price, gross"],
            ["1,5", "2,5"],
        ),
        (
            "Weight, kg;Name\n2,5;Pump\n3,5;Valve\n",
            ["Weight, kg", "Name"],
            ["2,5", "Pump"],
        ),
        ("a\tb, c\n1\t2, 3\n", ["a", "b, c"], ["1", "2, 3"]),
        ("a|b\n1|2,5\n", ["a", "b"], ["1", "2,5"]),
        ("a;a\n1;2\n3\n", ["a", "a"], ["1", "2"]),
        ("name\nAda, the first\nBob, the second\n", ["name"], ["Ada, the first"]),
        ("x\n1,500\n2,000\n", ["x"], ["1,500"]),
        ("a;b\r1;2\r3;4\r", ["a", "b"], ["1", "2"]),
        ("\ufeffa,b\n1,2\n", ["a", "b"], ["1", "2"]),
        ('a,b\n1,"He \\"x, y\\" z"\n', ["a", "b"], ["1", 'He "x, y" z']),
        ('size,n\n5" pipe,3\n"4"" pipe",5\n', ["size", "n"], ['5" pipe', "3"]),
        ("country,2019,2020\nDE,5,6\n", ["country", "2019", "2020"], ["DE", "5", "6"]),
        ("id,note\n1,quiet\n2,loud\n", ["id", "note"], ["1", "quiet"]),
    ],
)
def test_the_delimiter_fits_most_lines(
    text: str, names: list[str], first_row: list[str]
) -> None:
    layout, rows, doubts = read(text)
    assert layout.header.names == names
    assert rows[0].cells == first_row
    assert [doubt for doubt in doubts if "fewer cells" not in doubt] == []


@pytest.mark.parametrize(
    ("text", "header_line"),
    [
        ("Export of 2025-01-06\nid;owner;price\n1;Foo;1,5\n", 2),
        ("My export\nid;price\n1;2,5\n", 2),
        ("sep=;\r\nid;price\r\n1;1,5\r\n", 2),
        ("Title,,\n,,\nid,owner,price\n1,a,5\n", 3),
        ("nonsense1\nnonsense2\nid,owner,price\n1,a,5\n", 3),
        ("# made by hand\n# 2025\nid,n\n1,2\n", 3),
        ("Report,Sales\nPeriod,2025\n\nid,owner,price\n1,a,5\n2,b,6\n", 4),
    ],
)
def test_titles_above_the_header_are_told(text: str, header_line: int) -> None:
    layout, rows, _ = read(text)
    assert layout.header.line == header_line
    assert rows[0].line == header_line + 1
    assert f"line {header_line} is the header" in layout.assumed


def test_a_file_without_a_header_keeps_its_first_row() -> None:
    layout, rows, doubts = read("1,Ada,5\n2,Bob,6\n")
    assert layout.header.names == ["column_1", "column_2", "column_3"]
    assert rows[0].cells == ["1", "Ada", "5"]
    assert "line 1 looks like a row" in doubts[0]


@pytest.mark.parametrize(
    "text", ["c0\nv0\na;b\n", "url\nhttp://a?b=1;c=2\nhttp://a?b=3;c=4\n"]
)
def test_one_column_of_values_with_delimiters_keeps_its_header(text: str) -> None:
    layout, rows, doubts = read(text)
    assert [
        *layout.header.names,
        *(cell for row in rows for cell in row.cells),
    ] == text.split()
    assert doubts == []


def test_names_of_rows_without_a_header_are_a_column() -> None:
    layout, rows, doubts = read("mpg,cyl\nMazda,21,6\nDatsun,22,4\n")
    assert layout.header.names == ["column_1", "mpg", "cyl"]
    assert rows[0].cells == ["Mazda", "21", "6"]
    assert len(doubts) == 1


@pytest.mark.parametrize(
    ("rows_between", "second_line"),
    [("", 2), ("\n", 3), (",,\n", 3)],
    ids=["", "empty", "commas"],
)
def test_two_lines_of_names_are_one_header(rows_between: str, second_line: int) -> None:
    layout, rows, doubts = read(f"Region,2024,2024\n{rows_between},Q1,Q2\nNorth,1,2\n")
    assert layout.header.names == ["Region", "2024 Q1", "2024 Q2"]
    assert rows == [CsvRow(second_line + 1, ["North", "1", "2"])]
    assert doubts == [f"lines 1 and {second_line} are one header"]


def test_a_row_with_more_cells_than_the_header_keeps_them() -> None:
    _, rows, doubts = read("id,note\n1,quiet\n2,quiet, but loud\n3,x\n")
    assert rows[1].cells == ["2", "quiet", " but loud"]
    assert doubts[0].startswith("line 3: more cells than the header, which has 2")


@pytest.mark.parametrize(
    "text",
    [
        'id,note,n\n1,"broken,5\n2,fine,6\n3,ok,7\n',
        'id,note,n\n1,"broken,5\n2,fine,6\n3,"ok",7\n',
        'id,note,n\n1,"broken,5\n' + "2,fine,6\n" * MAX_CELL_LINES + '3,"x",7\n',
    ],
)
def test_a_quotation_that_nothing_closes_swallows_no_row(text: str) -> None:
    _, rows, doubts = read(text)
    assert rows[0].cells == ["1", '"broken', "5"]
    assert rows[1].cells == ["2", "fine", "6"]
    assert len(rows) == text.count("\n") - 1
    assert doubts == [
        "line 2: a quotation mark that nothing closes is read as a character"
    ]


def test_a_cell_that_may_hold_rows_is_told() -> None:
    _, rows, doubts = read('id,note\n1,"broken\n2,fine"\n3,ok\n')
    assert [row.line for row in rows] == [2, 4]
    assert doubts == [
        "line 2: a cell in quotation marks holds further lines, which may be rows"
    ]
    assert read('id,note\n1,"two\nlines"\n')[2] == []


def test_rows_that_are_shorter_or_empty_are_counted() -> None:
    _, rows, doubts = read("a,b\n1,2\n3\n,\n\n4,5\n")
    assert [row.cells for row in rows] == [["1", "2"], ["3"], ["4", "5"]]
    assert doubts == [
        "line 3: fewer cells than the header has",
        "rows without any value, left out: 1",
    ]


def test_a_row_with_far_too_many_cells_keeps_them_in_the_last_one() -> None:
    _, rows, _ = read("a,b\n" + "x," * 600 + "end\n")
    assert len(rows[0].cells) == bounds.MOST_COLUMNS
    assert rows[0].cells[-1].endswith(",end")


def test_every_cell_of_random_lines_is_in_some_row() -> None:
    random.seed(7)
    for _ in range(300):
        delimiter = random.choice(",;\t|")
        words = [f"w{number}" for number in range(random.randrange(4, 60))]
        lines = ["head" + delimiter + "tail"]
        while words:
            cells = []
            for _ in range(random.randrange(1, 5)):
                if words:
                    cells.append(random.choice(["", '"', " "]) + words.pop())
            lines.append(delimiter.join(cells))
        _, rows, _ = read("\n".join(lines))
        shown = "\n".join("\t".join(row.cells) for row in rows)
        for line in lines[1:]:
            for word in line.replace(delimiter, " ").replace('"', " ").split():
                assert word in shown
