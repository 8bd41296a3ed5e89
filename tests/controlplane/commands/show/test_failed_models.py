"""The report of a run says of each trial that its model failed, or wrote the same script again and again.

    seat-001  0.00  ...
      the model failed: ...; expected 7

The model replies from a file, which has too few replies, or nine times the same wrong one.
"""

import re
from pathlib import Path

from tests.support.command import run_in_process


def test_each_trial_has_its_reason_below_if_the_model_fails(tmp_path: Path) -> None:
    """The model has a single reply, and fails when it is asked for a second one."""
    replies = """
[[reply]]
state = 'count'
code = 'harness.count()'
"""
    (tmp_path / "short.toml").write_text(replies)

    run = run_in_process(
        "run",
        "--benchmark=tests.support.many_trials:3",
        "--model=scripted:short.toml",
        "--quiet",
        cwd=tmp_path,
        COLUMNS="140",
    )

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

    run = run_in_process(
        "run",
        "--benchmark=tests.support.many_trials:1",
        "--model=scripted:stuck.toml",
        "--quiet",
        cwd=tmp_path,
        COLUMNS="",
    )

    assert run.code == 0
    _title, _heading, trial_row, reason_row, *_ = run.out.splitlines()
    _seat, _score, _outcome, steps, *_time = trial_row.split()
    assert steps == "5"
    reason = "  the model wrote the same script 5 times in a row, each time r"
    assert reason_row.startswith(reason)
