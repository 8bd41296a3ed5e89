"""Faults of the network: none starts, ends or submits anything on the remote platform (BitGN) twice.

The platform is a server that offers tasks to agents. Our own server takes the platform's place.
`benchmark.lifecycle` counts what has happened there: `{"end run 1/t00": 1, "submit run 1": 1}`.
The client sees other ids than the benchmark, so that `server.own_id` translates them.
"""

import pytest

from controlplane import RunRequest, RunState
from tests.benchmarks.bitgn.client.ended_runs.answered_trials import answer_trial
from tests.benchmarks.bitgn.protocol_clients import connected_to
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.support.relay.faults import Faults
from tests.support.relay.faulty_server import FaultyServer


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param("unavailable", id="refused for now"),
        pytest.param("bare_unavailable", id="page of a proxy"),
        pytest.param("reset_before", id="connection lost before the call"),
        pytest.param("reset_after", id="connection lost after the call"),
        pytest.param("stall", id="reply that stops in the middle"),
        pytest.param("hang", id="no reply"),
    ],
)
def test_fault_of_the_network_never_ends_or_submits_anything_twice(
    server: FaultyServer, benchmark: ShelfBenchmark, fault: str
) -> None:
    """The fault hits 40 of 100 calls, as the seed decides. The client repeats them."""
    faults = Faults(
        methods=frozenset({"EndTrial", "SubmitRun", "StartTrial", "GetRun"}),
        seed=32,
        **{fault: 0.4},
    )
    # The client waits 0.2 s for a reply that does not come.
    with connected_to(server, faults=faults, lifecycle_timeout_s="0.2") as connection:
        run = connection.remote.start_run(RunRequest("a run"))
        for trial in run.trials:
            answer_trial(connection, trial, "Emma")
            connection.remote.end_trial(trial.trial_id)
        result = connection.remote.submit_run(run.run_id, force=False)
        fault_count = server.faults.made[fault]

    assert fault_count > 0  # The seed lets the fault happen.
    assert result.state is RunState.EVALUATED
    assert result.score == 1.0
    for trial in run.trials:
        assert benchmark.lifecycle[f"end {server.own_id(trial.trial_id)}"] == 1
    assert benchmark.lifecycle[f"submit {server.own_id(run.run_id)}"] == 1
