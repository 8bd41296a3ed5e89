"""The client of the platform (BitGN) does nothing twice, waits as asked, and shows no secrets.

A trial ends once, and a run is submitted once, whatever the network loses. Calls are repeated only
if that may help and while their trial lasts. Malformed replies, cut trees and scores that are none
are errors or left out. A trial can go on in another process. The key is never shown, nor written
to the journal.
"""

import json
import os
import pickle
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any, NamedTuple
from unittest.mock import patch

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
from controlplane.benchmarks.bitgn.client.calls import CallPolicy
from controlplane.benchmarks.bitgn.client.connection import PlatformClient, WireError
from controlplane.benchmarks.bitgn.client.remote_benchmark import (
    RemoteBenchmark,
    RemoteEnvironment,
    open_benchmark,
)
from controlplane.benchmarks.bitgn.client.runs import ScoredRun, ScoredTrial
from controlplane.sandbox.interface import CallError, bounds
from controlplane.score_scale import UNIT_SCALE
from tests.benchmarks.bitgn.client.stub_platform import (
    CANARY_KEY,
    SUCCESS,
    RepliesInTurn,
    call_platform,
    error_of_call,
    http_reply,
    new_call,
    refusal,
    reply_by_method,
)
from tests.benchmarks.bitgn.shelf_benchmark import (
    API_KEY,
    Connection,
    ShelfBenchmark,
    connected_to,
)
from tests.support.command import wait_until
from tests.support.phonebook_model import Behaviour, ByteServer
from tests.support.relay import Faults, FaultyServer

# Answers to trials of the remote platform (BitGN), which ask for the title of a book.
#
# The platform is a server that offers tasks to agents. `answer_trial(connection, trial, "Emma")`
# starts the trial, and gives the right answer.


def answer_trial(connection: Connection, trial: PlannedTrial, message: str) -> None:
    """Start a trial and answer its question, which asks for a title. "Emma" is right."""
    environment = connection.remote.start_trial(trial.trial_id).environment
    environment.answer(message, "OUTCOME_OK", ["/books/emma.json"])


