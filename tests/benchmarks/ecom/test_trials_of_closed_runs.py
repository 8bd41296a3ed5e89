"""A trial may begin after its run was closed. The run stays in memory until the benchmark ends.

The id of a trial may end with `-c1`: a second try of the same task in the same shop. The benchmark
starts such a trial when its id is first used.
"""

import pytest

from controlplane.benchmarks.ecom.ecom_benchmark import EcomBenchmark
from controlplane.sandbox.interface import CallError, bounds
from tests.benchmarks.ecom.embedded_runs import closed_run


def test_a_closed_run_with_an_open_trial_is_not_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Closed runs without open trials are forgotten here as soon as a second run is closed."""
    monkeypatch.setattr(bounds, "MOST_CLOSED_RUNS", 1)
    benchmark = EcomBenchmark()
    oldest_run = closed_run(benchmark)
    benchmark.start_trial(f"{oldest_run.trials[0].trial_id}-c1")

    for _ in range(3):
        closed_run(benchmark)

    assert len(benchmark.get_run(oldest_run.run_id).trials) > 0


def test_closing_the_benchmark_ends_a_trial_that_began_in_a_closed_run() -> None:
    benchmark = EcomBenchmark()
    run = closed_run(benchmark)
    later_trial = benchmark.start_trial(f"{run.trials[0].trial_id}-c1")

    benchmark.close()

    with pytest.raises(CallError, match="has ended"):
        later_trial.environment.call("list", {})
