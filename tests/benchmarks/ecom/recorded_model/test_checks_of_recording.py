"""A recorded run shows what the two checks do: gates look at answers, the pre-call check at calls.

The model "recorded" repeats what a model once replied to tasks of the shop.

- stock-count.1: a gate sends the first answer back, and the second is right.
- discount-limit.1: the pre-call check stops a discount before it is given. The model then does
  without it, which is right.

`gates="none"` switches both checks off.
"""

from pathlib import Path

import pytest

import controlplane
from controlplane.library.run_report import RunReport
from tests.benchmarks.ecom.recorded_model.recording import RECORDED_SCORES
from tests.support.command import run_in_process

pytestmark = pytest.mark.usefixtures("shared_fork_servers")


def test_without_the_checks_two_tasks_fail(tmp_path: Path) -> None:
    """With both checks, the same replies get the full score, `RECORDED_SCORES`."""
    tasks = ("stock-count.1", "discount-limit.1")

    run_without_gates = controlplane.run(
        "ecom", *tasks, model="recorded", gates="none", runs_dir=str(tmp_path)
    )

    scores = {trial.task_id: trial.score for trial in run_without_gates.trials}
    for task in tasks:
        assert RECORDED_SCORES[task] == 1
        assert scores[task] == 0


def test_replay_of_a_step_shows_the_held_call_and_its_end(
    recorded_run: RunReport, tmp_path: Path
) -> None:
    """`replay` plays a run again from its journal. A step is one script of the model."""
    journal = str(recorded_run.journal)
    step = ("--trial", "discount-limit.1", "--step", "1")
    replay = run_in_process("replay", journal, *step, cwd=tmp_path)

    # The line goes on with further arguments of `/bin/discount`.
    beginning = (
        "held by the pre-call check, then not done: `/bin/discount basket-0829 8"
    )
    assert f"\n{beginning}" in replay.out
