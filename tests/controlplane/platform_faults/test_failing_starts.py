"""Trials that cannot be started count as failed, and the other trials of the run are played.

The tasks are tally.0, tally.1 and so on. In each trial, the agent writes a file, deletes another one,
runs the tool `checkout`, and answers. The platform counts these effects.
"""

from pathlib import Path

import pytest

from tests.controlplane.platform_faults.faulty_platforms import faulty_platform
from tests.controlplane.platform_faults.platform_commands import A_TRIAL_FAILED
from tests.support.effect_counter import RUN_EFFECT_COUNTER


@pytest.mark.second_tier
@pytest.mark.usefixtures("short_backoff")
@pytest.mark.parametrize(
    ("trials", "failing_starts"),
    [
        pytest.param(8, {1, 4}, id="2 of 8 trials"),
        pytest.param(
            100, {3, 17, 40, 41, 99}, id="5 of 100 trials", marks=pytest.mark.heavy
        ),
    ],
)
def test_trials_that_cannot_start_do_not_harm_others_and_are_named(
    trials: int, failing_starts: set[int], tmp_path: Path
) -> None:
    """`failing_starts` has the numbers of tasks: 4 for `tally.4`. The run tries to start a trial
    for 2 s."""
    with faulty_platform(
        tmp_path, trials=trials, failing_starts=frozenset(failing_starts)
    ) as platform:
        played = platform.command(
            *RUN_EFFECT_COUNTER, "--json", "--set", "lifecycle_patience_s=2"
        )

    assert played.code == A_TRIAL_FAILED, played.err
    failed_tasks: set[str] = set()
    for trial in played.json["trials"]:
        if trial["state"] == "failed":
            failed_tasks.add(trial["task_id"])
    assert failed_tasks == {f"tally.{number}" for number in failing_starts}

    benchmark = platform.benchmark
    played_trials = trials - len(failing_starts)
    each_effect_once = {"write": 1, "delete": 1, "checkout": 1, "answer": 1}
    assert list(benchmark.effects.values()) == [each_effect_once] * played_trials
    scores = [score.score for score in benchmark.scores.values()]
    assert scores == [1.0] * played_trials
    assert benchmark.submits == 1
