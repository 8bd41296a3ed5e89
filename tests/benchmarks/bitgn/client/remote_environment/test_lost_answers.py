"""Answers of a remote trial whose replies were lost: they are given once, though repeated.

If the first one arrived, the platform (BitGN, a server that offers tasks to agents) refuses the
second. The client takes such a refusal as a success: its own first answer was meant.
"""

import pytest

from controlplane import RunRequest
from tests.benchmarks.bitgn.client.remote_environment.trials_on_shelf import shelf_of
from tests.benchmarks.bitgn.protocol_clients import connected_to
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.support.relay.faults import Faults
from tests.support.relay.faulty_server import FaultyServer


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param("reset_before", id="connection lost before the call"),
        pytest.param("reset_after", id="connection lost after the call"),
        pytest.param("stall", id="reply that stops in the middle"),
        pytest.param("hang", id="no reply"),
    ],
)
def test_answer_whose_reply_was_lost_is_given_once(
    server: FaultyServer, benchmark: ShelfBenchmark, fault: str
) -> None:
    """The fault hits 40 of 100 answers, as the seed decides. Each trial has one answer."""
    faults = Faults(methods=frozenset({"Answer"}), seed=92, **{fault: 0.4})

    with connected_to(server, faults=faults, call_timeout_s="0.2") as connection:
        run = connection.remote.start_run(RunRequest("a run"))
        for trial in run.trials:
            environment = connection.remote.start_trial(trial.trial_id).environment
            environment.answer("Emma", "OUTCOME_OK", [])
        fault_count = server.faults.made[fault]

    assert fault_count > 0  # The seed lets the fault happen.
    for trial in run.trials:
        shelf = shelf_of(benchmark, server, trial.trial_id)
        assert len(shelf.answers) == 1
