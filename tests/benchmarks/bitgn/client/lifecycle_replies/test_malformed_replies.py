"""Malformed replies of the platform (BitGN) to the start of a trial, or to a question about a run.

The platform is a server that offers tasks to agents. A proxy, or a newer version of the platform,
may reply with anything: `{"runId": 7}`. The client asks again for 0.3 s, and then fails with the
name of the method.
"""

import pytest

from controlplane import BenchmarkError
from tests.benchmarks.bitgn.client.lifecycle_replies.stub_connections import (
    connected_to_stub,
)
from tests.benchmarks.bitgn.client.stub_platform import http_reply


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
