"""Runs on the remote platform: starting them, ending their trials, and submitting them.

The platform (BitGN) runs the trials of a benchmark and grades them; the product's client
plays them over HTTP. Here, our own server takes the platform's place. The tests show that a
fault of the network never starts, ends or submits anything twice, and that the user's key
is never shown.
"""

import os
import pickle
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
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
from controlplane.benchmarks.bitgn.client.remote_benchmark import (
    RemoteBenchmark,
    open_benchmark,
)
from tests.benchmarks.bitgn.client.stub_platform import (
    http_reply,
    refusal,
    reply_by_method,
)
from tests.benchmarks.bitgn.protocol_clients import API_KEY, Connection, connected_to
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.support.byte_server import Behaviour, ByteServer
from tests.support.server_faults import Faults, FaultyServer

pytestmark = pytest.mark.usefixtures("short_backoff")


def answer_trial(connection: Connection, trial: PlannedTrial, message: str) -> None:
    """Start a trial and answer its question, which asks for a title. "Emma" is right."""
    environment = connection.remote.start_trial(trial.trial_id).environment
    environment.answer(message, "OUTCOME_OK", ["/books/emma.json"])


def test_client_shows_the_description_of_the_platforms_benchmark(
    server: FaultyServer,
) -> None:
    """`connection.remote` is the client. The server has the small benchmark `shelf`."""
    with connected_to(server) as connection:
        description = connection.remote.describe()

    assert description.name == "bitgn:shelf"
    assert description.policy == "open"
    assert description.rule_sets == ("ecom",)
    assert [task.task_id for task in description.tasks] == ["t00", "t01", "t02"]
    assert description.tasks[0].hint == "look in /books"


def test_run_has_a_trial_for_each_task(server: FaultyServer) -> None:
    """The instruction of a trial comes with its start."""
    with connected_to(server) as connection:
        run = connection.remote.start_run(RunRequest("a run"))
        first_trial = connection.remote.start_trial(run.trials[0].trial_id)

    assert [trial.task_id for trial in run.trials] == ["t00", "t01", "t02"]
    assert first_trial.task_id == "t00"
    expected_instruction = "Which title has the book in /books/emma.json?"
    assert first_trial.instruction == expected_instruction


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


def test_submitted_run_has_the_scores_of_all_trials(server: FaultyServer) -> None:
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


def test_trial_that_is_ended_twice_ends_once(
    server: FaultyServer, benchmark: ShelfBenchmark
) -> None:
    """The second call is answered, but ends nothing: the benchmark counts one end.

    Neither returns a score, because the platform scores trials only when their run is submitted.
    """
    with connected_to(server) as connection:
        run = connection.remote.start_run(RunRequest("a run"))
        trial_id = run.trials[0].trial_id
        connection.remote.start_trial(trial_id)

        assert connection.remote.end_trial(trial_id) is None
        assert connection.remote.end_trial(trial_id) is None

    assert benchmark.lifecycle[f"end {server.own_id(trial_id)}"] == 1


def test_trial_that_was_not_started_cannot_be_ended(server: FaultyServer) -> None:
    """The platform refuses it, and the client passes the refusal's code on."""
    with connected_to(server) as connection:
        run = connection.remote.start_run(RunRequest("a run"))

        with pytest.raises(BenchmarkError) as caught:
            connection.remote.end_trial(run.trials[1].trial_id)

    assert caught.value.code == "failed_precondition"


def test_unknown_trial_cannot_be_ended(server: FaultyServer) -> None:
    """The platform has no trial of this id."""
    with connected_to(server) as connection, pytest.raises(BenchmarkError) as caught:
        connection.remote.end_trial("none")

    assert caught.value.code == "not_found"


@pytest.mark.parametrize(
    ("selection", "seed", "option"),
    [
        pytest.param(TaskSelection(repeats=2), 0, "repeats=2", id="repeats"),
        pytest.param(TaskSelection(), 5, "seed=5", id="seed"),
        pytest.param(TaskSelection(("t77",)), 0, "'t77'", id="unknown task"),
    ],
)
def test_option_that_the_platform_does_not_have_is_refused_before_a_run_starts(
    server: FaultyServer,
    benchmark: ShelfBenchmark,
    selection: TaskSelection,
    seed: int,
    option: str,
) -> None:
    """The platform gives one trial for each of its tasks, and chooses the seed itself."""
    with connected_to(server) as connection, pytest.raises(BenchmarkError) as caught:
        start_selected_run(connection.remote, selection, name="r", seed=seed)

    assert caught.value.code == "invalid_argument"
    assert option in caught.value.message
    assert benchmark.requests == []


