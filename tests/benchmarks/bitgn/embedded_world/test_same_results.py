"""The same trials give the same results in this process and over the platform's (BitGN's) protocol.

The embedded shop has files, records and tools, for practice. A run is solved twice, with the same
tasks and solutions: right ones, and a mistake in every third trial. `trials` of a run are what each
trial has shown: its instruction, its time, and all results of calls.
"""

import pytest

from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.benchmarks.ecom.ecom_benchmark import EcomBenchmark
from tests.benchmarks.bitgn.embedded_world.solved_runs import (
    SolvedRun,
    solve_remote_run,
)
from tests.benchmarks.bitgn.shelf_benchmark import remote_benchmark_on
from tests.support.relay import Faults

# A run over the platform's (BitGN's) protocol has the same scores if the server refuses some calls.

refused_calls_pytestmark = pytest.mark.usefixtures("short_backoff")


@pytest.mark.second_tier
def test_run_has_the_same_scores_if_the_server_refuses_some_calls(
    local_run: SolvedRun, server_options: ServerOptions
) -> None:
    """6 of 100 calls get "unavailable" and 2 "too many requests". The client repeats them."""
    faults = Faults(seed=3, unavailable=0.06, too_many=0.02, retry_after_s=0.05)
    with remote_benchmark_on(
        EcomBenchmark(), server_options, faults, benchmark_id="ecom"
    ) as connection:
        remote_run = solve_remote_run(connection, concurrency=8)
        refused_calls = connection.server.faults.made["unavailable"]

    assert refused_calls > 5  # The seed lets the fault happen.
    assert remote_run.scores == local_run.scores


pytestmark = pytest.mark.usefixtures("short_backoff")


def test_trials_show_the_same_over_the_protocol_and_in_this_process(
    local_run: SolvedRun, remote_run: SolvedRun, task_count: int
) -> None:
    """The instruction, the time, and the result of each call are compared."""
    assert len(local_run.trials) == task_count
    assert len(remote_run.trials) == task_count
    for number, local_trial in enumerate(local_run.trials):
        assert remote_run.trials[number] == local_trial, number


def test_run_has_the_same_scores_over_the_protocol_and_in_this_process(
    local_run: SolvedRun, remote_run: SolvedRun
) -> None:
    """Some answers are right and some wrong: equal scores would show little otherwise."""
    assert {0.0, 1.0} <= set(local_run.scores)
    assert remote_run.scores == local_run.scores
    assert remote_run.details == local_run.details
    assert remote_run.result.state is local_run.result.state
    assert remote_run.result.score == pytest.approx(local_run.result.score, abs=1e-6)
