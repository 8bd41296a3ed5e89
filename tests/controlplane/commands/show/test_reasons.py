"""Below a failed trial, the report of a run has the reason, on one line or two."""

import re
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


def test_each_trial_has_its_reason_below_if_the_model_fails(tmp_path: Path) -> None:
    """The model has a single reply, and fails when it is asked for a second one."""
    replies = """
[[reply]]
state = 'count'
code = 'harness.count()'
"""
    (tmp_path / "short.toml").write_text(replies)
    benchmark = ("--benchmark", "tests.support.many_trials:3")
    command = ("run", *benchmark, "--model", "scripted:short.toml", "--quiet")

    run = run_in_process(*command, cwd=tmp_path, COLUMNS="140")

    table, _, _ = run.out.partition("\nmean score")
    _title, _heading, *rows = table.splitlines()
    trial_rows = rows[0::2]
    reason_rows = rows[1::2]
    assert [row.split()[0] for row in trial_rows] == [
        "seat-001",
        "seat-002",
        "seat-003",
    ]
    for trial_row, reason_row in zip(trial_rows, reason_rows, strict=True):
        assert re.search(r" 0\.00  \w+ +\d  +\d+(\.\d)? m?s$", trial_row)
        assert reason_row.startswith("  the model failed")
        assert reason_row.endswith("expected 7")


def test_a_trial_that_repeats_a_refused_script_ends_early_and_says_why(
    tmp_path: Path,
) -> None:
    """The model has nine replies, all with the same syntax error; the trial ends after five."""
    reply = """
[[reply]]
state = 'look'
code = 'x = ('
"""
    (tmp_path / "stuck.toml").write_text(reply * 9)
    benchmark = ("--benchmark", "tests.support.many_trials:1")
    command = ("run", *benchmark, "--model", "scripted:stuck.toml", "--quiet")

    run = run_in_process(*command, cwd=tmp_path, COLUMNS="")

    assert run.code == 0
    _title, _heading, trial_row, reason_row, *_ = run.out.splitlines()
    _seat, _score, _outcome, steps, *_time = trial_row.split()
    assert steps == "5"
    reason = "  the model wrote the same script 5 times in a row, each time r"
    assert reason_row.startswith(reason)
