"""Trials that the client ends on the remote platform (BitGN): each ends once.

The platform is a server that offers tasks to agents. Our own server takes the platform's place.
`benchmark.lifecycle` counts what has happened there: `{"end run 1/t00": 1}`.
"""

import pytest

from controlplane import BenchmarkError, RunRequest
from tests.benchmarks.bitgn.protocol_clients import connected_to
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.support.relay.faulty_server import FaultyServer


def test_trial_that_is_ended_twice_ends_once(
    server: FaultyServer, benchmark: ShelfBenchmark
) -> None:
    """The second call is answered, but ends nothing: the benchmark counts one end.

    Neither returns a score, as the platform scores trials when their run is submitted.
    """
    with connected_to(server) as connection:
        run = connection.remote.start_run(RunRequest("a run"))
        trial_id = run.trials[0].trial_id
        connection.remote.start_trial(trial_id)

        assert connection.remote.end_trial(trial_id) is None
        assert connection.remote.end_trial(trial_id) is None

    assert benchmark.lifecycle[f"end {server.own_id(trial_id)}"] == 1


def test_trial_that_was_not_started_cannot_be_ended(server: FaultyServer) -> None:
    with connected_to(server) as connection:
        run = connection.remote.start_run(RunRequest("a run"))

        with pytest.raises(BenchmarkError) as caught:
            connection.remote.end_trial(run.trials[1].trial_id)

    assert caught.value.code == "failed_precondition"


def test_unknown_trial_cannot_be_ended(server: FaultyServer) -> None:
    with (
        connected_to(server) as connection,
        pytest.raises(BenchmarkError) as caught,
    ):
        connection.remote.end_trial("none")

    assert caught.value.code == "not_found"
