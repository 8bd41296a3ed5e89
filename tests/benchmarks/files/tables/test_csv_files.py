"""Tables in CSV files and JSON lines are queried without a lost word or a guessed value.

Delimiters, headers, quotation marks, numbers, dates and missing values are detected. Where a cell
or column can be read in two ways, both can be used, and computing with it is refused. Every column
has a name of its own, errors name the columns, and a result counts the rows beyond its limit.
"""

import random
from dataclasses import dataclass

import pytest

from controlplane.benchmarks.files.tables.csv_files import (
    MAX_CELL_LINES,
    CsvFile,
    CsvRow,
)
from controlplane.benchmarks.files.tables.loaded_table import Table
from controlplane.benchmarks.files.tables.table_database import LINE, different_names
from controlplane.benchmarks.files.tables.tables import query_table
from controlplane.sandbox.interface import CallError, bounds
from tests.benchmarks.files.tables.queried_rows import query_rows

# Texts of CSV files, read as the product does.
#
#     csv_file = read_csv("city;n\nBerlin;5\n")
#     csv_file.names    # ["city", "n"]
#     csv_file.cells    # [["Berlin", "5"]]
#     csv_file.doubts   # []
#
# No file says which delimiter it has, so this is guessed. Doubtful guesses are in `doubts`.


@dataclass(frozen=True)
class ReadFile:
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


def read_csv(text: str) -> ReadFile:
    """Read a CSV file, in the two steps that the product takes: its layout, and then its rows."""
    csv_file = CsvFile(text)
    return ReadFile(
        rows=list(csv_file.rows()),
        names=csv_file.names,
        header_line=csv_file.header_line,
        assumed=csv_file.assumed,
        doubts=csv_file.doubts,
    )


# Columns that can be read in two ways: queries can use their texts, by the name `... as written`.
#
# `1.234` may be 1234 with a separator of thousands, or 1.234 with a decimal point. `03/04/2025` may
# be in March or in April. If nothing else in the column shows which, its cells stay texts.


@pytest.mark.parametrize(
    ("text", "sql", "expected_rows"),
    [
        # `12` does not show whether the point of `1.234` is a separator.
        pytest.param(
            "a;b\nx;1.234\ny;2.500\nz;12\n",
            "select * from t where a = 'x'",
            ["x,1.234"],
            id="`*` has the column once",
        ),
        # The decimal comma of `3,5` is in another column. An empty cell shows nothing.
        pytest.param(
            "note;b\nx;1.234\n3,5;2.500\ny;\n",
            "select \"b as written\" from t where note = 'x'",
            ["1.234"],
            id="ambiguous number",
        ),
        pytest.param(
            "d,x\n03/04/2025,1\n05/04/2025,2\n",
            'select "d as written" from t where x = 1',
            ["03/04/2025"],
            id="ambiguous date",
        ),
    ],
)
def test_ambiguous_column_can_be_used_as_it_is_written(
    text: str, sql: str, expected_rows: list[str]
) -> None:
    assert query_rows(text, sql) == expected_rows


# Dates in a CSV file, in any order of day, month and year.
#
# Queries write and get them year first: `03.04.2025` is `2025-04-03`. Each case is a file, a query of
# its table `t`, and the rows of the result.


@pytest.mark.parametrize(
    ("text", "sql", "expected_rows"),
    [
        pytest.param(
            "d,x\n03/04/2025,1\n13/04/2025,2\n",
            "select x from t where d > '2025-04-05'",
            ["2"],
            id="day first, as there is no month 13",
        ),
        pytest.param(
            "d\n03.04.2025\n05.04.2025\n",
            "select d from t order by d desc",
            ["2025-04-05", "2025-04-03"],
            id="German dates",
        ),
        pytest.param(
            "d\n2012.01.31\n2012.02.01\n",
            "select max(d) - min(d) from t",
            ["1"],
            id="year first",
        ),
    ],
)
def test_dates_are_read_by_the_form_of_their_column(
    text: str, sql: str, expected_rows: list[str]
) -> None:
    assert query_rows(text, sql) == expected_rows


# Points and commas in the numbers of a CSV file: which of them is the decimal mark?
#
# The cells of a CSV file are texts. `1,5` is a number in a column of decimal commas, and `1,500` is
# 1500 in a column of decimal points. Each case is a file, a query of its table `t`, and the result.


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


# Numbers in a file of JSON lines, in which each line is a JSON object, and a row of the table.
#
# JSON writes numbers with a decimal point. Texts may have decimal commas: `{"a": "2,5", "b": 1.5}`.


