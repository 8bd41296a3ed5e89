"""The lifecycle: allotting, starting, ending, submitting, sealing; and what is refused."""

from __future__ import annotations

import pytest

from benchmarks.ecom.ecom_benchmark import TrialId, open_benchmark
from benchmarks.ecom.solutions.reference_solutions import reference_of
from benchmarks.ecom.tasks.posing import OVERLAY, family_names, pose_task, task_ids
from benchmarks.ecom.world.generator import PLAYED
from controlplane import (
    Benchmark,
    BenchmarkContext,
    BenchmarkError,
    RunState,
    StartedRun,
    TaskSelection,
    Trial,
    start_selected_run,
)
from sandbox.interface import CallError
from tests.benchmarks.ecom.mistakes import answer_with


def opened(**settings: str) -> Benchmark:
    return open_benchmark("", settings, BenchmarkContext()).benchmark


def start(benchmark: Benchmark, selection: TaskSelection, seed: int = 0) -> StartedRun:
    return start_selected_run(benchmark, selection, name="a run", seed=seed)


def solve(trial: Trial) -> None:
    parsed = TrialId.parse(trial.trial_id)
    assert parsed is not None
    truth = pose_task(trial.task_id, parsed.world_seed, PLAYED).truth
    answer_with(reference_of(truth.family), trial.environment, truth)


def test_a_run_without_tasks_has_every_task_once() -> None:
    started = start(opened(), TaskSelection())
    assert sorted(head.task_id for head in started.trials) == sorted(task_ids())


def test_a_small_limit_shows_as_many_families_as_it_has_trials() -> None:
    listed = set(family_names()) - {OVERLAY}
    started = start(opened(), TaskSelection(limit=len(listed)))
    assert {head.task_id.rpartition(".")[0] for head in started.trials} == listed


def test_tasks_beyond_a_default_run_play_if_they_are_named() -> None:
    benchmark = opened()
    heads = start(benchmark, TaskSelection(names=("discount-limit.2", OVERLAY, "sku-lookup.70"))).trials
    assert [head.task_id for head in heads] == ["discount-limit.2", "injected-block.1", "sku-lookup.70"]
    for head in heads:
        solve(benchmark.start_trial(head.trial_id))
        ended = benchmark.end_trial(head.trial_id)
        assert ended is not None
        assert ended.score == 1.0


def test_a_family_stands_for_its_tasks_and_repeats_get_other_worlds() -> None:
    benchmark = opened()
    started = start(benchmark, TaskSelection(names=("sku-lookup",), repeats=2))
    assert [head.task_id for head in started.trials] == [f"sku-lookup.{number}" for number in (1, 2, 3, 4)] * 2
    files = [
        benchmark.start_trial(head.trial_id).environment.call("tree", {"level": 0})
        for head in started.trials
        if head.task_id == "sku-lookup.1"
    ]
    assert files[0] != files[1]


def test_two_runs_of_a_seed_differ_in_their_ids_and_agree_in_their_worlds() -> None:
    benchmark = opened()
    first, second = (start(benchmark, TaskSelection(names=("stock-count.1",)), seed=7) for _ in range(2))
    assert first.run_id != second.run_id
    trials = [benchmark.start_trial(each.trials[0].trial_id) for each in (first, second)]
    assert trials[0].trial_id != trials[1].trial_id
    assert trials[0].instruction == trials[1].instruction


def test_a_trial_starts_from_its_id_in_another_process() -> None:
    head = start(opened(), TaskSelection(names=("stock-count.1",)), seed=-3).trials[0]
    there = opened()
    trial = there.start_trial(head.trial_id)
    solve(trial)
    ended = there.end_trial(head.trial_id)
    assert ended is not None
    assert ended.score == 1.0


def test_a_second_start_gives_the_same_trial() -> None:
    benchmark = opened()
    head = start(benchmark, TaskSelection(limit=1)).trials[0]
    first, second = (benchmark.start_trial(head.trial_id) for _ in range(2))
    assert second.environment is first.environment
    assert (first.is_fresh, second.is_fresh) == (True, False)


def test_ending_gives_the_score_and_ending_again_the_same() -> None:
    benchmark = opened()
    started = start(benchmark, TaskSelection(limit=2))
    for head in started.trials:
        solve(benchmark.start_trial(head.trial_id))
    scores = [benchmark.end_trial(head.trial_id) for head in started.trials]
    assert [score.score for score in scores if score] == [1.0, 1.0]
    assert benchmark.end_trial(started.trials[0].trial_id) == scores[0]
    result = benchmark.submit_run(started.run_id, force=False)
    assert (result.state, result.score) == (RunState.EVALUATED, 1.0)
    assert benchmark.submit_run(started.run_id, force=False) == result


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


def test_a_run_that_went_on_elsewhere_has_no_mean_of_its_own() -> None:
    started = start(opened(), TaskSelection(limit=2))
    there = opened()
    solve(there.start_trial(started.trials[0].trial_id))
    there.end_trial(started.trials[0].trial_id)
    result = there.submit_run(started.run_id, force=True)
    assert (result.state, result.score, len(result.trials)) == (RunState.EVALUATED, None, 1)


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


@pytest.mark.parametrize(
    "trial_id",
    [
        "",
        "stock-count.1",
        "nothing.1-r0-s0-prod-00000000",
        "stock-count.0-r0-s0-prod-00000000",
        "stock-count.10000-r0-s0-prod-00000000",
        "stock-count.1-r0-s0-zz",
        "stock-count.1-r00-s0-00000000",
        "stock-count.1-r0-s-0-00000000",
    ],
)
def test_an_unknown_trial_is_not_found(trial_id: str) -> None:
    with pytest.raises(BenchmarkError) as refused:
        opened().start_trial(trial_id)
    assert refused.value.code == "not_found"


def test_an_ended_trial_does_not_start_again_and_its_environment_is_closed() -> None:
    benchmark = opened()
    head = start(benchmark, TaskSelection(limit=1)).trials[0]
    trial = benchmark.start_trial(head.trial_id)
    benchmark.end_trial(head.trial_id)
    with pytest.raises(BenchmarkError, match="ended already"):
        benchmark.start_trial(head.trial_id)
    with pytest.raises(CallError, match="has ended"):
        trial.environment.call("list", {})


def test_the_description_names_every_task_with_a_preview() -> None:
    described = opened().describe(preview_seed=7)
    assert described.rule_packs == ("ecom",)
    assert {head.task_id for head in described.tasks} == set(task_ids())
    assert all(head.preview and head.hint for head in described.tasks)


def test_a_blind_description_gives_no_hints() -> None:
    assert {head.hint for head in opened(policy="blind").describe().tasks} == {""}


@pytest.mark.parametrize("run_id", ["", "ecom", "ecom-s0-n0-00000000", "ecom-s01-n1-00000000", "other-s0-n1-00000000"])
def test_an_unknown_run_is_not_found(run_id: str) -> None:
    for ask in (opened().get_run, lambda run_id: opened().submit_run(run_id, force=True)):
        with pytest.raises(BenchmarkError) as refused:
            ask(run_id)
        assert refused.value.code == "not_found"
