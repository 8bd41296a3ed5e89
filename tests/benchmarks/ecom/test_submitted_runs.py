"""A run of the embedded shop benchmark is submitted when its trials have ended. Then it has a score.

A trial is one try of a task: `benchmark.end_trial(id).score` is 1.0 for a right answer. In a `blind` run,
scores are hidden until it is submitted.
"""

import pytest

from controlplane import BenchmarkError, RunState
from tests.benchmarks.ecom.embedded_runs import (
    answer_rightly,
    open_ecom,
    start_run_of,
)


def test_a_blind_run_shows_its_scores_only_after_it_was_submitted() -> None:
    """Without scores, an agent cannot try answers until one is right."""
    benchmark = open_ecom(policy="blind")
    assert benchmark.describe().policy == "blind"
    run = start_run_of(benchmark, "stock-count.1")
    trial_id = run.trials[0].trial_id
    answer_rightly(benchmark.start_trial(trial_id))

    assert benchmark.end_trial(trial_id) is None

    submitted = benchmark.submit_run(run.run_id, force=False)
    assert submitted.state == RunState.PENDING
    assert submitted.score is None
    assert submitted.trials[0].score is None

    revealed = benchmark.get_run(run.run_id)
    assert revealed.state == RunState.EVALUATED
    assert revealed.score == 1.0


def test_a_run_with_an_open_trial_is_not_submitted() -> None:
    """The run was started by another process: a second benchmark, which knows nothing of it."""
    run = start_run_of(open_ecom(), "stock-count.1")
    benchmark = open_ecom()
    benchmark.start_trial(run.trials[0].trial_id)

    with pytest.raises(BenchmarkError, match="1 trials have not ended"):
        benchmark.submit_run(run.run_id, force=False)


def test_a_forced_submit_closes_the_open_trials_of_its_own_run_only() -> None:
    """Two runs, started by another process, have an open trial each. The first one is submitted."""
    other_process = open_ecom()
    first_run = start_run_of(other_process, "stock-count.1")
    second_run = start_run_of(other_process, "stock-count.1")
    benchmark = open_ecom()
    benchmark.start_trial(first_run.trials[0].trial_id)
    benchmark.start_trial(second_run.trials[0].trial_id)

    result = benchmark.submit_run(first_run.run_id, force=True)

    (closed_trial,) = result.trials
    assert closed_trial.score == 0.0
    assert closed_trial.details == ("forced close",)
    ended_trial = benchmark.end_trial(second_run.trials[0].trial_id)
    assert ended_trial is not None
    assert ended_trial.details == ("no answer provided",)