# The product's client, connected to a stub of the platform (BitGN), which replies as a test says.
#
#     with connected_to_stub(http_reply(b"{}")) as connection:
#         connection.remote.start_trial("t")     # raises: the reply lacks a field
#     connection.called_methods                  # ["StartTrial"]
#
# The platform is a server of tasks, with methods to start a run and its trials, and to end them.


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

    `settings` are those of the client. With `lifecycle_patience_s="0.2"`, it repeats a start, an
    end or a submission that has failed for 0.2 s.
    """
    context = BenchmarkContext()
    with (
        ByteServer(behaviour) as platform,
        closing(
            RemoteBenchmark("x", {"host": platform.url, **settings}, context)
        ) as remote,
    ):
        yield StubConnection(remote, context, platform)


# Trials on a stub, which takes the place of the platform (BitGN), and replies as a test says.
#
#     with trial_on_stub(http_reply(b'{"path": 7}')) as trial:
#         trial.environment.call("stat", {"path": "/a.txt"})  # raises: the path is not a text
#     trial.request_count     # 3, as the client has repeated the call
#
# The platform is a server that offers tasks to agents. A call of a script, such as
# `harness.stat("/a.txt")`, is a request to the platform.


@dataclass(frozen=True)
class StubTrial:
    """A trial on a stand-in for the platform."""

    environment: RemoteEnvironment
    platform: ByteServer

    @property
    def request_count(self) -> int:
        return len(self.platform.requests)


@contextmanager
def trial_on_stub(behaviour: Behaviour, retry_s: float = 5.0) -> Iterator[StubTrial]:
    """Open a trial on a server that replies to each request in this way."""
    policy = CallPolicy(deadline_s=5.0, retry_s=retry_s)
    with ByteServer(behaviour) as platform, closing(PlatformClient(2)) as client:
        environment = RemoteEnvironment(client, platform.url, policy=policy)
        yield StubTrial(environment, platform)


# A call of a trial that has ended meanwhile is not made again by the client of the platform (BitGN).
#
# The platform is a server that offers tasks to agents.


def test_call_is_not_repeated_once_its_trial_has_ended() -> None:
    """The trial ends while the platform keeps the call waiting for longer than its deadline."""
    arrived = threading.Event()

    def keep_waiting(connection: socket.socket, request: bytes) -> None:
        arrived.set()
        time.sleep(1)

    with (
        ByteServer(keep_waiting) as platform,
        closing(PlatformClient(connections=2)) as client,
    ):
        call = new_call(platform.url, client, deadline_s=0.2, retry_s=5.0)
        begun_call = call.begin()
        assert arrived.wait(5)
        call.request.service.is_closed = True  # as at the end of a trial
        with pytest.raises(WireError, match="its trial has ended") as caught:
            begun_call.finish()

    assert caught.value.code == "canceled"
    assert caught.value.in_doubt
    assert len(platform.requests) == 1


# Pauses that the platform (BitGN) requests: `Retry-After: 0.3` delays one call, and no other.
#
# The platform is a server that offers tasks to agents.


def test_pause_that_the_server_requests_delays_only_its_own_call() -> None:
    """The platform refuses the first call, and asks it to wait. A second call is made meanwhile."""
    pause_s = 0.3
    too_busy = refusal(
        429, "resource_exhausted", "slow", headers=f"Retry-After: {pause_s}\r\n"
    )
    replies_in_turn = RepliesInTurn(too_busy, SUCCESS)  # SUCCESS from the second on
    arrival_times_s: list[float] = []
    notices: list[str] = []

    def reply(connection: socket.socket, request: bytes) -> None:
        arrival_times_s.append(time.monotonic())
        replies_in_turn(connection, request)

    with (
        ByteServer(reply) as platform,
        # A user is told of pauses from 0.2 s on.
        patch.object(bounds, "NOTICE_AFTER_S", 0.2),
        closing(PlatformClient(connections=2, notify=notices.append)) as client,
        ThreadPoolExecutor(max_workers=1) as thread,
    ):
        first_call = new_call(platform.url, client, {"name": "first"}, retry_s=5.0)
        second_call = new_call(platform.url, client, {"name": "second"})

        first_result = thread.submit(first_call.finish)
        wait_until(lambda: len(notices) > 0)  # The first call begins its pause.
        second_call.finish()
        assert first_result.result(5) == {"done": True}

    first_request, second_request, third_request = platform.requests
    assert b"first" in first_request
    assert b"second" in second_request
    assert b"first" in third_request  # The first call, made again
    assert arrival_times_s[2] - arrival_times_s[0] >= pause_s
    # 0.3 s, in whole seconds. `Do` is the method that both calls ask for.
    assert notices == ["the platform asks to wait 0 s with Do"]


# A client has a limited number of connections to its server, which all its calls share.
#
# A call may be made in two parts: `begin()` sends the request, in a thread of its own, and `finish()`
# waits for the reply. The test's server gives the reply `{"done": true}` by the function `SUCCESS`.


def test_call_can_wait_for_the_connection_of_a_call_of_the_same_thread() -> None:
    """There may be one connection, and the second call is finished before the first.

    The first call must give the connection back as soon as its reply is there. If it kept the
    connection until `first.finish()`, then `second.finish()` would wait for ever.
    """
    with (
        ByteServer(SUCCESS) as platform,
        closing(PlatformClient(connections=1)) as client,
    ):
        new_call(platform.url, client).finish()  # opens the connection
        first = new_call(platform.url, client, retry_s=5.0).begin()
        second = new_call(platform.url, client, retry_s=5.0).begin()

        second_result = second.finish()
        first_result = first.finish()

    assert second_result == {"done": True}
    assert first_result == {"done": True}
    assert len(platform.requests) == 3


def test_no_more_calls_are_open_than_there_may_be_connections() -> None:
    """Six threads make twelve calls, and there may be two connections."""
    open_requests: list[bytes] = []  # Lists may be changed by several threads at once.
    counts_of_open_calls: list[int] = []

    def reply_slowly(connection: socket.socket, request: bytes) -> None:
        open_requests.append(request)
        counts_of_open_calls.append(len(open_requests))
        time.sleep(0.05)
        open_requests.pop()
        SUCCESS(connection, request)  # sends {"done": true}

    with (
        ByteServer(reply_slowly) as platform,
        closing(PlatformClient(connections=2)) as client,
        ThreadPoolExecutor(6) as pool,
    ):
        calls = [pool.submit(new_call(platform.url, client).finish) for _ in range(12)]
        for call in calls:
            call.result()

    assert max(counts_of_open_calls) == 2
    assert len(counts_of_open_calls) == 12


# Trials that the client ends on the remote platform (BitGN): each ends once.
#
# The platform is a server that offers tasks to agents. Our own server takes the platform's place.
# `benchmark.lifecycle` counts what has happened there: `{"end run 1/t00": 1}`.


def test_trial_that_is_ended_twice_ends_once(
    server: FaultyServer, benchmark: ShelfBenchmark
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


def test_trial_that_was_not_started_cannot_be_ended(server: FaultyServer) -> None:
    with connected_to(server) as connection:
        run = connection.remote.start_run(RunRequest("a run"))

        with pytest.raises(BenchmarkError) as caught:
            connection.remote.end_trial(run.trials[1].trial_id)

    assert caught.value.code == "failed_precondition"


def test_unknown_trial_cannot_be_ended(server: FaultyServer) -> None:
    with (
        connected_to(server) as connection,
        pytest.raises(BenchmarkError) as caught,
    ):
        connection.remote.end_trial("none")

    assert caught.value.code == "not_found"


# Scores of the remote platform (BitGN) that are none, such as 2, NaN or a text.
#
# Its reply counts all the same: the trial has no score, and the reason is told. A score that is hidden
# (`scoreAvailable` is false) may still come.


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        pytest.param("2", "the score 2 is not from 0 to 1", id="2"),
        pytest.param("-5", "the score -5 is not from 0 to 1", id="-5"),
        pytest.param("1e308", "the score 1e+308 is no number up to 10^15", id="1e308"),
        pytest.param(
            "1" + "0" * 400, "the score nan is no number up to 10^15", id="400 digits"
        ),
        pytest.param('"NaN"', "the score nan is no number up to 10^15", id="NaN"),
        pytest.param('"good"', "the score nan is no number up to 10^15", id="a text"),
    ],
)
def test_what_is_no_score_leaves_the_trial_without_one(
    number: str, reason: str
) -> None:
    fields = f'"state": "TRIAL_STATE_DONE", "scoreAvailable": true, "score": {number}'
    reply = ScoredTrial.model_validate_json("{" + fields + "}")

    score = reply.as_score("t").within(UNIT_SCALE)

    assert score.score is None
    assert score.unscored == reason


def test_a_platform_may_have_another_scale() -> None:
    reply = ScoredTrial.model_validate_json('{"score": 57, "scoreAvailable": true}')
    settings = {"host": "http://127.0.0.1:1", "scale": "any"}

    opened = open_benchmark("x", settings, BenchmarkContext())
    with closing(opened.benchmark):
        score = reply.as_score("t").within(opened.scale)

    assert score.score == 57


def test_a_hidden_score_may_still_come() -> None:
    reply = ScoredTrial.model_validate_json('{"score": 2, "scoreAvailable": false}')

    score = reply.as_score("t").within(UNIT_SCALE)

    assert score.score is None
    assert score.unscored == ""


def test_a_run_with_refused_scores_has_no_score_of_its_own() -> None:
    reply = ScoredRun.model_validate_json(
        '{"state": "RUN_STATE_EVALUATED", "scoreAvailable": true, "score": 1.0, "trials": '
        '[{"trialId": "a", "score": 2, "scoreAvailable": true}, '
        '{"trialId": "b", "score": 0, "scoreAvailable": true}]}'
    )

    scores = [trial.as_score(trial.trial_id) for trial in reply.trials]
    result = reply.as_result("r", scores).within(UNIT_SCALE)

    assert result.score is None
    assert [trial.score for trial in result.trials] == [None, 0.0]


# Runs on the remote platform (BitGN) of which a trial has not ended: they have no scores.
#
# The platform is a server that offers tasks to agents. Our own server takes the platform's place.
# Each trial asks for the title of a book, and "Emma" is right.


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


# Runs that the client submits to the remote platform (BitGN): only then have their trials scores.
#
# The platform is a server that offers tasks to agents. A run needs all its trials to have ended, or
# is submitted by force. Our own server takes the platform's place. Each trial asks for the title of
# a book, and "Emma" is right.


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


# Starts of a trial that fail. The client asks the platform (BitGN) for the state of the trial.
#
# The platform is a server that offers tasks to agents. The code of the client's error says whether
# the start may be tried again: `internal` means that it may, `failed_precondition` that it may not.


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


# Malformed replies of the platform (BitGN) to the start of a trial, or to a question about a run.
#
# The platform is a server that offers tasks to agents. A proxy, or a newer version of the platform,
# may reply with anything: `{"runId": 7}`. The client asks again for 0.3 s, and then fails with the
# name of the method.


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b'{"runId": 7}', id="number as an id"),
        pytest.param(b'{"runId": "r", "trials": [{"state": "x"}]}', id="unknown state"),
    ],
)
def test_malformed_run_is_an_error(body: bytes) -> None:
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


# Submissions of a run that the server does not confirm.
#
# The client submits a run to the platform (BitGN), a server that offers tasks to agents, and gets no
# reply in time. Then it asks by the method `GetRun` for the state of the run. If the server is
# grading the run, the submission has arrived.


def platform_that_confirms_no_submission(state: str) -> Behaviour:
    """Return a server that never confirms a submission, and says that the run is in this state."""
    return reply_by_method(
        b"/GetRun",
        reply_to_method=http_reply(b'{"runId": "r", "state": "%s"}' % state.encode()),
        reply_to_others=refusal(504, "deadline_exceeded", "no reply in time"),
    )


def test_unconfirmed_submission_counts_if_the_platform_is_grading_the_run() -> None:
    platform = platform_that_confirms_no_submission("RUN_STATE_PENDING_EVAL")
    with connected_to_stub(platform, lifecycle_patience_s="0.2") as connection:
        submitted_run = connection.remote.submit_run("r", force=False)

    assert submitted_run.state is RunState.PENDING


def test_unconfirmed_submission_fails_if_the_run_is_still_open() -> None:
    """The client has repeated the submission for 0.2 s, and the run is still not submitted."""
    platform = platform_that_confirms_no_submission("RUN_STATE_RUNNING")
    with (
        connected_to_stub(platform, lifecycle_patience_s="0.2") as connection,
        pytest.raises(BenchmarkError, match="SubmitRun: no reply in time"),
    ):
        connection.remote.submit_run("r", force=False)


# Calls of a trial whose time is over, at `ends_at`: only its answer is worth another attempt.
#
# The stub takes the place of the platform (BitGN, a server that offers tasks to agents), and refuses
# all calls for now: 503 `unavailable`.


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param("Retry-After: 3600\r\n", id="requested pause"),
        pytest.param("", id="own pauses"),
    ],
)
def test_call_is_not_retried_after_the_end_of_its_trial(headers: str) -> None:
    """The trial ends in 0.3 s. Otherwise the call would be retried for an hour."""
    unavailable = refusal(503, "unavailable", "later", headers=headers)
    with trial_on_stub(unavailable, retry_s=3_600.0) as trial:
        trial.environment.ends_at = time.monotonic() + 0.3
        with pytest.raises(CallError):
            trial.environment.call("read", {"path": "/a.txt"})


def test_answer_is_retried_after_the_end_of_its_trial() -> None:
    """Without its answer, all work of the trial would be lost."""
    unavailable = refusal(503, "unavailable", "", headers="Retry-After: 0.3\r\n")
    replies = RepliesInTurn(unavailable, http_reply(b"{}"))
    with trial_on_stub(replies, retry_s=20.0) as trial:
        trial.environment.ends_at = time.monotonic()
        trial.environment.answer("yes", "OUTCOME_OK", [])

    assert trial.request_count == 2


# Malformed replies of the platform (BitGN): a call may have happened although its reply is useless.
#
# The platform is a server that offers tasks to agents. After a malformed reply, a call that changes
# nothing is made three times, and fails with the code `internal`. A call that may have changed
# something fails with the code `unknown`: nobody knows whether the change has happened.

# Directories in directories, 450 levels deep, which is not too deep. The deepest one has the
# number 7 in place of a list of children.
MALFORMED_TREE = b'{"children": [' * 450 + b"7" + b"]}" * 450

# A reply that is malformed for every operation, since each field has another type than it should.
MALFORMED_REPLY = b'{"path": 7, "stdout": 7, "sha256": [], "root": %b}' % MALFORMED_TREE


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        pytest.param("exec", {"path": "/bin/id"}, id="program that changes nothing"),
        pytest.param("stat", {"path": "/a.txt"}, id="stat"),
        pytest.param("tree", {}, id="tree"),
    ],
)
def test_call_that_changes_nothing_is_made_three_times(
    operation: str, arguments: dict[str, Any]
) -> None:
    with (
        trial_on_stub(http_reply(MALFORMED_REPLY)) as trial,
        pytest.raises(CallError, match="is not as described") as caught,
    ):
        trial.environment.call(operation, arguments)

    assert caught.value.code == "internal"
    assert trial.request_count == 3


@pytest.mark.parametrize(
    ("operation", "arguments", "request_count"),
    [
        pytest.param(
            "exec",
            {"path": "/bin/checkout", "args": ["b1"]},
            1,
            id="a program is not run again",
        ),
        # A write of the same text does no harm. Before each repetition the file is read.
        pytest.param(
            "write",
            {"path": "/a.txt", "content": "x"},
            3 + 2,
            id="three writes, and two reads between them",
        ),
    ],
)
def test_call_that_may_have_changed_something_fails_as_unknown(
    operation: str, arguments: dict[str, Any], request_count: int
) -> None:
    with (
        trial_on_stub(http_reply(MALFORMED_REPLY)) as trial,
        pytest.raises(CallError, match="is not as described") as caught,
    ):
        trial.environment.call(operation, arguments)

    assert caught.value.code == "unknown"
    assert trial.request_count == request_count


# A script and the clock may wait for the same call. One limit of repeats holds for both.
#
# A script begins a call of `/bin/date`, and reads its result later by `finish()`. In between, the
# client asks for the time by `now()`, which waits for the same call. `now()` is None if the call has
# failed.


def test_a_failed_call_is_repeated_for_the_first_who_waits_only() -> None:
    """A call that fails with `internal` may be repeated twice, so `now()` makes three requests.

    No repeat is left for the script: `finish()` makes one request more, the fourth.
    """
    out_of_memory = refusal(500, "internal", "out of memory")
    with trial_on_stub(out_of_memory) as trial:
        finish = trial.environment.begin("exec", {"path": "/bin/date"})
        assert trial.environment.now() is None
        assert trial.request_count == 3

        with pytest.raises(CallError, match="out of memory"):
            finish()

        assert trial.request_count == 4


def test_pauses_of_a_call_are_added_up_whoever_waits() -> None:
    """The server asks for a pause of 200 seconds each time, and a call may pause for 300 in all.

    `now()` pauses once. A second pause would make 400 seconds, so neither it nor `finish()` has
    one.
    """
    busy = refusal(429, "resource_exhausted", "busy", headers="Retry-After: 200\r\n")
    waits_in_no_time = patch.object(PlatformClient, "wait", return_value=False)
    with trial_on_stub(busy) as trial, waits_in_no_time as wait:
        finish = trial.environment.begin("exec", {"path": "/bin/date"})
        assert trial.environment.now() is None
        with pytest.raises(CallError, match="busy"):
            finish()

    wait.assert_called_once_with(200.0)


# Trees of which the platform (BitGN) left out folders. They do not say where these are missing.
#
# The platform is a server that offers tasks to agents. `harness.tree(level=2)` asks for the tree of
# folders to the second level, and level 0 means all.

TRUNCATED_TREE = json.dumps(
    {
        "root": {
            "name": "/",
            "kind": "NODE_KIND_DIR",
            "children": [{"name": "docs", "kind": "NODE_KIND_DIR"}],
        },
        "truncated": True,
    }
).encode()
"""A reply to `tree` from which folders are missing."""


@pytest.mark.parametrize(
    "level", [pytest.param(0, id="all levels"), pytest.param(2, id="two levels")]
)
def test_truncated_tree_is_refused_with_another_way(level: int) -> None:
    """The reply does not say which folders are incomplete, so the tree is of no use.

    The level 0 asks for all levels. The error tells the model what it can do instead.
    """
    with (
        trial_on_stub(http_reply(TRUNCATED_TREE)) as trial,
        pytest.raises(CallError, match="list its folders one by one") as caught,
    ):
        trial.environment.call("tree", {"level": level})

    assert caught.value.code == "resource_exhausted"
    assert trial.request_count == 1


def test_truncated_tree_of_one_level_is_used() -> None:
    """With one level, no folder's content was asked for, so that nothing is missing."""
    with trial_on_stub(http_reply(TRUNCATED_TREE)) as trial:
        result = trial.environment.call("tree", {"level": 1})

    assert result["children"]
    assert trial.request_count == 1


