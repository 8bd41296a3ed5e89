"""Starts of a trial that fail. The client asks the platform (BitGN) for the state of the trial.

The platform is a server that offers tasks to agents. The code of the client's error says whether
the start may be tried again: `internal` means that it may, `failed_precondition` that it may not.
"""

import pytest

from controlplane import BenchmarkError
from tests.benchmarks.bitgn.client.lifecycle_replies.stub_connections import (
    connected_to_stub,
)
from tests.benchmarks.bitgn.client.stub_platform import (
    http_reply,
    refusal,
    reply_by_method,
)
from tests.support.byte_server import Behaviour


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
