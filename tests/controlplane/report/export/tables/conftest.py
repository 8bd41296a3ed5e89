"""Exports a table of the run of the repository, runs/sample.jsonl, and reads its rows."""

from pathlib import Path

import pytest

from tests.controlplane.report.export.tables.sample_tables import (
    SAMPLE,
    TableReader,
    rows_of_csv,
)
from tests.support.command import CommandRunner


@pytest.fixture
def table_of_sample(run_command_here: CommandRunner, tmp_path: Path) -> TableReader:
    """A function that exports a table of the sample: "trials", "steps" or "calls".

    `table_of_sample("steps")` returns the rows of `steps.csv`.
    """

    def table(name: str) -> list[dict[str, str]]:
        exported = run_command_here("export", SAMPLE, "--to", f"{name}.csv")
        assert exported.code == 0, exported.err
        return rows_of_csv(tmp_path / f"{name}.csv")

    return table
