"""`export last --to trials.csv` writes a table of recorded trials for spreadsheets.

The table has a row for each trial of all runs that are named, and a column for each of its values:

    task_id  world  score  ...
"""

from pathlib import Path

from tests.controlplane.report.export.tables.sample_tables import (
    SAMPLE,
    TableReader,
    rows_of_csv,
)
from tests.support.command import CommandRunner
from tests.support.journals import scored_journal
from tests.support.product_files import ROOT


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


def test_every_column_of_the_table_of_trials_is_documented(
    table_of_sample: TableReader,
) -> None:
    """The documentation names each column, in a table or in a sentence."""
    (row,) = table_of_sample("trials")

    documentation = ""
    for name in ("commands", "reference"):
        documentation += (ROOT / f"docs/{name}.md").read_text(encoding="utf-8")
    for column in row:
        assert f"`{column}`" in documentation
