"""If the reply to an answer is lost, the client sends the answer again, and the server records one.

The client answers the trials of a run on a server. A trial takes one answer. If the first one has
arrived, the server refuses the repeated one, and the client takes this refusal as a success.
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
def test_answer_whose_reply_was_lost_is_recorded_once(
    server: FaultyServer, benchmark: ShelfBenchmark, fault: str
) -> None:
    """40 % of the answers, chosen by the seed, meet the fault on their way through the network."""
    faults = Faults(methods=frozenset({"Answer"}), seed=92, **{fault: 0.4})

    with connected_to(server, faults=faults, call_timeout_s="0.2") as connection:
        run = connection.remote.start_run(RunRequest("a run"))
        for trial in run.trials:
            environment = connection.remote.start_trial(trial.trial_id).environment
            environment.answer(message="Emma", outcome="OUTCOME_OK", refs=[])
        fault_count = server.faults.made[fault]

    assert fault_count > 0
    for trial in run.trials:
        trial_on_server = shelf_of(benchmark, server, trial.trial_id)
        assert len(trial_on_server.answers) == 1
