"""The table that `run` and `show` print: open and failed trials first, and the others counted.

    trial     score  outcome   steps    time
    open-0        -  open          0       -
      interrupted
    right-0    1.00  answered      0  10.0 s
    38 more trials, 162 not started

A line that begins with a space belongs to the trial above it.
"""

from pathlib import Path

import pytest

from controlplane.journal.totals.run_summary import RunSummary
from controlplane.view.tables.run_table import print_run_table
from tests.controlplane.view.tables.stopped_runs import stopped_run


@pytest.mark.parametrize(
    ("summary", "first_trials", "count_of_others"),
    [
        pytest.param(
            stopped_run(right=56, left_open=2, not_started=162),
            ["open-0", "open-1"],
            "38 more trials, 162 not started",
            id="open before right ones",
        ),
        pytest.param(
            stopped_run(right=20, half_right=2),
            ["half-0", "half-1"],
            "2 more trials",
            id="half right before right ones",
        ),
        pytest.param(
            stopped_run(left_open=2, not_started=3, hidden=19),
            ["open-0", "open-1"],
            "1 more trial, 3 not started",
            id="open before hidden ones",
        ),
        pytest.param(
            stopped_run(left_open=2, not_started=3),
            ["open-0", "open-1"],
            "3 not started",
            id="those that were not started are not shown",
        ),
    ],
)
def test_a_table_of_twenty_trials_shows_the_worst_and_counts_the_others(
    summary: RunSummary,
    first_trials: list[str],
    count_of_others: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Open trials come first, then wrong ones. Trials that were not started have no line."""
    print_run_table(summary, tmp_path / "id.jsonl")
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]

    _name_of_run, _names_of_columns, *rows = lines
    trial_lines = [row for row in rows if not row.startswith(" ")]
    shown_trials = [line.split()[0] for line in trial_lines[: len(first_trials)]]
    assert shown_trials == first_trials
    assert count_of_others in lines
