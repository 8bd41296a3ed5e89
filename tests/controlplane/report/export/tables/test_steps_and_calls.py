"""Steps and calls have tables of their own, as CSV for spreadsheets or as Parquet for databases.

`export last --to steps.csv` writes a row for each step of a trial, with the script that the model wrote,
and `--to calls.parquet` a row for each call in them. `table_of_sample("steps")` returns the rows of
`steps.csv`.
"""

from pathlib import Path

import pytest

from controlplane import open_journal
from controlplane.journal.trial_reader import RecordedTrial
from tests.controlplane.report.export.tables.sample_tables import SAMPLE, TableReader
from tests.support.command import CommandRunner


def trial_of_sample() -> RecordedTrial:
    """Return the one trial of the sample, as the journal's reader gives it."""
    (trial,) = open_journal(Path(SAMPLE)).trials.values()
    return trial


def test_the_table_of_steps_has_the_code_of_each(table_of_sample: TableReader) -> None:
    """The code is the script that the model wrote in the step."""
    exported_code = [row["code"] for row in table_of_sample("steps")]

    assert exported_code == [step.code for step in trial_of_sample().steps]


def test_the_table_of_calls_has_their_operations(table_of_sample: TableReader) -> None:
    """In the sample, a file is read, and a program of the shop is run."""
    operations = {row["operation"] for row in table_of_sample("calls")}

    assert "read" in operations
    assert "exec" in operations


@pytest.mark.parametrize("table", ["trials", "steps", "calls"])
def test_a_table_has_the_same_rows_and_columns_in_csv_and_parquet(
    table: str,
    table_of_sample: TableReader,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    """DuckDB, a database, reads the Parquet file."""
    duckdb = pytest.importorskip("duckdb")
    rows_in_csv = table_of_sample(table)
    exported = run_command_here("export", SAMPLE, "--to", f"{table}.parquet")
    assert exported.code == 0

    table_in_parquet = duckdb.read_parquet(str(tmp_path / f"{table}.parquet"))

    columns_in_csv = list(rows_in_csv[0])
    assert table_in_parquet.columns == columns_in_csv
    assert len(table_in_parquet.fetchall()) == len(rows_in_csv)