@pytest.mark.parametrize(
    ("text", "sql", "expected_rows"),
    [
        pytest.param(
            '{"a": "1.234,5", "b": 1.5}\n{"a": "2,5", "b": 1.123}\n',
            "select sum(a), sum(b) from t",
            ["1237,2.623"],
            id="numbers as texts, and real numbers",
        ),
        pytest.param(
            '{"a": 1.234}\n{"a": 2.5}\n{"a": 1e300}\n',
            "select a from t where a < 9",
            ["1.234", "2.5"],
            id="huge number",
        ),
        pytest.param(
            '{"a": 1.234}\n{"a": 2.345}\n',
            "select sum(a) from t",
            ["3.579"],
            id="decimal points, which JSON prescribes",
        ),
    ],
)
def test_numbers_of_json_lines_are_read(
    text: str, sql: str, expected_rows: list[str]
) -> None:
    assert query_rows(text, sql, path="/a.jsonl") == expected_rows


# A result has at most as many rows as the limit says, and counts all that were found.
#
# With the limit 10, a query that finds 1,500 rows has ten of them, `total` 1500 and `truncated`.


@pytest.fixture
def table_of_3000_rows() -> Table:
    """A table in which half of the rows have x = 0, and half have x = 1."""
    return Table("/a.csv", "n,x\n" + "1,0\n2,1\n" * 1_500)


def test_rows_beyond_the_limit_are_counted(table_of_3000_rows: Table) -> None:
    """1,500 rows have x = 1, and the result has ten of them."""
    sql = "select n from t where x = 1; -- odd"

    result = query_table(table_of_3000_rows, sql, limit=10, open_table=pytest.fail)

    assert result["total"] == 1_500
    assert result["truncated"] is True


def test_result_below_the_limit_is_not_truncated(table_of_3000_rows: Table) -> None:
    """The query finds two rows, one for each value of x."""
    sql = "select x, count(*) from t group by x"

    result = query_table(table_of_3000_rows, sql, limit=10, open_table=pytest.fail)

    assert result["total"] == 2
    assert result["truncated"] is False


def test_limit_above_1000_rows_is_refused_with_other_ways(
    table_of_3000_rows: Table,
) -> None:
    """The error suggests to group rows, or to ask for them in parts."""
    expected_error = r"limit is at most 1,000 rows: .* group, .* offset 1000"

    with pytest.raises(CallError, match=expected_error):
        query_table(
            table_of_3000_rows,
            "select n from t",
            limit=1_001,
            open_table=pytest.fail,
        )


# Marks of missing values in a CSV file, such as `NA` and `-`.
#
# Among numbers and dates they are null, and among texts they stay texts. A column with nothing else
# is one of texts. In `TABLE`, two of four amounts and two of four days are missing. The column `code`
# has texts.

TABLE = """\
n,amount,day,code
a,5,2012/01/01,NA
b,NA,N/A,DE
c,-,2012/02/01,FR
d,7,–,-
"""


@pytest.mark.parametrize(
    ("sql", "expected_rows"),
    [
        pytest.param(
            "select sum(amount), max(month(day)) from t",
            ["12,2"],  # 5 + 7, and February
            id="sums and maxima leave them out",
        ),
        pytest.param(
            "select n from t where amount is null or day is null",
            ["b", "c", "d"],
            id="conditions see them as null",
        ),
        pytest.param(
            "select code, day from t",
            ["NA,2012-01-01", "DE,", "FR,2012-02-01", "-,"],
            id="codes stay, and missing days are empty",
        ),
    ],
)
def test_marks_of_missing_values_are_null_among_numbers_and_dates(
    sql: str, expected_rows: list[str]
) -> None:
    assert query_rows(TABLE, sql) == expected_rows


def test_mark_of_missing_values_of_a_database_is_null() -> None:
    """MySQL writes it into its dumps."""
    assert query_rows("n,x\na,5\nb,\\N\nc,7\n", "select sum(x) from t") == ["12"]


def test_marks_of_missing_values_are_kept_if_the_column_has_nothing_else() -> None:
    only_marks = "d,x\nNA,1\n-,2\n"

    assert query_rows(only_marks, "select d from t where d = 'NA'") == ["NA"]


