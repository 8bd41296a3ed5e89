"""Below a failed trial, the report of a run has the reason and the answer, on one line or two.

    trial  score  outcome  steps   time
    beta    0.00  OK           1  1.5 s
      The total is that of another customer; answered answer of
      beta

"answer of beta" is the text of the answer, which the trials of these tests give.
"""

from pathlib import Path

import pytest

from tests.controlplane.report.reported_run import journal_of_trials
from tests.controlplane.report.reported_trial import ReportedTrial
from tests.support.command import run_in_process


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        pytest.param(
            60,
            ["  The total is that of another customer; answered answer of", "  beta"],
            id="two lines",
        ),
        pytest.param(
            80,
            ["  The total is that of another customer; answered answer of beta"],
            id="one line",
        ),
    ],
)
def test_a_reason_is_wrapped(columns: int, reason: list[str], tmp_path: Path) -> None:
    trial = ReportedTrial(
        "beta", score=0.0, details=("The total is that of another customer",)
    )
    journal_of_trials(tmp_path / "runs/first.jsonl", [trial])

    shown = run_in_process("show", "last", cwd=tmp_path, COLUMNS=str(columns))

    table, _, _ = shown.out.partition("\nmean score")
    _title, _heading, _trial, *reason_rows = table.splitlines()
    assert [row.rstrip() for row in reason_rows] == reason


def test_a_reason_of_more_than_two_lines_is_cut_off(tmp_path: Path) -> None:
    trial = ReportedTrial("beta", score=0.0, details=("a long reason " * 12,))
    journal_of_trials(tmp_path / "runs/first.jsonl", [trial])

    shown = run_in_process("show", "last", cwd=tmp_path, COLUMNS="45")

    table, _, _ = shown.out.partition("\nmean score")
    _title, _heading, _trial, first_row, second_row = table.splitlines()
    assert first_row.startswith("  a long reason a long reason")
    assert second_row.endswith("…")
    assert max(len(first_row), len(second_row)) <= 45
