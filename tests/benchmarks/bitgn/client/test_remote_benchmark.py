"""Runs on the remote platform: starting them, ending their trials, and submitting them.

The platform (BitGN) runs the trials of a benchmark and grades them; the product's client plays them
over HTTP. Here, our own server takes the platform's place. A fault of the network must never start,
end or submit anything twice, and the user's key must never be shown.
"""

import os
import pickle
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from multiprocessing import get_context

import pytest

from controlplane import (
    BenchmarkContext,
    BenchmarkError,
    PlannedTrial,
    RunRequest,
    RunState,
    TaskSelection,
    TrialScore,
    start_selected_run,
)
from controlplane.benchmarks.bitgn.client.remote_benchmark import RemoteBenchmark
from tests.benchmarks.bitgn.protocol_clients import API_KEY, Connection, connected_to
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.support.relay.faults import Faults
from tests.support.relay.faulty_server import FaultyServer

pytestmark = pytest.mark.usefixtures("short_backoff")


class TestStartedRuns:
    """A run on the platform has a trial for each task of its benchmark.

    The platform is our own server with the small benchmark `shelf`: three tasks about a few books.
    `connection.remote` is the product's client.
    """

    def test_client_shows_the_description_of_the_platforms_benchmark(
        self, server: FaultyServer
    ) -> None:
        """`connection.remote` is the client. The server has the small benchmark `shelf`."""
        with connected_to(server) as connection:
            description = connection.remote.describe()

        assert description.name == "bitgn:shelf"
        assert description.policy == "open"
        assert description.rule_sets == ("ecom",)
        assert [task.task_id for task in description.tasks] == ["t00", "t01", "t02"]
        assert description.tasks[0].hint == "look in /books"

    def test_run_has_a_trial_for_each_task(self, server: FaultyServer) -> None:
        """The instruction of a trial comes with its start."""
        with connected_to(server) as connection:
            run = connection.remote.start_run(RunRequest("a run"))
            first_trial = connection.remote.start_trial(run.trials[0].trial_id)

        assert [trial.task_id for trial in run.trials] == ["t00", "t01", "t02"]
        assert first_trial.task_id == "t00"
        expected_instruction = "Which title has the book in /books/emma.json?"
        assert first_trial.instruction == expected_instruction

    @pytest.mark.parametrize(
        ("selection", "seed", "option"),
        [
            pytest.param(TaskSelection(repeats=2), 0, "repeats=2", id="repeats"),
            pytest.param(TaskSelection(), 5, "seed=5", id="seed"),
            pytest.param(TaskSelection(("t77",)), 0, "'t77'", id="unknown task"),
        ],
    )
    def test_option_that_the_platform_does_not_have_is_refused_before_a_run_starts(
        self,
        server: FaultyServer,
        benchmark: ShelfBenchmark,
        selection: TaskSelection,
        seed: int,
        option: str,
    ) -> None:
        """The platform gives one trial for each of its tasks, and chooses the seed itself."""
        with (
            connected_to(server) as connection,
            pytest.raises(BenchmarkError) as caught,
        ):
            start_selected_run(connection.remote, selection, name="r", seed=seed)

        assert caught.value.code == "invalid_argument"
        assert option in caught.value.message
        assert benchmark.requests == []


def answer_trial(connection: Connection, trial: PlannedTrial, message: str) -> None:
    """Start a trial and answer its question, which asks for a title. "Emma" is right."""
    environment = connection.remote.start_trial(trial.trial_id).environment
    environment.answer(message, "OUTCOME_OK", ["/books/emma.json"])


class TestSubmittedRuns:
    """Trials have scores once their run was submitted, which needs all of them to have ended.

    `answer_trial` starts a trial and answers its question, which asks for the title of
    a book: "Emma" is right.
    """

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
        """Of three trials, one is answered rightly, one wrongly, and one not at all.

        Submitting the run once more, or asking for it later, gives the same scores.
        """
        with connected_to(server) as connection:
            remote = connection.remote
            run = remote.start_run(RunRequest("a run"))
            right, wrong, unanswered = run.trials
            answer_trial(connection, right, "Emma")
            remote.end_trial(right.trial_id)
            answer_trial(connection, wrong, "Persuasion")
            remote.end_trial(wrong.trial_id)

            submitted_run = remote.submit_run(run.run_id, force=True)
            resubmitted_run = remote.submit_run(run.run_id, force=True)
            later_run = remote.get_run(run.run_id)

        expected_scores = (
            TrialScore(right.trial_id, 1.0),
            TrialScore(wrong.trial_id, 0.0, ("wrong title",)),
            TrialScore(unanswered.trial_id, 0.0, ("forced close",)),
        )
        assert submitted_run.state is RunState.EVALUATED
        assert submitted_run.score == pytest.approx(1 / 3)
        assert submitted_run.trials == expected_scores
        assert resubmitted_run.state is RunState.EVALUATED
        assert resubmitted_run.trials == expected_scores
        assert later_run.state is RunState.EVALUATED
        assert later_run.trials == expected_scores


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


