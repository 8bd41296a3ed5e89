"""`export last --to trials.csv` writes tables for spreadsheets, and `.parquet` the same for databases.

A table has a row for each trial of all runs that are named, for each of their steps, or for each call.
Each column is described in the documentation. A text that a spreadsheet would run as a formula gets an
apostrophe: `=1+1` becomes `'=1+1`.
"""

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from controlplane import open_journal
from controlplane.journal.trial_reader import RecordedTrial
from tests.support.command import CommandRunner
from tests.support.journals import scored_journal
from tests.support.product_files import ROOT

SAMPLE = str(ROOT / "runs/sample.jsonl")
"""A journal in the repository: one trial of the task calendar-date.1, which has three steps."""

TableReader = Callable[[str], list[dict[str, str]]]


def rows_of_csv(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table, as in `[{"task_id": "a", "score": "0.5", ...}]`."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


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


def test_the_trials_of_several_runs_are_rows_of_one_table(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """The sample has one trial; the other run has two of the task "a", the second without a score.

    A world is the generated data that a trial plays in; the seed of a run decides what is in it.
    """
    other = scored_journal(tmp_path / "other.jsonl", {"a": [0.5, None]}, seed=-3)
    exported = run_command_here(
        "export", SAMPLE, str(other), "--to", "out/x-trials.csv"
    )

    assert exported.out.startswith("3 trials in")
    _, first_trial, second_trial = rows_of_csv(tmp_path / "out/x-trials.csv")
    assert first_trial["task_id"] == "a"
    assert first_trial["world"] == "0"
    assert first_trial["score"] == "0.5"
    assert second_trial["task_id"] == "a"
    assert second_trial["world"] == "1"
    assert second_trial["score"] == ""
    assert second_trial["seed"] == "-3"


def section(page: str, heading: str) -> str:
    """Return the text of a page below a heading, up to the next one."""
    text = (ROOT / f"docs/{page}.md").read_text(encoding="utf-8")
    _, _, below = text.partition(f"\n### {heading}\n")
    return re.split(r"\n##+ ", below)[0]


@pytest.mark.parametrize(
    ("table", "fields_of"),
    [
        pytest.param("trials", "One result object", id="trials"),
        pytest.param("steps", "A step", id="steps"),
        pytest.param("calls", "", id="calls"),
    ],
)
def test_every_column_of_a_table_is_described(
    table: str, fields_of: str, table_of_sample: TableReader
) -> None:
    """A column is a field with a meaning in the reference, or is named where tables are described."""
    passage = section("commands", "Tables and spans")
    meanings = {}
    if fields_of:
        fields = section("reference", fields_of)
        meanings = dict(re.findall(r"(?m)^\| `(\w+)` \| (.+) \|$", fields))

    for column in table_of_sample(table)[0]:
        is_described = len(meanings.get(column, "").split()) > 1
        assert is_described or f"`{column}`" in passage, column


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


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        pytest.param("=1+1", "'=1+1", id="equals sign"),
        pytest.param("+1", "'+1", id="plus"),
        pytest.param("-1", "'-1", id="minus"),
        pytest.param("@SUM(A1)", "'@SUM(A1)", id="at sign"),
        pytest.param("\uff1d1", "'\uff1d1", id="full-width equals sign"),
        pytest.param("\n =1", "\n '=1", id="after a line break and a space"),
        # A spreadsheet may drop these at the beginning of a cell.
        pytest.param("\t=1", "'\t'=1", id="after a tab"),
        pytest.param("\r=1", "'\r'=1", id="after a carriage return"),
        # A spreadsheet may take these characters, too, for the end of a cell.
        pytest.param("a;=1", "a;'=1", id="after a semicolon"),
        pytest.param(
            "b;\u00a0 -1",
            "b;\u00a0 '-1",
            id="after a semicolon and a no-break space",
        ),
        pytest.param("c|=1", "c|'=1", id="after a vertical bar"),
        pytest.param("d\n\v=1", "d\n\v'=1", id="after a vertical tab"),
    ],
)
def test_a_text_that_looks_like_a_formula_is_quoted_in_csv(
    text: str, cell: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """A spreadsheet would run a formula, so an apostrophe before it makes it a text.

    Here a task has such a name, as a benchmark from outside may have. The cell `refs`, the
    cited files, looks like no formula, and stays as it is."""
    journal = scored_journal(tmp_path / "x.jsonl", {text: [1.0]})
    run_command_here("export", str(journal), "--to", "trials.csv")

    (row,) = rows_of_csv(tmp_path / "trials.csv")

    assert row["task_id"] == cell
    assert row["refs"] == "[]"


def test_half_a_surrogate_pair_becomes_a_replacement_character_in_parquet(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """A model may write half of a character that JSON writes as a pair; Parquet is UTF-8,
    which has no such halves. Here the name of a task ends in one."""
    duckdb = pytest.importorskip("duckdb")
    journal = scored_journal(tmp_path / "x.jsonl", {"a\ud800": [1.0]})

    run_command_here("export", str(journal), "--to", "trials.parquet")

    relation = duckdb.read_parquet(str(tmp_path / "trials.parquet"))
    assert relation.select("task_id").fetchall() == [("a\ufffd",)]
