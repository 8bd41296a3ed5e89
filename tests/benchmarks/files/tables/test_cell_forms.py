"""Reading the cells of a table as numbers and dates, by the form of their column.

The cells of a CSV file are texts: `1,5` is a number in a column of decimal commas, and
`03/04/2025` is in April in a column that has a `13/04/2025`. If a column can be read in
two ways, queries that compute with it are refused, rather than guess.
"""

import pytest

from controlplane.benchmarks.files.tables.loaded_table import Table
from controlplane.benchmarks.files.tables.tables import query_table
from controlplane.sandbox.interface import CallError, Plain


def query(table: Table, sql: str, *, limit: int = 100) -> dict[str, Plain]:
    """Return the result of a query of one table. The test fails if the query opens another file."""
    return query_table(table, sql, limit, open_table=pytest.fail)


def query_rows(text: str, sql: str, path: str = "/a.csv") -> list[str]:
    """Return the rows that a query finds, as CSV: `["X,3", "Y,4"]`.

    `text` is the content of the file `path`; the query calls the table `t`.
    """
    result = query(Table(path, text), sql)
    _header, *rows = str(result["content"]).splitlines()
    return rows


class TestForms:
    """Numbers are read by the form of their column: the currency, the decimal mark, the separators.

    Each case is a CSV file, a query of it, and the rows that the query finds.
    """

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
            pytest.param(
                "p;n\n1 234,5 €;2\n−2,00 €;1\n",
                "select p from t where p > 3",
                ["1234.5"],
                id="blank in a number, and a typographic minus",
            ),
            # `'1` is no number, so the column `p` becomes two: the one with the numbers is queried.
            pytest.param(
                "p\n1'234'567\n'1\n5\n",
                'select count(*) from t where "p as number" = 5',
                ["1"],
                id="apostrophe that is not in a number",
            ),
            pytest.param(
                "p\n12 %\n7.5 %\n", "select avg(p) from t", ["9.75"], id="percent"
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
            pytest.param(
                "a\n1\n2\n3\n",
                "select sum(a) over (order by a rows 1 preceding) from t",
                ["1", "3", "5"],
                id="sums of two rows",
            ),
            pytest.param(
                "id\n007\n12\n", "select id from t", ["007", "12"], id="leading zeros"
            ),
        ],
    )
    def test_numbers_are_read_by_the_form_of_their_column(
        self, text: str, sql: str, expected_rows: list[str]
    ) -> None:
        assert query_rows(text, sql) == expected_rows


class TestJsonLinesAndDates:
    """JSON prescribes decimal points, and queries write dates year first.

    Each case is a file, a query of it as the table `t`, and the rows that the query finds, as CSV.
    """

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
        self, text: str, sql: str, expected_rows: list[str]
    ) -> None:
        """Each line of such a file is a JSON object, and a row of the table."""
        assert query_rows(text, sql, path="/a.jsonl") == expected_rows

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
        self, text: str, sql: str, expected_rows: list[str]
    ) -> None:
        """Queries write dates year first, whatever the file does."""
        assert query_rows(text, sql) == expected_rows


class TestMissingValues:
    """Marks of missing values, such as `NA` and `-`, are null among numbers and dates.

    In the table, two of four amounts and two of four dates are missing; the
    column `code` has texts.
    """

    @pytest.mark.parametrize(
        ("sql", "expected_rows"),
        [
            pytest.param(
                "select sum(amount), max(month(d)) from t",
                ["12,2"],
                id="not counted: 5 + 7, and February",
            ),
            pytest.param(
                "select n from t where amount is null or d is null",
                ["b", "c", "d"],
                id="null in conditions",
            ),
            pytest.param(
                "select code, d from t",
                ["NA,2012-01-01", "DE,", "FR,2012-02-01", "-,"],
                id="empty as dates, and kept as codes",
            ),
        ],
    )
    def test_marks_of_missing_values_are_null_among_numbers_and_dates(
        self, sql: str, expected_rows: list[str]
    ) -> None:
        """Two amounts and two dates are missing. The codes `NA` and `-` are texts."""
        lines = [
            "n,amount,d,code",
            "a,5,2012/01/01,NA",
            "b,NA,N/A,DE",
            "c,-,2012/02/01,FR",
            "d,7,–,-",
        ]

        assert query_rows("\n".join(lines), sql) == expected_rows

    def test_marks_of_missing_values_are_kept_if_the_column_has_nothing_else(
        self,
    ) -> None:
        """Nothing shows whether the column `d` is of numbers, dates or texts."""
        text = "d,x\nNA,1\n-,2\n"

        assert query_rows(text, "select d from t where d = 'NA'") == ["NA"]

    def test_result_says_which_values_are_missing(self) -> None:
        """Otherwise a script would not notice that its sum leaves two of four amounts out."""
        lines = [
            "n,amount,d,code",
            "a,5,2012/01/01,NA",
            "b,NA,N/A,DE",
            "c,-,2012/02/01,FR",
            "d,7,–,-",
        ]

        result = query(Table("/a.csv", "\n".join(lines)), "select n from t")

        assert result["forms"] == {
            "amount": "numbers; empty values ('-', 'NA'): 2",
            "d": "dates; empty values ('N/A', '–'): 2",
        }


