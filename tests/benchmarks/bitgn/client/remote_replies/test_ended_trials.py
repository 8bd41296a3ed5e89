"""Calls of a trial whose time is over, at `ends_at`: only its answer is worth another attempt.

The stub takes the place of the platform (BitGN, a server that offers tasks to agents), and refuses
all calls for now: 503 `unavailable`.
"""

import time

import pytest

from controlplane.sandbox.interface import CallError
from tests.benchmarks.bitgn.client.remote_replies.stub_trials import trial_on_stub
from tests.benchmarks.bitgn.client.stub_platform import (
    RepliesInTurn,
    http_reply,
    refusal,
)


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
