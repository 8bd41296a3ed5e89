"""What a benchmark in this process keeps of its runs is bounded, whatever trials answer."""

from benchmarks.ecom.ecom_benchmark import EcomBenchmark
from controlplane import RunState, TaskSelection, start_selected_run
from controlplane.tasks import local_benchmark


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
