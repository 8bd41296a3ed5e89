"""Submissions of a run to the platform (BitGN) whose reply is lost.

The platform is a server that offers tasks to agents. The client asks for the state of the run. If
it is being graded, the submission has arrived.
"""

import pytest

from controlplane import BenchmarkError, RunState
from tests.benchmarks.bitgn.client.lifecycle_replies.stub_connections import (
    connected_to_stub,
)
from tests.benchmarks.bitgn.client.stub_platform import (
    http_reply,
    refusal,
    reply_by_method,
)
from tests.support.byte_server import Behaviour


def platform_that_confirms_no_submission(state: str) -> Behaviour:
    """Let every submission exceed its deadline, and say that the run is in this state."""
    return reply_by_method(
        b"/GetRun",
        http_reply(b'{"runId": "r", "state": "%s"}' % state.encode()),
        refusal(504, "deadline_exceeded", "grading"),
    )


def test_unconfirmed_submission_counts_if_the_platform_is_grading_the_run() -> None:
    """The run has the state `RUN_STATE_PENDING_EVAL`: it was submitted, and is being graded."""
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
