"""The lifecycle: allotting, starting, ending, submitting, sealing; and what is refused."""

import pytest

from benchmarks.ecom.ecom_benchmark import EcomBenchmark, TrialId, generate_task, open_benchmark
from benchmarks.ecom.world.generator import PLAYED
from controlplane import (
    Benchmark,
    BenchmarkContext,
    BenchmarkError,
    RunState,
    StartedRun,
    TaskSelection,
    Trial,
    local_benchmark,
    start_selected_run,
)
from sandbox.interface import CallError
from tests.benchmarks.ecom.mistakes import answer_with
from tests.benchmarks.ecom.reference_solutions import reference_of


def opened(**settings: str) -> Benchmark:
    return open_benchmark("", settings, BenchmarkContext()).benchmark


def start(benchmark: Benchmark, selection: TaskSelection, seed: int = 0) -> StartedRun:
    return start_selected_run(benchmark, selection, name="a run", seed=seed)


def solve(trial: Trial) -> None:
    parsed = TrialId.parse(trial.trial_id)
    assert parsed is not None
    truth = generate_task(trial.task_id, parsed.world_seed, PLAYED).truth
    answer_with(reference_of(truth.family), trial.environment, truth)


def test_a_trial_starts_from_its_id_in_another_process() -> None:
    head = start(opened(), TaskSelection(names=("stock-count.1",)), seed=-3).trials[0]
    there = opened()
    trial = there.start_trial(head.trial_id)
    solve(trial)
    ended = there.end_trial(head.trial_id)
    assert ended is not None
    assert ended.score == 1.0


def test_a_blind_run_keeps_its_scores_until_it_is_asked_after_the_submit() -> None:
    benchmark = opened(policy="blind")
    assert benchmark.describe().policy == "blind"
    started = start(benchmark, TaskSelection(limit=1))
    solve(benchmark.start_trial(started.trials[0].trial_id))
    assert benchmark.end_trial(started.trials[0].trial_id) is None
    pending = benchmark.submit_run(started.run_id, force=False)
    assert (pending.state, pending.score, pending.trials[0].score) == (RunState.PENDING, None, None)
    revealed = benchmark.get_run(started.run_id)
    assert (revealed.state, revealed.score) == (RunState.EVALUATED, 1.0)


def test_force_closes_the_open_trials_of_its_own_run_alone() -> None:
    here, there = opened(), opened()
    first, second = (start(here, TaskSelection(limit=1)) for _ in range(2))
    for started in (first, second):
        there.start_trial(started.trials[0].trial_id)
    with pytest.raises(BenchmarkError, match="1 trials have not ended"):
        there.submit_run(first.run_id, force=False)
    result = there.submit_run(first.run_id, force=True)
    assert [(trial.score, trial.details) for trial in result.trials] == [(0.0, ("forced close",))]
    ended = there.end_trial(second.trials[0].trial_id)
    assert ended is not None
    assert ended.details == ("no answer provided",)


def test_an_ended_trial_does_not_start_again_and_its_environment_is_closed() -> None:
    benchmark = opened()
    head = start(benchmark, TaskSelection(limit=1)).trials[0]
    trial = benchmark.start_trial(head.trial_id)
    benchmark.end_trial(head.trial_id)
    with pytest.raises(BenchmarkError, match="ended already"):
        benchmark.start_trial(head.trial_id)
    with pytest.raises(CallError, match="has ended"):
        trial.environment.call("list", {})


def test_the_oldest_closed_runs_are_forgotten_and_open_ones_are_not(monkeypatch) -> None:
    monkeypatch.setattr(local_benchmark, "MOST_CLOSED_RUNS", 2)
    benchmark = EcomBenchmark()
    runs = [start_selected_run(benchmark, TaskSelection(limit=1), name="a run", seed=0) for _ in range(2)]
    for _ in range(6):
        runs.append(start_selected_run(benchmark, TaskSelection(limit=1), name="a run", seed=0))
        benchmark.submit_run(runs[-1].run_id, force=True)
    states = [benchmark.get_run(run.run_id).state for run in runs]
    assert states[:2] == [RunState.RUNNING] * 2
    assert states[-2:] == [RunState.EVALUATED] * 2
    assert len(benchmark.get_run(runs[2].run_id).trials) == 0
