"""A trial of the embedded shop benchmark, `ecom`, starts from its id, in any process, and ends once.

A trial is one try of a task. Its id has the task and the seed by which the shop is generated:
`stock-count.1-r0-s-3-...`. When it has ended, it has a score, and nothing can be done in it any more.
"""

import pytest

from controlplane import BenchmarkError
from controlplane.sandbox.interface import CallError
from tests.benchmarks.ecom.embedded_runs import (
    answer_rightly,
    open_ecom,
    start_run_of,
)


def test_a_trial_starts_from_its_id_in_another_process() -> None:
    """The id has the seed of the run, `stock-count.1-r0-s-3-...`, by which the world is generated. A
    second benchmark, which knows nothing of the run, stands for the other process."""
    run = start_run_of(open_ecom(), "stock-count.1", seed=-3)
    trial_id = run.trials[0].trial_id

    other_process = open_ecom()
    trial = other_process.start_trial(trial_id)
    answer_rightly(trial)
    ended = other_process.end_trial(trial_id)

    assert ended is not None
    assert ended.score == 1.0


def test_an_ended_trial_does_not_start_again() -> None:
    """Otherwise, an agent could try again after it has seen its score."""
    benchmark = open_ecom()
    run = start_run_of(benchmark, "stock-count.1")
    trial_id = run.trials[0].trial_id
    benchmark.start_trial(trial_id)
    benchmark.end_trial(trial_id)

    with pytest.raises(BenchmarkError, match="ended already"):
        benchmark.start_trial(trial_id)


def test_the_environment_of_an_ended_trial_is_closed() -> None:
    """Otherwise, an agent could go on after it has seen its score."""
    benchmark = open_ecom()
    run = start_run_of(benchmark, "stock-count.1")
    trial = benchmark.start_trial(run.trials[0].trial_id)
    benchmark.end_trial(trial.trial_id)

    with pytest.raises(CallError, match="has ended"):
        trial.environment.call("list", {})
