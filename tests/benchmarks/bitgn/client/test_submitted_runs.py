"""Ends of trials on the remote platform (BitGN), and of runs: only a submitted run has scores.

The product's client plays the trials over HTTP. Here, our own server takes the platform's place.
"""

import pytest

from controlplane import (
    BenchmarkError,
    PlannedTrial,
    RunRequest,
    RunState,
    TrialScore,
)
from tests.benchmarks.bitgn.protocol_clients import Connection, connected_to
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.support.relay.faulty_server import FaultyServer

pytestmark = pytest.mark.usefixtures("short_backoff")


def answer_trial(connection: Connection, trial: PlannedTrial, message: str) -> None:
    """Start a trial and answer its question, which asks for a title. "Emma" is right."""
    environment = connection.remote.start_trial(trial.trial_id).environment
    environment.answer(message, "OUTCOME_OK", ["/books/emma.json"])


class TestSubmittedRuns:
    """Trials have scores once their run was submitted, which needs all of them to have ended."""

    def test_run_with_an_open_trial_is_not_submitted_and_has_no_scores(
        self, server: FaultyServer
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

    def test_submitted_run_has_the_scores_of_all_trials(
        self, server: FaultyServer
    ) -> None:
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
        self, server: FaultyServer
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


class TestEndsOfTrials:
    """A trial ends once. The platform scores it only when its run is submitted.

    `benchmark.lifecycle` counts what has happened at the platform: `{"end t-1": 1}`.
    """

    def test_trial_that_is_ended_twice_ends_once(
        self, server: FaultyServer, benchmark: ShelfBenchmark
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

    def test_trial_that_was_not_started_cannot_be_ended(
        self, server: FaultyServer
    ) -> None:
        """The platform refuses it, and the client passes the refusal's code on."""
        with connected_to(server) as connection:
            run = connection.remote.start_run(RunRequest("a run"))

            with pytest.raises(BenchmarkError) as caught:
                connection.remote.end_trial(run.trials[1].trial_id)

        assert caught.value.code == "failed_precondition"

    def test_unknown_trial_cannot_be_ended(self, server: FaultyServer) -> None:
        """The platform has no trial of this id."""
        with (
            connected_to(server) as connection,
            pytest.raises(BenchmarkError) as caught,
        ):
            connection.remote.end_trial("none")

        assert caught.value.code == "not_found"
