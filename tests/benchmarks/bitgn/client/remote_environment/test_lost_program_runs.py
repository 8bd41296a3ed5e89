"""Programs of a remote trial whose replies were lost: they are never run again.

A call of a script becomes a request to the platform (BitGN, a server that offers tasks to agents).
Nothing shows whether `/bin/checkout` has run, which changes something. So the script is told that
nobody knows.
"""

import pytest

from controlplane.sandbox.interface import CallError
from tests.benchmarks.bitgn.client.remote_environment.trials_on_shelf import (
    shelf_of,
    started_trial,
)
from tests.benchmarks.bitgn.protocol_clients import connected_to
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.support.relay.faults import Faults
from tests.support.relay.faulty_server import FaultyServer


@pytest.mark.parametrize(
    ("fault", "happens"),
    [
        pytest.param("reset_before", False, id="reset before the call"),
        pytest.param("reset_after", True, id="reset after the call"),
        pytest.param("bare_unavailable", False, id="page of a proxy"),
        pytest.param("stall", True, id="reply that stops in the middle"),
        pytest.param("hang", False, id="no reply"),
    ],
)
def test_program_whose_reply_was_lost_is_not_run_again(
    server: FaultyServer, benchmark: ShelfBenchmark, fault: str, happens: bool
) -> None:
    faults = Faults(methods=frozenset({"Exec"}), seed=84, **{fault: 1.0})

    with connected_to(server, faults=faults, call_timeout_s="0.2") as connection:
        trial = started_trial(connection)
        with pytest.raises(CallError) as caught:
            trial.environment.call("exec", {"path": "/bin/checkout", "args": ["b1"]})
        fault_count = server.faults.made[fault]

    assert caught.value.code == "unknown"
    assert "not known" in caught.value.message
    assert fault_count == 1
    shelf = shelf_of(benchmark, server, trial.trial_id)
    assert shelf.effects["checkout ['b1']"] == int(happens)
