"""A run over the platform's (BitGN's) protocol has the same scores if the server refuses some calls."""

import pytest

from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.benchmarks.ecom.ecom_benchmark import EcomBenchmark
from tests.benchmarks.bitgn.embedded_world.solved_runs import (
    SolvedRun,
    solve_remote_run,
)
from tests.benchmarks.bitgn.protocol_clients import remote_benchmark_on
from tests.support.relay.faults import Faults

pytestmark = pytest.mark.usefixtures("short_backoff")


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