def opened_shelf(server: FaultyServer) -> closing[RemoteBenchmark]:
    """Return the client of the benchmark `shelf`, with the key of the environment, if any."""
    remote = RemoteBenchmark("shelf", {"host": server.url}, BenchmarkContext())
    return closing(remote)


def test_run_is_refused_without_a_key(server: FaultyServer) -> None:
    """The error names the environment variable in which the key has to be."""
    with (
        opened_shelf(server) as remote,
        pytest.raises(BenchmarkError, match="BITGN_API_KEY"),
    ):
        remote.start_run(RunRequest("r"))


def test_wrong_key_is_refused_and_not_shown(
    server: FaultyServer, monkeypatch: pytest.MonkeyPatch
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
    server: FaultyServer, benchmark: ShelfBenchmark, fault: str
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
    with connected_to(server, faults=faults, lifecycle_timeout_s="0.2") as connection:
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


def test_trial_can_go_on_in_another_process(server: FaultyServer) -> None:
    """One process starts the trial and writes a file; another one reads the file and answers.

    The other process gets the client by pickling, without the key, and has the key from its
    environment.
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


@dataclass(frozen=True)
class StubConnection:
    """A client, connected to a stand-in for the platform."""

    remote: RemoteBenchmark
    context: BenchmarkContext
    platform: ByteServer

    @property
    def called_methods(self) -> list[str]:
        """The methods of all requests so far: `["StartTrial", "GetTrial"]`."""
        methods: list[str] = []
        for request in self.platform.requests:
            path = request.split(b" ", 2)[1].decode()
            methods.append(path.rpartition("/")[2])
        return methods


@contextmanager
def connected_to_stub(
    behaviour: Behaviour, **settings: str
) -> Iterator[StubConnection]:
    """Connect the client to a server that replies in this way.

    `settings` are those of the client. With `lifecycle_patience_s="0.2"`, it repeats a failed start,
    end or submission for 0.2 s.
    """
    context = BenchmarkContext()
    with (
        ByteServer(behaviour) as platform,
        closing(
            RemoteBenchmark("x", {"host": platform.url, **settings}, context)
        ) as remote,
    ):
        yield StubConnection(remote, context, platform)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b'{"runId": 7}', id="number as an id"),
        pytest.param(b'{"runId": "r", "trials": [{"state": "x"}]}', id="unknown state"),
    ],
)
def test_malformed_run_is_an_error(body: bytes) -> None:
    """A proxy, or a newer version of the platform, may reply with anything."""
    with (
        connected_to_stub(http_reply(body), lifecycle_patience_s="0.3") as connection,
        pytest.raises(BenchmarkError, match="GetRun is not as described"),
    ):
        connection.remote.get_run("r")


def test_malformed_trial_is_an_error_with_the_missing_field() -> None:
    """The reply to the start of a trial is an empty message."""
    with (
        connected_to_stub(http_reply(b"{}"), lifecycle_patience_s="0.3") as connection,
        pytest.raises(BenchmarkError, match="StartTrial is not as described") as caught,
    ):
        connection.remote.start_trial("t")

    assert "harnessUrl" in str(caught.value)


def platform_that_lost_a_trial(state: str) -> Behaviour:
    """Let every start of a trial fail, and say that the trial is in this state."""
    return reply_by_method(
        b"/GetTrial",
        http_reply(b'{"trialId": "t", "state": "%s"}' % state.encode()),
        refusal(500, "internal", "it is gone"),
    )


@pytest.mark.parametrize(
    ("state", "code"),
    [
        pytest.param("TRIAL_STATE_ERROR", "failed_precondition", id="over"),
        pytest.param("TRIAL_STATE_RUNNING", "internal", id="running"),
    ],
)
def test_failed_start_is_final_only_if_the_platform_says_that_the_trial_is_over(
    state: str, code: str
) -> None:
    """After a failed start, the client asks the platform for the state of the trial.

    The code `internal` means that the start may be tried again, `failed_precondition` that
    it may not.
    """
    with (
        connected_to_stub(platform_that_lost_a_trial(state)) as connection,
        pytest.raises(BenchmarkError, match="StartTrial: it is gone") as caught,
    ):
        connection.remote.start_trial("t")

    assert caught.value.code == code
    assert "GetTrial" in connection.called_methods


def test_platform_is_not_asked_about_a_failed_start_while_the_run_stops() -> None:
    """The user has interrupted the run, which sets `stop`, and waits for its end."""
    platform = platform_that_lost_a_trial("TRIAL_STATE_ERROR")
    with connected_to_stub(platform) as connection:
        connection.context.stop.set()
        with pytest.raises(BenchmarkError, match="StartTrial: it is gone") as caught:
            connection.remote.start_trial("t")

    assert caught.value.code == "internal"
    assert "GetTrial" not in connection.called_methods


def platform_that_confirms_no_submission(state: str) -> Behaviour:
    """Let every submission exceed its deadline, and say that the run is in this state."""
    return reply_by_method(
        b"/GetRun",
        http_reply(b'{"runId": "r", "state": "%s"}' % state.encode()),
        refusal(504, "deadline_exceeded", "grading"),
    )


def test_unconfirmed_submission_counts_if_the_platform_is_grading_the_run() -> None:
    """The reply to the submission is lost. Then the client asks for the state of the run."""
    platform = platform_that_confirms_no_submission("RUN_STATE_PENDING_EVAL")
    with connected_to_stub(platform, lifecycle_patience_s="0.2") as connection:
        submitted_run = connection.remote.submit_run("r", force=False)

    assert submitted_run.state is RunState.PENDING


def test_unconfirmed_submission_fails_if_the_run_is_still_open() -> None:
    """The platform says that the run has not been submitted."""
    platform = platform_that_confirms_no_submission("RUN_STATE_RUNNING")
    with (
        connected_to_stub(platform, lifecycle_patience_s="0.2") as connection,
        pytest.raises(BenchmarkError, match="SubmitRun: grading"),
    ):
        connection.remote.submit_run("r", force=False)


@pytest.fixture
def empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unset all variables that the client reads."""
    for name in ("BENCH_ID", "BITGN_HOST", "BITGN_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("empty_environment")
@pytest.mark.parametrize(
    ("benchmark_id", "settings", "expected_text"),
    [
        pytest.param("", {}, "BENCH_ID", id="no benchmark"),
        pytest.param(
            "x", {"call_timeout_s": "soon"}, "call_timeout_s='soon'", id="word"
        ),
        pytest.param("x", {"call_timeout_s": "0"}, "call_timeout_s='0'", id="no time"),
        pytest.param("x", {"connections": "0"}, "connections='0'", id="no connection"),
        pytest.param("x", {"host": "api.bitgn.com"}, "https://", id="no protocol"),
        pytest.param("x", {"host": "https://"}, "https://", id="no host"),
        pytest.param("x", {"host": "http://[::1"}, "https://", id="open bracket"),
        pytest.param("x", {"host": "http://h:99999"}, "https://", id="port"),
        pytest.param("x", {"host": "http://exa mple"}, "https://", id="space"),
        # An address with a secret, here "canary", would be written into the journal.
        pytest.param(
            "x", {"host": "https://user:canary@h"}, "BITGN_API_KEY", id="password"
        ),
        pytest.param("x", {"host": "https://canary@h"}, "BITGN_API_KEY", id="user"),
        pytest.param(
            "x", {"host": "https://h/?key=canary"}, "BITGN_API_KEY", id="query"
        ),
        pytest.param(
            "x", {"host": "https://h/#canary"}, "BITGN_API_KEY", id="fragment"
        ),
        pytest.param("x", {"host": "h:1@canary"}, "https://", id="secret, no protocol"),
    ],
)
def test_invalid_setting_is_refused_by_name_and_without_secrets(
    benchmark_id: str, settings: dict[str, str], expected_text: str
) -> None:
    """It is refused before any request. The error quotes no part that may be a secret."""
    with pytest.raises(BenchmarkError) as caught:
        open_benchmark(benchmark_id, settings, BenchmarkContext())

    assert caught.value.code == "invalid_argument"
    assert expected_text in caught.value.message
    assert "canary" not in caught.value.message


@pytest.mark.usefixtures("empty_environment")
@pytest.mark.parametrize(
    "host", ["canary-key-5f1d", "http://127.0.0.1:9/canary-key-5f1d/"]
)
def test_address_that_contains_the_key_is_refused_and_not_shown(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user has put the key into the wrong variable, or into the address."""
    monkeypatch.setenv("BITGN_API_KEY", "canary-key-5f1d")
    monkeypatch.setenv("BITGN_HOST", host)

    with pytest.raises(BenchmarkError, match="the host holds the key") as caught:
        open_benchmark("x", {}, BenchmarkContext())

    assert "canary" not in caught.value.message
