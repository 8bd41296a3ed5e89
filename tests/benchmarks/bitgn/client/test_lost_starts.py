"""A run on the remote platform (BitGN) whose start got no reply: it may have started, or not.

The platform is a server that offers tasks to agents. Our own server takes the platform's place.
`benchmark.requests` has the requests for runs that have arrived there.
"""

import pytest

from controlplane import BenchmarkError, RunRequest
from tests.benchmarks.bitgn.protocol_clients import connected_to
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.support.relay.faults import Faults
from tests.support.relay.faulty_server import FaultyServer


def test_start_of_a_run_whose_reply_was_lost_is_repeated_once_with_a_warning(
    server: FaultyServer, benchmark: ShelfBenchmark
) -> None:
    """Each repeat may leave an empty run on the platform, so there is only one."""
    faults = Faults(methods=frozenset({"StartRun"}), reset_after=1.0)
    with (
        connected_to(server, faults=faults) as connection,
        pytest.raises(BenchmarkError) as caught,
    ):
        connection.remote.start_run(RunRequest("a run"))

    assert caught.value.code == "unavailable"
    assert len(benchmark.requests) == 2
    assert connection.notices == [
        "the reply to StartRun was lost; it is asked for again, and an empty run may be left over"
    ]
