"""What a benchmark in this process keeps of its runs is bounded, whatever trials answer."""

from benchmarks.ecom.ecom_benchmark import EcomBenchmark
from controlplane import RunState, TaskSelection, start_selected_run
from controlplane.tasks import local_benchmark


def test_a_runs_id_says_all_that_another_process_needs() -> None:
    started = start_selected_run(EcomBenchmark(), TaskSelection(limit=3), name="a run", seed=-3)
    assert started.run_id.startswith("ecom-s-3-n3-")
    assert EcomBenchmark().get_run(started.run_id).run_id == started.run_id


def test_a_grade_is_short_whatever_an_answer_cites() -> None:
    benchmark = EcomBenchmark()
    started = start_selected_run(benchmark, TaskSelection(("calendar-date",)), name="a run", seed=0)
    trial_id = started.trials[0].trial_id
    refs = [f"/{number}/{'x' * 2_000}" for number in range(2_000)]
    benchmark.start_trial(trial_id).environment.answer("x" * 1_000_000, "OUTCOME_OK", refs)
    score = benchmark.end_trial(trial_id)
    assert score is not None
    assert score.score == 0
    assert sum(map(len, score.details)) < 30_000


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
