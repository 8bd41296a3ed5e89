"""Runs that the client submits to the remote platform (BitGN): only then have their trials scores.

The platform is a server that offers tasks to agents. A run needs all its trials to have ended, or
is submitted by force. Our own server takes the platform's place. Each trial asks for the title of
a book, and "Emma" is right.
"""

import pytest

from controlplane import RunRequest, RunState, TrialScore
from tests.benchmarks.bitgn.client.ended_runs.answered_trials import answer_trial
from tests.benchmarks.bitgn.protocol_clients import connected_to
from tests.support.relay.faulty_server import FaultyServer


def test_submitted_run_has_the_scores_of_all_trials(server: FaultyServer) -> None:
    """Of three trials, one is answered rightly, one wrongly, and one not at all."""
    with connected_to(server) as connection:
        remote = connection.remote
        run = remote.start_run(RunRequest("a run"))
        right, wrong, unanswered = run.trials
        answer_trial(connection, right, "Emma")
        remote.end_trial(right.trial_id)
        answer_trial(connection, wrong, "Persuasion")
        remote.end_trial(wrong.trial_id)

        submitted_run = remote.submit_run(run.run_id, force=True)

    assert submitted_run.state is RunState.EVALUATED
    assert submitted_run.score == pytest.approx(1 / 3)
    assert submitted_run.trials == (
        TrialScore(right.trial_id, 1.0),
        TrialScore(wrong.trial_id, 0.0, ("wrong title",)),
        TrialScore(unanswered.trial_id, 0.0, ("forced close",)),
    )


def test_run_that_is_submitted_twice_or_looked_up_later_keeps_its_scores(
    server: FaultyServer,
) -> None:
    with connected_to(server) as connection:
        remote = connection.remote
        run = remote.start_run(RunRequest("a run"))
        right, *_unanswered = run.trials
        answer_trial(connection, right, "Emma")
        remote.end_trial(right.trial_id)

        submitted_run = remote.submit_run(run.run_id, force=True)
        resubmitted_run = remote.submit_run(run.run_id, force=True)
        later_run = remote.get_run(run.run_id)

    assert [trial.score for trial in submitted_run.trials] == [1.0, 0.0, 0.0]
    assert resubmitted_run.state is RunState.EVALUATED
    assert resubmitted_run.trials == submitted_run.trials
    assert later_run.state is RunState.EVALUATED
    assert later_run.trials == submitted_run.trials