def test_result_says_which_values_are_missing() -> None:
    """Otherwise a script would not notice that its sum leaves two of four amounts out.

    `forms` says how the texts of each column were read.
    """
    result = query_table(
        Table("/a.csv", TABLE),
        "select n from t",
        limit=100,
        open_table=pytest.fail,  # The query names no other table.
    )

    assert result["forms"] == {
        "n": "text: 4 of 4 cells",
        "code": "text: 4 of 4 cells",
        "amount": "numbers: 2 of 4 cells; empty ('-', 'NA'): 2",
        "day": "dates: 2 of 4 cells; empty ('N/A', '–'): 2",
    }


# Numbers with further signs in a CSV file: currencies, percent, apostrophes, leading zeros.
#
# The cells of a CSV file are texts. If all cells of a column are numbers, a query gets numbers: for
# `1 234,5 €` the number 1234.5.


@pytest.mark.parametrize(
    ("file_text", "sql", "expected_rows"),
    [
        pytest.param(
            "price;name\n1 234,5 €;a\n−2,00 €;b\n",
            "select price from t where price > 3",
            ["1234.5"],
            id="currency, a blank for thousands, and a typographic minus",
        ),
        pytest.param(
            "share\n12 %\n7.5 %\n",
            "select avg(share) from t",
            ["9.75"],
            id="percent",
        ),
    ],
)
def test_signs_beside_the_digits_are_left_out(
    file_text: str, sql: str, expected_rows: list[str]
) -> None:
    assert query_rows(file_text, sql) == expected_rows


def test_a_column_with_a_cell_that_is_no_number_becomes_two() -> None:
    """`1'234'567` is a number, but `'1` is none. Queries get the column `price` with all cells as
    texts, and the column `price as number` beside it."""
    file_text = "price\n1'234'567\n'1\n5\n"
    sql = 'select count(*) from t where "price as number" = 5'

    assert query_rows(file_text, sql) == ["1"]


def test_leading_zeros_are_kept() -> None:
    """Numbers with leading zeros are ids, which would lose the zeros as numbers: 007 is no 7."""
    assert query_rows("id\n007\n12\n", "select id from t") == ["007", "12"]


# A column of numbers with a word among them becomes two columns.
#
# The amounts are 5, 7, call and 100. `amount as written` has these texts, and `amount as number`
# has the numbers 5, 7, null and 100.


@pytest.mark.parametrize(
    ("sql", "expected_rows"),
    [
        pytest.param(
            'select sum("amount as number") from t',
            ["112"],
            id="the numbers, without the word: 5 + 7 + 100",
        ),
        pytest.param(
            """select n from t where "amount as written" = 'call'""",
            ["c"],
            id="the texts, with the word",
        ),
        pytest.param("select * from t limit 1", ["a,5,5"], id="both columns"),
    ],
)
def test_numbers_with_a_word_among_them_can_be_used_with_or_without_it(
    sql: str, expected_rows: list[str]
) -> None:
    text = "n,amount\na,5\nb,7\nc,call\nd,100\n"

    assert query_rows(text, sql) == expected_rows


def test_column_of_words_with_a_number_among_them_is_text() -> None:
    """It keeps its name, and does not become two columns."""
    text = "a,note\n1,gift\n2,42\n3,call\n"

    assert query_rows(text, "select a from t where note like '%gif%'") == ["1"]


@pytest.mark.parametrize(
    ("sql", "expected_error"),
    [
        pytest.param(
            "select * from t where amount > 6",
            "'call' is no number",
            id="comparison",
        ),
        pytest.param(
            "select max(amount) from t",
            '"amount as number" is null there',
            id="maximum",
        ),
    ],
)
def test_computing_with_numbers_and_a_word_is_refused(
    sql: str, expected_error: str
) -> None:
    """One of the amounts is "call". The error names the column that has the numbers alone."""
    text = "n,amount\na,5\nb,7\nc,call\nd,100\n"

    with pytest.raises(CallError, match=expected_error):
        query_rows(text, sql)


# The error of a query names the columns as queries can use them.
#
# The file has the columns `n` and `amount`. As one of the amounts is the word "call", queries can
# use the columns `amount as written` and `amount as number` instead.


@pytest.mark.parametrize(
    ("sql", "expected_error"),
    [
        pytest.param(
            "select n from t where amount > 6 and n = 'a'",
            "amount is not certain, as 'call' is no number: 1 of 4 cells; "
            '"amount as written" is its text, "amount as number" is null there',
            id="ambiguous column",
        ),
        pytest.param(
            "select amounts from t",
            "Binder Error: .*; the table t has the columns "
            "_line, n, amount as written, amount as number",
            id="misspelt column",
        ),
        pytest.param(
            "select year(n) from t",
            r"Binder Error: No function matches .* 'year\(VARCHAR\)'.*; "
            "the table t has .*",
            id="year of a text",
        ),
    ],
)
def test_error_of_a_query_names_the_columns_as_queries_can_use_them(
    sql: str, expected_error: str
) -> None:
    text = "n,amount\na,5\nb,7\nc,call\nd,100\n"

    with pytest.raises(CallError, match=f"the query failed: {expected_error}$"):
        query_rows(text, sql)


