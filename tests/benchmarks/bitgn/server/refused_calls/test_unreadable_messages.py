"""Calls of the server whose message cannot be read: the reply is 400 `invalid_argument`.

The server offers tasks to agents over HTTP, in the protocol of the platform BitGN: the body of a
call is a message as JSON, such as `{"runId": "r"}`, or as protobuf, a binary form.
"""

import httpx2
import pytest

from tests.benchmarks.bitgn.raw_client import HARNESS
from tests.benchmarks.bitgn.server.wire_calls import (
    JSON_HEADERS,
    PROTOBUF_HEADERS,
    assert_is_error,
    call,
)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"no json", id="not JSON"),
        pytest.param(b"\xff\xfe", id="not text"),
        pytest.param(b"[]", id="list"),
        pytest.param(b'""', id="text"),
        pytest.param(b"[" * 50_000, id="deep JSON"),
    ],
)
def test_a_body_that_is_no_object_in_json_is_invalid(
    http: httpx2.Client, body: bytes
) -> None:
    reply = http.post(HARNESS + "Status", content=body, headers=JSON_HEADERS)

    assert_is_error(reply, 400, "invalid_argument")


def test_a_character_that_is_not_text_is_invalid(http: httpx2.Client) -> None:
    body = b'{"name": "\\ud800"}'

    reply = http.post(HARNESS + "StartRun", content=body, headers=JSON_HEADERS)

    assert_is_error(reply, 400, "invalid_argument")


def test_a_body_that_is_no_protobuf_is_invalid(http: httpx2.Client) -> None:
    reply = http.post(HARNESS + "GetRun", content=b"\xff\xff", headers=PROTOBUF_HEADERS)

    assert_is_error(reply, 400, "invalid_argument")


def test_a_timeout_that_is_no_number_is_invalid(http: httpx2.Client) -> None:
    reply = call(http, HARNESS + "Status", **{"connect-timeout-ms": "soon"})

    assert_is_error(reply, 400, "invalid_argument")
