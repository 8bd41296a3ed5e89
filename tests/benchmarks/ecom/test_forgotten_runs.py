"""A benchmark in a server forgets the oldest closed runs, or it would grow without end.

When a run begins, all closed runs are forgotten except the latest `bounds.MOST_CLOSED_RUNS`. At no
other time are runs forgotten. A forgotten run has no trials any more.
"""

import pytest

from controlplane import RunState
from controlplane.benchmarks.ecom.ecom_benchmark import EcomBenchmark
from controlplane.sandbox.interface import bounds
from tests.benchmarks.ecom.embedded_runs import closed_run, start_run_of


def test_the_oldest_closed_run_is_forgotten_when_a_run_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounds, "MOST_CLOSED_RUNS", 2)
    benchmark = EcomBenchmark()
    first, second, third = [closed_run(benchmark) for _ in range(3)]

    start_run_of(benchmark, "stock-count.1")

    assert len(benchmark.get_run(first.run_id).trials) == 0
    assert len(benchmark.get_run(second.run_id).trials) == 1
    assert len(benchmark.get_run(third.run_id).trials) == 1


def test_no_run_is_forgotten_when_a_run_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """There are three closed runs in the end, because no run begins after the third is closed."""
    monkeypatch.setattr(bounds, "MOST_CLOSED_RUNS", 2)
    benchmark = EcomBenchmark()

    runs = [closed_run(benchmark) for _ in range(3)]

    assert [len(benchmark.get_run(run.run_id).trials) for run in runs] == [1, 1, 1]


def test_an_open_run_is_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_CLOSED_RUNS", 2)
    benchmark = EcomBenchmark()
    open_run = start_run_of(benchmark, "stock-count.1")

    for _ in range(6):
        closed_run(benchmark)

    assert benchmark.get_run(open_run.run_id).state == RunState.RUNNING
