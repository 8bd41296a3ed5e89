"""Reading files as tables by SQL, as in `harness.table("/a.csv", where="amount > 6")`.

A result has the rows as CSV in `content`, and in `lines` the line of the file for each row,
so that an answer can cite it. Only a row that stands in the file has a line: a sum or a
changed value is computed. Queries can read the table, and nothing else.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controlplane.benchmarks.files.documents.documents import add_documents
from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.benchmarks.files.sources.file_suffixes import DOCUMENT_SUFFIXES
from controlplane.benchmarks.files.sources.folder_scan import find_sources
from controlplane.sandbox import ForkServer
from controlplane.sandbox.interface import CallError, Plain
from tests.benchmarks.files.opened_files import environment_with_worker, write_files

CallTable = Callable[..., dict[str, Plain]]


@pytest.fixture
def call_table(fork_server: ForkServer, tmp_path: Path) -> CallTable:
    """Writes files and calls for a table, as a script does, in one.

    `call_table({"a.csv": "id,fee\\n7,4\\n"}, path="/a.csv", where="fee > 3")` writes the file and
    returns `{"content": "id,fee\\n7,4\\n", ...}`. Raises `CallError` if the call is refused.
    """

    def write_files_and_call(
        texts: dict[str, str], **arguments: str
    ) -> dict[str, Plain]:
        write_files(tmp_path, texts)
        sources = find_sources(tmp_path)
        # Tables are read in a worker, a process that is forked from the server.
        with environment_with_worker(fork_server, sources) as environment:
            result = environment.call("table", arguments)
            # A second call uses the table that the first one has loaded.
            assert environment.call("table", arguments) == result
        return result

    return write_files_and_call


class TestLines:
    """A row that stands in the file has its line, so that an answer can cite it.

    `call_table({"a.csv": text}, path="/a.csv", where="amount > 6")` writes a file and
    calls for a table of it. The result has the rows as CSV in `content`, and their
    lines of the file in `lines`.
    """

    def test_row_below_a_cell_of_two_lines_has_its_own_line(
        self, call_table: CallTable
    ) -> None:
        """The header is on line 1, the first row on lines 2 and 3, and the second one on line 4."""
        text = 'id,name,amount\n007,"a\nb",5\n8,c,12.50\n'

        result = call_table({"a.csv": text}, path="/a.csv", where="amount > 6")

        assert result["content"] == "id,name,amount\n8,c,12.5\n"
        assert result["lines"] == [4]

    def test_rows_in_another_order_have_the_lines_of_the_file(
        self, call_table: CallTable
    ) -> None:
        """The row with `y` comes first, and is on line 3."""
        text = "id,name\n7,x\n007,y\n"

        result = call_table(
            {"a.csv": text}, path="/a.csv", columns="id", order="name desc"
        )

        assert result["content"] == "id\n007\n7\n"
        assert result["lines"] == [3, 2]

    def test_sums_of_groups_have_no_lines(self, call_table: CallTable) -> None:
        """City X has the numbers 1 and 2, and Y has none."""
        text = "city\tn\nX\t1\nY\t\nX\t2\n"

        result = call_table(
            {"a.tsv": text}, path="/a.tsv", columns="city, sum(n) s", group="city"
        )

        assert result["content"] == "city,s\nX,3\nY,\n"
        assert result["lines"] == []

    def test_columns_of_one_name_are_numbered_and_short_rows_are_filled(
        self, call_table: CallTable
    ) -> None:
        """Both columns are called `a`, and the last row has no second cell."""
        result = call_table({"semi.csv": "a;a\n1;2\n3\n"}, path="/semi.csv")

        assert result["content"] == "a,a_2\n1,2\n3,\n"
        assert result["lines"] == [2, 3]


class TestJsonLines:
    """In a file of JSON Lines, each line is an object, and a row of the table."""

    def test_fields_of_all_json_lines_are_columns(self, call_table: CallTable) -> None:
        """The object on line 1 has no `c`, and that on line 3 no `b`. Line 2 is empty."""
        text = '{"a": 1, "b": [2]}\n\n{"c": "04", "a": 3}\n'

        result = call_table(
            {"a.jsonl": text}, path="/a.jsonl", sql="select a, b, c, _line from t"
        )

        assert result["content"] == "a,b,c\n1,[2],\n3,,04\n"
        assert result["lines"] == [1, 3]

    def test_row_below_a_very_long_json_line_is_found(
        self, call_table: CallTable
    ) -> None:
        """Line 1 has more than a million characters.

        The fields `a` and `A` differ only in case, so that `A` is queried as `A_2`.
        """
        text = f'{{"a": "{"x" * 1_600_000}"}}\n{{"A": "07", "a": 1}}\n'

        result = call_table(
            {"a.jsonl": text}, path="/a.jsonl", where="A_2 = '07'", columns="a, A_2"
        )

        assert result["content"] == "a,A_2\n1,07\n"
        assert result["lines"] == [2]


every_kind_of_table = pytest.mark.parametrize(
    ("file_name", "text"),
    [
        pytest.param("a.csv", "id,name\n7,x\n", id="commas"),
        pytest.param("a.tsv", "city\tn\nX\t1\n", id="tabs"),
        pytest.param("a.jsonl", '{"a": 1}\n', id="JSON Lines"),
        pytest.param("semi.csv", "a;a\n1;2\n", id="semicolons"),
    ],
)
"""Runs a test for a small table of each kind."""


class TestRefusedQueries:
    """A query can read the table, and nothing else.

    A model writes the queries, and a hostile file may have told it what to write.
    """

    @every_kind_of_table
    def test_query_for_an_unknown_column_is_refused_with_the_names_of_all_columns(
        self, call_table: CallTable, file_name: str, text: str
    ) -> None:
        """A script that reads the error can correct its query."""
        with pytest.raises(CallError, match="the table t has the columns"):
            call_table(
                {file_name: text}, path=f"/{file_name}", sql="select nothing from t"
            )

    @every_kind_of_table
    @pytest.mark.parametrize(
        "sql",
        [
            pytest.param("delete from t", id="delete rows"),
            pytest.param("attach 'x' as y", id="open another database"),
            pytest.param("pragma query_only = off; drop table t", id="drop the table"),
            pytest.param("pragma user_version = 4711", id="change a setting"),
            pytest.param(
                "select * from read_csv('/etc/passwd')", id="read another file"
            ),
            pytest.param("create temp table u(a)", id="create a table"),
        ],
    )
    def test_query_that_does_more_than_read_the_table_is_refused(
        self, call_table: CallTable, file_name: str, text: str, sql: str
    ) -> None:
        with pytest.raises(CallError, match="the query failed"):
            call_table({file_name: text}, path=f"/{file_name}", sql=sql)


class TestComputedRows:
    """A row has a line only if the query selects `_line`, and leaves all values as they are.

    Otherwise an answer could cite line 3 of the file for a value that is not on line 3.
    """

    @pytest.mark.parametrize(
        "sql",
        [
            pytest.param(
                "select a.name, b.due, a._line from t a, t b where b.name = 'Bob'",
                id="values of two rows",
            ),
            pytest.param(
                "select name, due + interval 9 years as due, _line from t",
                id="changed value",
            ),
            pytest.param(
                "select name, due, 3 as _line from t where name = 'Ada'",
                id="invented line number",
            ),
            pytest.param(
                "select due as name, name as due, _line from t", id="exchanged names"
            ),
            pytest.param(
                "select name || '' as name, due::text || 'x' as due, _line from t",
                id="computed columns",
            ),
            pytest.param("select sum(fee) as fee, 2 as _line from t", id="sum"),
            pytest.param("select name, due from t", id="no line number"),
        ],
    )
    def test_row_that_a_query_computes_has_no_line(
        self, call_table: CallTable, sql: str
    ) -> None:
        """Otherwise an answer could cite line 3 for a value that is not on line 3."""
        due_days = "name,due,fee\nAda,2024-01-31,3\nBob,2027-03-19,4\n"

        result = call_table({"a.csv": due_days}, path="/a.csv", sql=sql)

        assert result["rows"]
        assert result["lines"] == []

    def test_rows_that_a_query_only_orders_keep_their_lines(
        self, call_table: CallTable
    ) -> None:
        """The header is line 1, Ada is on line 2, and Bob, who comes first here, on line 3."""
        due_days = "name,due,fee\nAda,2024-01-31,3\nBob,2027-03-19,4\n"
        sql = "select due, name, _line from t order by name desc"

        result = call_table({"a.csv": due_days}, path="/a.csv", sql=sql)

        line_of_bob = 3
        line_of_ada = 2
        assert result["lines"] == [line_of_bob, line_of_ada]


class TestWorkbooks:
    """A workbook is converted to a folder with a CSV file for each sheet."""

    def test_path_of_a_workbook_means_its_only_sheet(
        self, call_table: CallTable
    ) -> None:
        sheet = {"one.xlsx/sheet-A.csv": "a\n1\n"}

        result = call_table(sheet, path="/one.xlsx")

        assert result["path"] == "/one.xlsx/sheet-A.csv"
        assert result["content"] == "a\n1\n"

    def test_path_of_a_workbook_with_two_sheets_is_refused_with_their_names(
        self, call_table: CallTable
    ) -> None:
        """The error says which paths the call may name instead."""
        sheets = {"two.xlsx/sheet-A.csv": "a\n1\n", "two.xlsx/sheet-B.csv": "a\n1\n"}
        names_both = r"name /two\.xlsx/sheet-A\.csv or /two\.xlsx/sheet-B\.csv"

        with pytest.raises(CallError, match=names_both):
            call_table(sheets, path="/two.xlsx")


@pytest.fixture
def parquet_table(
    fork_server: ForkServer, tmp_path: Path
) -> Iterator[FilesEnvironment]:
    """An environment with the file `o.parquet`; Parquet is a binary form of tables.

    | city | amount | day        |
    | ---- | ------ | ---------- |
    | c0   | 0      | 2026-01-01 |
    | c1   | 1.5    | 2026-01-01 |
    | c0   | 3      | 2026-01-01 |
    | c1   | 4.5    | 2026-01-01 |
    """
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("fsspec")
    rows = (
        "select 'c' || i % 2 as city, i * 1.5 as amount, date '2026-01-01' as day "
        "from range(4) t(i)"
    )
    duckdb.connect().execute(
        f"copy ({rows}) to '{tmp_path}/o.parquet' (format parquet)"
    )
    sources = find_sources(tmp_path)
    add_documents(sources, DOCUMENT_SUFFIXES)
    with environment_with_worker(fork_server, sources) as environment:
        yield environment


class TestParquetFiles:
    """Parquet is a binary form of tables, which is read as if it were a text.

    The table has the columns `city`, `amount` and `day`, and four rows with the
    amounts 0, 1.5, 3 and 4.5.
    """

    def test_rows_of_a_parquet_file_can_be_summed(
        self, parquet_table: FilesEnvironment
    ) -> None:
        """The latest day and the sum of the amounts of each city are asked for."""
        sums = parquet_table.call(
            "table",
            {
                "path": "/o.parquet",
                "columns": "max(day) d, sum(amount) s",
                "group": "city",
                "order": "s",
            },
        )

        assert sums["content"] == "d,s\n2026-01-01,3\n2026-01-01,6\n"
        assert sums["total"] == 2

    def test_row_of_a_parquet_file_has_a_line(
        self, parquet_table: FilesEnvironment
    ) -> None:
        """Lines are counted as in a text, whose line 1 would have the names of the columns."""
        last_row = parquet_table.call(
            "table", {"path": "/o.parquet", "where": "amount > 3"}
        )

        assert last_row["columns"] == ["city", "amount", "day"]
        line_of_fourth_row = 5
        assert last_row["lines"] == [line_of_fourth_row]

    def test_broken_parquet_file_is_left_out(self, tmp_path: Path) -> None:
        """The file begins with the four bytes of Parquet files, but has no table."""
        pytest.importorskip("duckdb")
        pytest.importorskip("fsspec")
        (tmp_path / "bad.parquet").write_bytes(b"PAR1 nonsense")
        sources = find_sources(tmp_path)

        add_documents(sources, DOCUMENT_SUFFIXES)

        assert dict(sources.left_out) == {"cannot be converted": ["/bad.parquet"]}
