"""A Python program starts a run by `controlplane.run(tasks, model="m")`, and gets its results.

A task is data, `Task("stock.1", "How many are left?", files={...}, grade=function)`. The fixture
`settings` names a model, which answers "12" to `STOCK_TASK`, and "paid 2.5" to `PAY_TASK` after one
call that pays. Both are right.
"""

from pathlib import Path
from typing import Any

import controlplane
from tests.controlplane.library.program_tasks import PAY_TASK, STOCK_TASK
from tests.support.command import run_in_process

OK = 0
"""The exit code of a run without errors."""


def test_a_run_returns_its_scores_and_answers(settings: dict[str, Any]) -> None:
    run = controlplane.run([STOCK_TASK, PAY_TASK], concurrency=2, **settings)

    assert run.mean == 1.0
    assert run.error == ""
    assert run.exit_code == OK
    stock_trial, pay_trial = run.trials
    assert stock_trial.task_id == "stock.1"
    assert stock_trial.score == 1.0
    assert stock_trial.answer == "12"
    assert stock_trial.why == ""  # A right answer needs no reason.
    assert pay_trial.task_id == "pay.1"
    assert pay_trial.score == 1.0
    assert pay_trial.answer == "paid 2.5"
    assert pay_trial.why == ""


def test_a_run_returns_the_metrics_of_its_graders(settings: dict[str, Any]) -> None:
    """A grader may return numbers besides the score. That of the payment counts one call."""
    run = controlplane.run([STOCK_TASK, PAY_TASK], concurrency=2, **settings)

    assert run.metrics == {"calls": 1.0}
    assert run["pay.1"].metrics == {"calls": 1.0}
    _, pay_row = run.rows()
    assert pay_row["calls"] == 1.0
    assert pay_row["score"] == 1.0


def test_a_run_is_read_again_from_its_journal(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    """`controlplane.open_run` returns the same result, without playing anything."""
    run = controlplane.run([STOCK_TASK, PAY_TASK], concurrency=2, **settings)

    opened_run = controlplane.open_run(run.journal)

    assert opened_run.mean == run.mean
    assert opened_run.trials == run.trials
    replay = run_in_process("replay", run.journal, "--verify", cwd=tmp_path)
    assert replay.code == OK