# The user's key for the remote platform (BitGN) is in `BITGN_API_KEY`, and is never shown.
#
# The platform is a server that offers tasks to agents. Our own server takes the platform's place,
# and refuses runs without its key as `unauthenticated`.


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


# A run on the remote platform (BitGN) whose start got no reply: it may have started, or not.
#
# The platform is a server that offers tasks to agents. Our own server takes the platform's place.
# `benchmark.requests` has the requests for runs that have arrived there.


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


# Faults of the network: none starts, ends or submits anything on the remote platform (BitGN) twice.
#
# The platform is a server that offers tasks to agents. Our own server takes the platform's place.
# `benchmark.lifecycle` counts what has happened there: `{"end run 1/t00": 1, "submit run 1": 1}`.
# The client sees other ids than the benchmark, so that `server.own_id` translates them.


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
    """The fault hits 40 of 100 calls, as the seed decides. The client repeats them."""
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


# A trial on the remote platform (BitGN) that one process has started can go on in another one.
#
# The platform is a server that offers tasks to agents. The other process gets the client by
# pickling. The user's key is not pickled: each process has it from its environment.


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


# Secrets in what the platform (BitGN) sends: the user's key, here `CANARY_KEY`, becomes
# `[secret]`.
#
# The platform is a server that offers tasks to agents. Results and errors of calls are written to
# the journal, which may be shared.


def test_secret_that_a_refusal_repeats_is_replaced() -> None:
    """The error says what was wrong, without the key."""
    repeats_key = refusal(401, "unauthenticated", f"the key {CANARY_KEY} is wrong")

    error = error_of_call(repeats_key, message={"apiKey": CANARY_KEY})

    assert CANARY_KEY not in str(error)
    assert "[secret]" in error.message


def test_secret_on_a_page_is_replaced() -> None:
    """A proxy may show the request, with its key, on a page of HTML."""
    page = f"<html>{CANARY_KEY}</html>".encode()

    error = error_of_call(http_reply(page, content_type="text/html"))

    assert CANARY_KEY not in str(error)


def test_secret_in_a_redirect_is_replaced() -> None:
    """A proxy may redirect the client to an address that has the key."""
    redirect = http_reply(
        b"", status="302 X", headers=f"Location: http://h/?key={CANARY_KEY}\r\n"
    )

    assert CANARY_KEY not in str(error_of_call(redirect))


def test_secret_in_a_reply_is_replaced() -> None:
    """A result is not an error: only the key in it is replaced."""
    body = json.dumps({"a": CANARY_KEY}).encode()

    assert call_platform(http_reply(body)) == {"a": "[secret]"}
