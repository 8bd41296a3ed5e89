"""Requests to the server that are refused by their path, verb or type alone, without a message.

The server offers tasks to agents over HTTP, in the protocol of the platform BitGN: a call is a
POST to the path of a service and a method, such as `/bitgn.harness.HarnessService/GetRun`.
`HARNESS` is the path of this service.
"""

import httpx2
import pytest

from tests.benchmarks.bitgn.raw_client import HARNESS
from tests.benchmarks.bitgn.server.wire_calls import call


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(HARNESS + "Nothing", id="unknown method"),
        pytest.param("/", id="no service"),
        pytest.param("/bitgn.vm.pcm.PcmRuntime/Read", id="another service"),
    ],
)
def test_an_unknown_path_is_not_found(http: httpx2.Client, path: str) -> None:
    assert call(http, path).status_code == 404


def test_another_verb_than_post_is_not_allowed(http: httpx2.Client) -> None:
    assert http.get(HARNESS + "Status").status_code == 405


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({}, id="no type"),
        pytest.param({"content-type": "text/html"}, id="wrong type"),
    ],
)
def test_a_message_of_another_type_is_not_supported(
    http: httpx2.Client, headers: dict[str, str]
) -> None:
    reply = http.post(HARNESS + "Status", content=b"{}", headers=headers)

    assert reply.status_code == 415
