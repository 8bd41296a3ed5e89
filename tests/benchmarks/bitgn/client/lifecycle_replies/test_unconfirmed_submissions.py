"""Submissions of a run that the server does not confirm.

The client submits a run to the platform (BitGN), a server that offers tasks to agents, and gets no
reply in time. Then it asks by the method `GetRun` for the state of the run. If the server is
grading the run, the submission has arrived.
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
