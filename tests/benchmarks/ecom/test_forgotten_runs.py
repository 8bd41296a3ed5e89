"""A benchmark in a server forgets the oldest closed runs, or it would grow without end.

`bounds.MOST_CLOSED_RUNS` closed runs are remembered whenever another run begins. A forgotten run has no
trials any more.
"""

import pytest

from controlplane import RunState
from controlplane.benchmarks.ecom.ecom_benchmark import EcomBenchmark
from controlplane.sandbox.interface import bounds
from tests.benchmarks.ecom.embedded_runs import closed_run, start_run_of


def test_only_the_oldest_closed_runs_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """When the fourth run begins, the second and the third are remembered. Then it is closed itself,
    and no other run begins."""
    monkeypatch.setattr(bounds, "MOST_CLOSED_RUNS", 2)
    benchmark = EcomBenchmark()

    first, second, third, fourth = [closed_run(benchmark) for _ in range(4)]

    assert len(benchmark.get_run(first.run_id).trials) == 0
    assert len(benchmark.get_run(second.run_id).trials) == 1
    assert len(benchmark.get_run(third.run_id).trials) == 1
    assert len(benchmark.get_run(fourth.run_id).trials) == 1


def test_an_open_run_is_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_CLOSED_RUNS", 2)
    benchmark = EcomBenchmark()
    open_run = start_run_of(benchmark, "stock-count.1")

    for _ in range(6):
        closed_run(benchmark)

    assert benchmark.get_run(open_run.run_id).state == RunState.RUNNING