# Computing with a column that can be read in two ways is refused, rather than guess.
#
# `1.234` may be 1234 with a separator of thousands, or 1.234 with a decimal point. The error says
# what is ambiguous, and how the query can be changed.


@pytest.mark.parametrize(
    ("text", "sql", "expected_error"),
    [
        pytest.param(
            "a;b\nx;1.234\ny;2.500\nz;12\n",
            "select sum(b) from t",
            "'1.234' may be read in two ways: say form='decimal point' or 'decimal comma'",
            id="sum",
        ),
        pytest.param(
            "a;b\nx;1.234\ny;2.500\nz;12\n",
            "select * from t where b > 100",
            "b is not certain, as '1.234' may",
            id="comparison",
        ),
        pytest.param(
            "a;b\nx;1.234\ny;2.500\nz;12\n",
            "select a from t order by b desc limit 1",
            "b is not certain, as '1.234' may",
            id="order",
        ),
        pytest.param(
            "x\n1,500\n2,000\n",
            "select sum(x) from t",
            "x is not certain, as '1,500' may be read in two ways",
            id="comma in each number",
        ),
        pytest.param(
            "d,x\n03/04/2025,1\n05/04/2025,2\n",
            "select x from t where d > '2025-04-30'",
            "'day first' or 'month first'",
            id="dates",
        ),
        pytest.param(
            "a,x\n1,$5\n2,€7\n",
            "select sum(x) from t",
            r"it has \$ and €",
            id="two currencies",
        ),
        pytest.param(
            'a,x\n1,1.5\n2,2.50\n3,3\n4,"3,5"\n',
            "select sum(x) from t",
            "different decimal marks",
            id="two decimal marks",
        ),
    ],
)
def test_computing_with_an_ambiguous_column_is_refused(
    text: str, sql: str, expected_error: str
) -> None:
    with pytest.raises(CallError, match=expected_error):
        query_rows(text, sql)


# Queries that compute with texts that only look like numbers or dates, such as `007` and `5 km`.
#
# Such a query would find nothing, or the wrong rows, so it is refused with the reason.


@pytest.mark.parametrize(
    "condition",
    [
        pytest.param('"b as written" > 100', id="comparison"),
        pytest.param('"b as written" in (1, 12)', id="list of numbers"),
    ],
)
def test_comparing_ambiguous_numbers_with_a_number_is_refused(condition: str) -> None:
    """1.234 may be 1234, or a little more than 1. So the table has no column `b` of numbers.

    Queries can use the column `b as written` instead, which has the texts: "1.234".
    """
    text = "a;b\nx;1.234\ny;2.500\nz;12\n"
    expected_error = "b as written is text: compare it with a text in quotes"

    with pytest.raises(CallError, match=expected_error):
        query_rows(text, f"select a from t where {condition}")


def test_comparing_numbers_with_leading_zeros_with_a_number_is_refused() -> None:
    """As texts, "007" and 7 differ, so the query would find nothing."""
    expected_error = "id is text: compare it with a text in quotes"

    with pytest.raises(CallError, match=expected_error):
        query_rows("id\n007\n12\n", "select id from t where 7 = id")


def test_comparing_dates_with_a_date_as_the_file_writes_it_is_refused() -> None:
    """Queries have to write dates year first: `d = '2025-04-13'`."""
    text = "d,x\n03/04/2025,1\n13/04/2025,2\n"

    with pytest.raises(CallError, match="invalid date"):
        query_rows(text, "select x from t where d = '13/04/2025'")


@pytest.mark.parametrize(
    ("sql", "expected_error"),
    [
        pytest.param("select sum(x) from t", r"sum\(VARCHAR\)", id="sum"),
        pytest.param(
            "select * from t where x > 6",
            "is text: compare it with a text in quotes",
            id="comparison",
        ),
        pytest.param("select x * 2 from t", r"\*\(VARCHAR", id="product"),
        pytest.param(
            "select cast(x as double) from t",
            "Could not convert string",
            id="conversion",
        ),
    ],
)
def test_computing_with_numbers_that_have_a_unit_is_refused(
    sql: str, expected_error: str
) -> None:
    """The lengths "5 km" and "7 km" are texts. VARCHAR is the database's name for a text."""
    text = "a,x\n1,5 km\n2,7 km\n"

    with pytest.raises(CallError, match=expected_error):
        query_rows(text, sql)