def opened_shelf(server: FaultyServer) -> closing[RemoteBenchmark]:
    """Return the client of the benchmark `shelf`, with the key of the environment, if any."""
    remote = RemoteBenchmark("shelf", {"host": server.url}, BenchmarkContext())
    return closing(remote)


class TestKeys:
    """The user's key is in the variable `BITGN_API_KEY`, and is never shown."""

    def test_run_is_refused_without_a_key(self, server: FaultyServer) -> None:
        """The error names the environment variable in which the key has to be."""
        with (
            opened_shelf(server) as remote,
            pytest.raises(BenchmarkError, match="BITGN_API_KEY"),
        ):
            remote.start_run(RunRequest("r"))

    def test_wrong_key_is_refused_and_not_shown(
        self, server: FaultyServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The key must not be in an error, which is written to the journal, nor in the client."""
        monkeypatch.setenv("BITGN_API_KEY", "canary-wrong-key")

        with opened_shelf(server) as remote, pytest.raises(BenchmarkError) as caught:
            remote.start_run(RunRequest("r"))

        assert caught.value.code == "unauthenticated"
        assert "canary-wrong-key" not in repr(caught.value)
        assert "canary-wrong-key" not in str(caught.value)
        assert "canary-wrong-key" not in repr(remote)
        assert "canary-wrong-key" not in str(vars(remote))


class TestFaultsOfNetwork:
    """A fault of the network never starts, ends or submits anything twice.

    `benchmark.lifecycle` counts what has happened at the platform:
    `{"end t-1": 1, "submit r-1": 1}`.
    """

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
    def test_fault_of_the_network_never_ends_or_submits_anything_twice(
        self, server: FaultyServer, benchmark: ShelfBenchmark, fault: str
    ) -> None:
        """The fault hits 40 of 100 calls, as the seed decides. The client repeats them.

        `lifecycle` counts what happened, by the ids of the benchmark. Clients see other ids.
        """
        faults = Faults(
            methods=frozenset({"EndTrial", "SubmitRun", "StartTrial", "GetRun"}),
            seed=32,
            **{fault: 0.4},
        )
        # The client waits 0.2 s for a reply that does not come.
        with connected_to(
            server, faults=faults, lifecycle_timeout_s="0.2"
        ) as connection:
            run = connection.remote.start_run(RunRequest("a run"))
            for trial in run.trials:
                answer_trial(connection, trial, "Emma")
                connection.remote.end_trial(trial.trial_id)
            result = connection.remote.submit_run(run.run_id, force=False)
            fault_count = server.faults.made[fault]

        assert fault_count > 0  # The seed lets the fault happen.
        assert result.state is RunState.EVALUATED
        assert result.score == 1.0
        for trial in run.trials:
            assert benchmark.lifecycle[f"end {server.own_id(trial.trial_id)}"] == 1
        assert benchmark.lifecycle[f"submit {server.own_id(run.run_id)}"] == 1

    def test_start_of_a_run_whose_reply_was_lost_is_repeated_once_with_a_warning(
        self, server: FaultyServer, benchmark: ShelfBenchmark
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


def read_and_answer_trial(remote: RemoteBenchmark, trial_id: str) -> tuple[str, str]:
    """Read the file `/kept.txt` of a trial, then answer and end the trial.

    Return the trial's task and the content of the file.
    """
    trial = remote.start_trial(trial_id)
    result = trial.environment.call("read", {"path": "/kept.txt"})
    trial.environment.answer("Emma", "OUTCOME_OK", ["/books/emma.json"])
    remote.end_trial(trial_id)
    remote.close()
    return trial.task_id, str(result["content"])


class TestOtherProcesses:
    """A trial that one process has started can go on in another one."""

    def test_trial_can_go_on_in_another_process(self, server: FaultyServer) -> None:
        """One process starts the trial and writes a file; another one reads the file and answers.

        The other process gets the client by pickling, without the
        key, and has the key from its environment.
        """
        with connected_to(server) as connection:
            run = start_selected_run(
                connection.remote, TaskSelection(limit=1), name="a run", seed=0
            )
            trial_id = run.trials[0].trial_id
            environment = connection.remote.start_trial(trial_id).environment
            environment.call("write", {"path": "/kept.txt", "content": "kept"})

            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                future = pool.submit(read_and_answer_trial, connection.remote, trial_id)
                task_id, content = future.result(30)
            result = connection.remote.submit_run(run.run_id, force=True)
            pickled_client = pickle.dumps(connection.remote)
            variables = set(os.environ)

        assert API_KEY not in str(pickled_client)
        assert "BITGN_API_KEY" in variables
        assert task_id == "t00"
        assert content == "kept"
        assert result.trials[0].score == 1.0
