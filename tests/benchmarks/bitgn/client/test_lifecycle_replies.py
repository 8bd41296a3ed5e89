"""Replies to the calls that start, end and submit: malformed ones, failures, and lost ones.

The product's client plays the trials of a platform (BitGN) over HTTP. Here, a stub takes the
platform's place, which replies to each method as a test says. If a start or a submission fails, the
client asks for the state of the trial or run, to find out what has happened.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

import pytest

from controlplane import BenchmarkContext, BenchmarkError, RunState
from controlplane.benchmarks.bitgn.client.remote_benchmark import RemoteBenchmark
from tests.benchmarks.bitgn.client.stub_platform import (
    http_reply,
    refusal,
    reply_by_method,
)
from tests.support.byte_server import Behaviour, ByteServer

pytestmark = pytest.mark.usefixtures("short_backoff")


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


class TestMalformedReplies:
    """A proxy, or a newer version of the platform, may reply with anything.

    The client asks again for 0.3 s, and then fails with the name of the method.
    """

    @pytest.mark.parametrize(
        "body",
        [
            pytest.param(b'{"runId": 7}', id="number as an id"),
            pytest.param(
                b'{"runId": "r", "trials": [{"state": "x"}]}', id="unknown state"
            ),
        ],
    )
    def test_malformed_run_is_an_error(self, body: bytes) -> None:
        with (
            connected_to_stub(
                http_reply(body), lifecycle_patience_s="0.3"
            ) as connection,
            pytest.raises(BenchmarkError, match="GetRun is not as described"),
        ):
            connection.remote.get_run("r")

    def test_malformed_trial_is_an_error_with_the_missing_field(self) -> None:
        """The reply to the start of a trial is an empty message."""
        with (
            connected_to_stub(
                http_reply(b"{}"), lifecycle_patience_s="0.3"
            ) as connection,
            pytest.raises(
                BenchmarkError, match="StartTrial is not as described"
            ) as caught,
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


class TestFailedStarts:
    """After a failed start, the client asks the platform for the state of the trial.

    The code `internal` means that the start may be tried again,
    `failed_precondition` that it may not.
    """

    @pytest.mark.parametrize(
        ("state", "code"),
        [
            pytest.param("TRIAL_STATE_ERROR", "failed_precondition", id="over"),
            pytest.param("TRIAL_STATE_RUNNING", "internal", id="running"),
        ],
    )
    def test_failed_start_is_final_only_if_the_platform_says_that_the_trial_is_over(
        self, state: str, code: str
    ) -> None:
        with (
            connected_to_stub(platform_that_lost_a_trial(state)) as connection,
            pytest.raises(BenchmarkError, match="StartTrial: it is gone") as caught,
        ):
            connection.remote.start_trial("t")

        assert caught.value.code == code
        assert "GetTrial" in connection.called_methods

    def test_platform_is_not_asked_about_a_failed_start_while_the_run_stops(
        self,
    ) -> None:
        """The user has interrupted the run, which sets `stop`, and waits for its end."""
        platform = platform_that_lost_a_trial("TRIAL_STATE_ERROR")
        with connected_to_stub(platform) as connection:
            connection.context.stop.set()
            with pytest.raises(
                BenchmarkError, match="StartTrial: it is gone"
            ) as caught:
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


class TestUnconfirmedSubmissions:
    """The reply to a submission is lost. Then the client asks for the state of the run."""

    def test_unconfirmed_submission_counts_if_the_platform_is_grading_the_run(
        self,
    ) -> None:
        """The run has the state `RUN_STATE_PENDING_EVAL`: it was submitted, and is being graded."""
        platform = platform_that_confirms_no_submission("RUN_STATE_PENDING_EVAL")
        with connected_to_stub(platform, lifecycle_patience_s="0.2") as connection:
            submitted_run = connection.remote.submit_run("r", force=False)

        assert submitted_run.state is RunState.PENDING

    def test_unconfirmed_submission_fails_if_the_run_is_still_open(self) -> None:
        """The platform says that the run has not been submitted."""
        platform = platform_that_confirms_no_submission("RUN_STATE_RUNNING")
        with (
            connected_to_stub(platform, lifecycle_patience_s="0.2") as connection,
            pytest.raises(BenchmarkError, match="SubmitRun: grading"),
        ):
            connection.remote.submit_run("r", force=False)