class TestAmbiguousColumns:
    """If nothing in a column `b` shows its form, queries can only use its texts.

    `1.234` may be 1234 with a separator of thousands, or 1.234 with a decimal point. `03/04/2025`
    may be in March or in April. The texts have the name `b as written`.
    """

    @pytest.mark.parametrize(
        ("text", "sql", "expected_rows"),
        [
            pytest.param(
                "a;b\nx;1.234\ny;2.500\nz;12\n",
                "select * from t where a = 'x'",
                ["x,1.234"],
                id="all columns",
            ),
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
        self, text: str, sql: str, expected_rows: list[str]
    ) -> None:
        """The value is shown as the file has it, and is not computed with."""
        assert query_rows(text, sql) == expected_rows


class TestComputingWithAmbiguousColumns:
    """Computing with an ambiguous column is refused, rather than guess.

    The error says what is ambiguous, and how the query can be changed.
    """

    @pytest.mark.parametrize(
        ("text", "sql", "expected_error"),
        [
            pytest.param(
                "a;b\nx;1.234\ny;2.500\nz;12\n",
                "select sum(b) from t",
                "'1.234' may be with a decimal point or comma: say form='decimal comma'",
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
                "x is not certain, as '1,500' may be with a decimal point or comma",
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
        self, text: str, sql: str, expected_error: str
    ) -> None:
        with pytest.raises(CallError, match=expected_error):
            query_rows(text, sql)


class TestNumbersWithWord:
    """A column of numbers with a word among them becomes two columns.

    The amounts are 5, 7, call and 100. `amount as written` has these texts, and `amount as number`
    has the numbers 5, 7, null and 100.
    """

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
        self, sql: str, expected_rows: list[str]
    ) -> None:
        """The query names one of two columns: `amount as written` or `amount as number`."""
        text = "n,amount\na,5\nb,7\nc,call\nd,100\n"

        assert query_rows(text, sql) == expected_rows

    def test_column_of_words_with_a_number_among_them_is_text(self) -> None:
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
        self, sql: str, expected_error: str
    ) -> None:
        """One of the amounts is "call". The error names the column that has the numbers alone."""
        text = "n,amount\na,5\nb,7\nc,call\nd,100\n"

        with pytest.raises(CallError, match=expected_error):
            query_rows(text, sql)


class TestErrors:
    """The error of a query names the columns as queries can use them.

    The file has the columns `n` and `amount`. As one of the amounts is the word "call", queries can
    use the columns `amount as written` and `amount as number` instead.
    """

    @pytest.mark.parametrize(
        ("sql", "expected_error"),
        [
            pytest.param(
                "select n from t where amount > 6 and n = 'a'",
                "amount is not certain, as 'call' is no number; "
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
        self, sql: str, expected_error: str
    ) -> None:
        """The file has the columns `n` and `amount`, of which the second became two."""
        text = "n,amount\na,5\nb,7\nc,call\nd,100\n"

        with pytest.raises(CallError, match=f"the query failed: {expected_error}$"):
            query_rows(text, sql)


class TestTextsThatLookLikeValues:
    """Texts that look like numbers or dates cannot be compared with these.

    A query that does so would find nothing, or the wrong rows, so it is refused with the reason.
    """

    @pytest.mark.parametrize(
        "condition",
        [
            pytest.param('"b as written" > 100', id="comparison"),
            pytest.param('"b as written" in (1, 12)', id="list of numbers"),
        ],
    )
    def test_comparing_ambiguous_numbers_as_written_with_a_number_is_refused(
        self, condition: str
    ) -> None:
        """`b as written` has texts such as "1.234", which no number is equal to."""
        text = "a;b\nx;1.234\ny;2.500\nz;12\n"
        expected_error = "b as written is text: compare it with a text in quotes"

        with pytest.raises(CallError, match=expected_error):
            query_rows(text, f"select a from t where {condition}")

    def test_comparing_numbers_with_leading_zeros_with_a_number_is_refused(
        self,
    ) -> None:
        """As texts, "007" and 7 differ, so the query would find nothing."""
        expected_error = "id is text: compare it with a text in quotes"

        with pytest.raises(CallError, match=expected_error):
            query_rows("id\n007\n12\n", "select id from t where 7 = id")

    def test_comparing_dates_with_a_date_as_the_file_writes_it_is_refused(self) -> None:
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
        self, sql: str, expected_error: str
    ) -> None:
        """The lengths "5 km" and "7 km" are texts. VARCHAR is the database's name for a text."""
        text = "a,x\n1,5 km\n2,7 km\n"

        with pytest.raises(CallError, match=expected_error):
            query_rows(text, sql)


def table_of_3000_rows() -> Table:
    """Return a table in which half of the rows have x = 0, and half have x = 1."""
    rows = [f"{number},{number % 2}\n" for number in range(3_000)]
    return Table("/a.csv", "n,x\n" + "".join(rows))


class TestLimitOfRows:
    """A result has at most as many rows as the limit, and counts them all."""

    def test_rows_beyond_the_limit_are_counted(self) -> None:
        """1,500 rows have x = 1, and the result has ten of them."""
        sql = "select n from t where x = 1; -- odd"

        result = query(table_of_3000_rows(), sql, limit=10)

        assert result["total"] == 1_500
        assert result["truncated"] is True

    def test_result_below_the_limit_is_not_truncated(self) -> None:
        """The query finds two rows, one for each value of x."""
        sql = "select x, count(*) from t group by x"

        result = query(table_of_3000_rows(), sql, limit=10)

        assert result["total"] == 2
        assert result["truncated"] is False

    def test_limit_above_1000_rows_is_refused_with_other_ways(self) -> None:
        """The error suggests to group rows, or to ask for them in parts."""
        expected_error = r"limit is at most 1,000 rows: .* group, .* offset 1000"

        with pytest.raises(CallError, match=expected_error):
            query(table_of_3000_rows(), "select n from t", limit=1_001)
