"""`export last --to run.eval` writes a log for Inspect, a framework for evaluations of models.

In such a log, a trial is called a sample. Inspect reads the log of one run from Python. The run of the
repository, runs/sample.jsonl, has one trial of the task calendar-date.1.
"""

from pathlib import Path

import pytest

from controlplane import open_journal
from controlplane.errors import UsageError
from tests.support.command import CommandRunner, check_error_line
from tests.support.product_files import ROOT


def test_inspect_reads_the_log_of_a_run(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """`inspect_ai.log` is the module of Inspect that reads its logs."""
    inspect_log = pytest.importorskip("inspect_ai.log")
    assert (
        run_command_here(
            "export", str(ROOT / "runs/sample.jsonl"), "--to", "run.eval"
        ).code
        == 0
    )

    log = inspect_log.read_eval_log(str(tmp_path / "run.eval"))

    (trial,) = open_journal(ROOT / "runs/sample.jsonl").trials.values()
    (logged_trial,) = log.samples
    assert logged_trial.id == trial.task_id
    assert logged_trial.scores["grader"].value == trial.score
    assert logged_trial.output.completion == trial.summary.answer
    first_roles = [message.role for message in logged_trial.messages[:3]]
    assert first_roles == ["system", "user", "assistant"]
    kinds_of_events = {event.event for event in logged_trial.events}
    assert kinds_of_events == {"model", "tool", "info", "score"}


def test_two_runs_do_not_fit_into_one_log_of_inspect(
    run_command_here: CommandRunner,
) -> None:
    """The sample is named twice."""
    pytest.importorskip("inspect_ai.log")
    refused = run_command_here(
        "export",
        str(ROOT / "runs/sample.jsonl"),
        str(ROOT / "runs/sample.jsonl"),
        "--to",
        "two.eval",
    )

    check_error_line(refused, UsageError.exit_code, "holds one run")
