"""Runs on the remote platform (BitGN) of which a trial has not ended: they have no scores.

The platform is a server that offers tasks to agents. Our own server takes the platform's place.
Each trial asks for the title of a book, and "Emma" is right.
"""

import pytest

from controlplane import BenchmarkError, RunRequest, RunState
from tests.benchmarks.bitgn.client.ended_runs.answered_trials import answer_trial
from tests.benchmarks.bitgn.protocol_clients import connected_to
from tests.support.relay.faulty_server import FaultyServer


def test_run_with_an_open_trial_is_not_submitted_and_has_no_scores(
    server: FaultyServer,
) -> None:
    """One of three trials is answered and ended. `force` would submit the run all the same."""
    with connected_to(server) as connection:
        remote = connection.remote
        run = remote.start_run(RunRequest("a run"))
        answer_trial(connection, run.trials[0], "Emma")

        score_at_end = remote.end_trial(run.trials[0].trial_id)
        with pytest.raises(BenchmarkError) as caught:
            remote.submit_run(run.run_id, force=False)
        open_run = remote.get_run(run.run_id)

    assert score_at_end is None
    assert caught.value.code == "failed_precondition"
    assert open_run.state is RunState.RUNNING
    assert open_run.score is None
    assert {trial.score for trial in open_run.trials} == {None}