# Delimiters of CSV files: a comma, a semicolon, a tab or a pipe, and no file says which.
#
# `read_csv(text)` returns the names of the columns, the rows with their cells, and `doubts`: guesses
# that should be checked.


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


# Headers of CSV files that stand below titles, or are missing. All of these are guesses.
#
# `read_csv(text)` tells on which line the header is. What is `assumed` is likely right, and `doubts`
# should be checked.


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


# Names and cells of CSV files with old line ends, odd quotation marks, or years as names.
#
# `read_csv(text)` returns the names of the columns, the rows with their cells, and `doubts`: guesses
# that should be checked.


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


# Quotation marks in CSV files: a cell in them may have several lines.
#
# So an open quotation mark could swallow all rows below it. `read_csv(text)` returns the cells of
# each row, and `doubts` such as "line 2: a quotation mark ...".


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


# Random CSV files: whatever a file looks like, every word of it is in a cell.


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


def test_no_word_of_a_random_file_is_lost() -> None:
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


# Rows of CSV files that are longer or shorter than the header: no cell is lost.
#
# `read_csv(text)` returns the cells of each row, and `doubts`, which should be checked, such as
# "line 3: fewer cells than the header has".


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
        "line 4: a row without any value is left out",
    ]


def test_header_that_stands_again_among_the_rows_is_left_out() -> None:
    """Files with the same header were put one below the other."""
    csv_file = read_csv("city,n\nBerlin,5\ncity,n\nBonn,7\n")

    assert csv_file.cells == [["Berlin", "5"], ["Bonn", "7"]]
    assert csv_file.doubts == ["line 3: the header again, which is left out"]


def test_row_with_far_too_many_cells_keeps_the_rest_in_the_last_one() -> None:
    """No file can make a table of more columns than the limit."""
    cell_count = bounds.MOST_COLUMNS + 100

    csv_file = read_csv("a,b\n" + "x," * cell_count + "end\n")

    assert len(csv_file.cells[0]) == bounds.MOST_COLUMNS
    assert csv_file.cells[0][-1].endswith(",end")


# CSV files of one column, with a delimiter in its texts.
#
# `read_csv(text)` returns the names of the columns, the rows with their cells, and `doubts`: guesses
# that should be checked.


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


# Headers of CSV files that have two lines, the same name twice, or one name too few.
#
# `read_csv(text)` returns the names of the columns, the rows with their cells, and `doubts`: guesses
# that should be checked.


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


def test_years_below_a_repeated_name_are_names() -> None:
    """A sheet with merged cells has their text in each of them."""
    csv_file = read_csv("Name,Sales,Sales\nName,2024,2025\nAda,1,2\n")

    assert csv_file.names == ["Name", "Sales 2024", "Sales 2025"]
    assert csv_file.rows == [CsvRow(3, ["Ada", "1", "2"])]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Name,Year,Year\nAda,2020,2021\nBob,2022,2023\n", id="years"),
        pytest.param("Name,Year,n\nAda,2020,\nBob,5,7\n", id="no name twice"),
        pytest.param("Name,n,n\nAda,5,6\nBob,7,8\n", id="numbers"),
    ],
)
def test_years_among_values_are_no_names(text: str) -> None:
    assert read_csv(text).header_line == 1
    assert len(read_csv(text).rows) == 2


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


# The names under which scripts query the columns of a table.
#
# Every column needs a name of its own. If the file has no name for a column, or has the same name
# twice, the number of the column is added: the second `city` of three becomes `city_3`.


@pytest.mark.parametrize(
    ("names_in_file", "expected_names"),
    [
        pytest.param(
            ["city", "km", ""], ["city", "km", "column_3"], id="column without a name"
        ),
        pytest.param(
            ["city", "km", "City"],
            ["city", "km", "City_3"],
            id="names that differ only in case",
        ),
        pytest.param(
            ["city", "city_3", "city"],
            ["city", "city_3", "city_3_3"],
            id="numbered name that is taken",
        ),
        pytest.param(["_line"], ["_line_1"], id="name of our column for line numbers"),
    ],
)
def test_each_column_gets_a_name_of_its_own(
    names_in_file: list[str], expected_names: list[str]
) -> None:
    assert different_names(names_in_file, [LINE]) == expected_names
