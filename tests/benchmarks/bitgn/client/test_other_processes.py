"""A trial on the remote platform (BitGN) that one process has started can go on in another one.

The platform is a server that offers tasks to agents. The other process gets the client by
pickling. The user's key is not pickled: each process has it from its environment.
"""

import os
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import NamedTuple

from controlplane import TaskSelection, start_selected_run
from controlplane.benchmarks.bitgn.client.remote_benchmark import RemoteBenchmark
from tests.benchmarks.bitgn.protocol_clients import API_KEY, connected_to
from tests.support.relay.faulty_server import FaultyServer


def test_a_pickled_client_does_not_have_the_key(server: FaultyServer) -> None:
    with connected_to(server) as connection:  # which sets the variable
        assert os.environ["BITGN_API_KEY"] == API_KEY
        assert API_KEY not in str(pickle.dumps(connection.remote))


class ContinuedTrial(NamedTuple):
    """What another process has seen of a trial."""

    task_id: str
    kept_text: str
    has_key: bool
    """True if the key is in its environment."""


def continue_trial(remote: RemoteBenchmark, trial_id: str) -> ContinuedTrial:
    """Read the file `/kept.txt` of a trial, and answer and end the trial."""
    trial = remote.start_trial(trial_id)
    kept = trial.environment.call("read", {"path": "/kept.txt"})
    trial.environment.answer("Emma", "OUTCOME_OK", ["/books/emma.json"])
    remote.end_trial(trial_id)
    remote.close()
    has_key = os.environ.get("BITGN_API_KEY") == API_KEY
    return ContinuedTrial(trial.task_id, str(kept["content"]), has_key)


def test_a_trial_can_go_on_in_another_process(server: FaultyServer) -> None:
    with connected_to(server) as connection:
        # This process starts the trial, and writes a file.
        remote = connection.remote
        run = start_selected_run(remote, TaskSelection(limit=1), name="a run", seed=0)
        trial_id = run.trials[0].trial_id
        environment = remote.start_trial(trial_id).environment
        environment.call("write", {"path": "/kept.txt", "content": "kept"})

        # Another one reads the file, and gives the right answer.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            continued = pool.submit(continue_trial, remote, trial_id).result(30)
        result = remote.submit_run(run.run_id, force=True)

    assert continued == ContinuedTrial(task_id="t00", kept_text="kept", has_key=True)
    assert result.trials[0].score == 1.0
