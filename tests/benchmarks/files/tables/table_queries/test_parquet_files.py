"""Parquet files, a binary form of tables, are read as if they were texts.

The table has the columns `city`, `amount` and `day`, and four rows with the amounts 0, 1.5, 3 and
4.5. `parquet_table.call("table", {"path": "/o.parquet", ...})` is the call of a script.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.benchmarks.files.files_benchmark import add_documents, find_sources
from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.benchmarks.files.sources.file_suffixes import DOCUMENT_SUFFIXES
from controlplane.sandbox import ForkServer
from tests.benchmarks.files.opened_files import environment_with_worker


@pytest.fixture
def parquet_table(
    fork_server: ForkServer, tmp_path: Path
) -> Iterator[FilesEnvironment]:
    """An environment with the file `o.parquet`, which has four rows."""
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("fsspec")
    rows = """
        values ('c0', 0.0, date '2026-01-01'), ('c1', 1.5, date '2026-01-01'),
               ('c0', 3.0, date '2026-01-01'), ('c1', 4.5, date '2026-01-01')
    """
    duckdb.connect().execute(
        f"copy (from ({rows}) t(city, amount, day)) to '{tmp_path}/o.parquet' (format parquet)"
    )
    sources = find_sources(tmp_path)
    add_documents(sources, DOCUMENT_SUFFIXES)
    with environment_with_worker(fork_server, sources) as environment:
        yield environment


def test_rows_of_a_parquet_file_can_be_summed(parquet_table: FilesEnvironment) -> None:
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


def test_row_of_a_parquet_file_has_a_line(parquet_table: FilesEnvironment) -> None:
    """Lines are counted as in a text, whose line 1 would have the names of the columns."""
    last_row = parquet_table.call(
        "table", {"path": "/o.parquet", "where": "amount > 3"}
    )

    assert last_row["columns"] == ["city", "amount", "day"]
    assert last_row["lines"] == [5]


def test_broken_parquet_file_is_left_out(tmp_path: Path) -> None:
    """The file begins with the four bytes of Parquet files, but has no table."""
    pytest.importorskip("duckdb")
    pytest.importorskip("fsspec")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 nonsense")
    sources = find_sources(tmp_path)

    add_documents(sources, DOCUMENT_SUFFIXES)

    ((reason, paths),) = sources.left_out.items()
    assert reason.startswith("cannot be converted: ")
    assert paths == ["/bad.parquet"]
