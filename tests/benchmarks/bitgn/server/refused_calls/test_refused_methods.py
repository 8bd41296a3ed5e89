"""Methods of the server that need its key, or that it does not have.

The server offers tasks to agents over HTTP, in the protocol of the platform BitGN. Clients that start
a run have to name its key, "a key".
"""

import httpx2
import pytest

from tests.benchmarks.bitgn.raw_client import HARNESS
from tests.benchmarks.bitgn.server.wire_calls import assert_is_error, call


@pytest.mark.parametrize(
    "message",
    [
        pytest.param({"benchmarkId": "shelf", "apiKey": "wrong"}, id="wrong key"),
        pytest.param({"benchmarkId": "shelf"}, id="no key"),
    ],
)
def test_a_run_needs_the_key_of_the_server(
    http: httpx2.Client, message: dict[str, object]
) -> None:
    reply = call(http, HARNESS + "StartRun", message)

    assert_is_error(reply, 401, "unauthenticated")


def test_a_method_that_the_server_does_not_have_is_unimplemented(
    http: httpx2.Client,
) -> None:
    reply = call(http, HARNESS + "StartPlayground")

    assert_is_error(reply, 501, "unimplemented")
