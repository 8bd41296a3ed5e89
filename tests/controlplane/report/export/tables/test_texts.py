"""A text that spreadsheets or databases would take for something else is changed in a table.

A benchmark from outside may give its tasks such names. A spreadsheet would run a formula, so an
apostrophe before it makes it a text:

    =1+1    ->    '=1+1
"""

from pathlib import Path

import pytest

from tests.controlplane.report.export.tables.sample_tables import rows_of_csv
from tests.support.command import CommandRunner
from tests.support.journals import scored_journal


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
