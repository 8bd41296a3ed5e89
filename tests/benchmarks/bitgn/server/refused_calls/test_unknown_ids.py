"""Calls of the server that name what does not exist: a run, a trial or a benchmark.

    POST /bitgn.harness.HarnessService/GetRun    {"runId": "none"}
    404                                          {"code": "not_found", "message": "..."}

The server offers tasks to agents over HTTP, in the protocol of the platform BitGN.
"""

import httpx2
import pytest

from tests.benchmarks.bitgn.raw_client import ECOM, HARNESS
from tests.benchmarks.bitgn.server.wire_calls import assert_is_error, call


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("GetRun", {"runId": "none"}),
        ("GetRun", {"runId": 7}),
        ("GetTrial", {"trialId": "none"}),
        ("StartTrial", {}),
        ("EndTrial", {}),
        ("SubmitRun", {}),
        ("GetBenchmark", {"benchmarkId": "none"}),
    ],
)
def test_an_unknown_id_is_not_found(
    http: httpx2.Client, method: str, message: dict[str, object]
) -> None:
    assert_is_error(call(http, HARNESS + method, message), 404, "not_found")


def test_a_file_of_an_unknown_trial_is_not_found(http: httpx2.Client) -> None:
    reply = call(http, f"/trials/none{ECOM}Read", {"path": "/AGENTS.MD"})

    assert_is_error(reply, 404, "not_found")
