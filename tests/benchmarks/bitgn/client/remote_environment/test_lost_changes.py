"""Writes and deletes of a remote trial whose replies were lost: they happen once.

A call of a script becomes a request to the platform (BitGN, a server that offers tasks to agents).
If its reply is lost, the client reads the file to find out whether the change was made, and
repeats the call if it was not.
"""

import pytest

from tests.benchmarks.bitgn.client.remote_environment.trials_on_shelf import (
    shelf_of,
    started_trial,
)
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
def test_write_or_delete_whose_reply_was_lost_happens_once(
    server: FaultyServer, benchmark: ShelfBenchmark, fault: str
) -> None:
    """The fault hits 40 of 100 calls, as the seed decides. The client repeats them.

    `effects` counts the changes of files: `{"write /new/0.txt": 1}`.
    """
    faults = Faults(methods=frozenset({"Write", "Delete"}), seed=84, **{fault: 0.4})
    paths = ["/new/0.txt", "/new/1.txt", "/new/2.txt", "/new/3.txt"]

    with connected_to(server, faults=faults, call_timeout_s="0.2") as connection:
        trial = started_trial(connection)
        for path in paths:
            written = trial.environment.call("write", {"path": path, "content": "x"})
            assert written == {"path": path}
            deleted = trial.environment.call("delete", {"path": path})
            assert deleted == {"path": path}
        fault_count = server.faults.made[fault]

    assert fault_count > 1  # The seed lets the fault happen.
    expected_effects: dict[str, int] = {}
    for path in paths:
        expected_effects[f"write {path}"] = 1
        expected_effects[f"delete {path}"] = 1
    shelf = shelf_of(benchmark, server, trial.trial_id)
    assert shelf.effects == expected_effects
