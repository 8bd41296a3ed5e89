"""Bodies of requests to the server may be compressed, as the header `content-encoding` says.

The server offers tasks to agents over HTTP, in the protocol of the platform BitGN. The method
`Status`, whose message is `{}`, says that the server is "ok".
"""

import gzip

import httpx2

from tests.benchmarks.bitgn.raw_client import HARNESS
from tests.benchmarks.bitgn.server.wire_calls import (
    GZIP_HEADERS,
    JSON_HEADERS,
    assert_is_error,
)


def test_a_compressed_body_is_unpacked(http: httpx2.Client) -> None:
    body = gzip.compress(b"{}")

    reply = http.post(HARNESS + "Status", content=body, headers=GZIP_HEADERS)

    assert reply.json()["status"] == "ok"


def test_an_unknown_compression_is_unimplemented(http: httpx2.Client) -> None:
    headers = {**JSON_HEADERS, "content-encoding": "br"}

    reply = http.post(HARNESS + "Status", content=b"{}", headers=headers)

    assert_is_error(reply, 501, "unimplemented")


def test_a_body_that_is_not_compressed_as_announced_is_invalid(
    http: httpx2.Client,
) -> None:
    reply = http.post(HARNESS + "Status", content=b"{}", headers=GZIP_HEADERS)

    assert_is_error(reply, 400, "invalid_argument")


def test_incomplete_compressed_data_are_invalid(http: httpx2.Client) -> None:
    all_but_the_end = gzip.compress(b"{}")[:-4]

    reply = http.post(HARNESS + "Status", content=all_but_the_end, headers=GZIP_HEADERS)

    assert_is_error(reply, 400, "invalid_argument")
