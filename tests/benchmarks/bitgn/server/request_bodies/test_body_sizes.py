"""Bodies of requests to the server may have at most 100 kB when they are unpacked.

A larger one is refused before it fills the memory: 429 `resource_exhausted`.
"""

import contextlib
import gzip
import tracemalloc

import httpx2

from tests.benchmarks.bitgn.raw_client import HARNESS
from tests.benchmarks.bitgn.server.wire_calls import (
    GZIP_HEADERS,
    JSON_HEADERS,
    assert_is_error,
    call,
)


def test_a_body_that_is_too_large_is_refused(http: httpx2.Client) -> None:
    body = b" " * 100_001

    reply = http.post(HARNESS + "Status", content=body, headers=JSON_HEADERS)

    assert_is_error(reply, 429, "resource_exhausted")


def test_a_body_that_is_too_large_when_unpacked_does_not_fill_the_memory(
    http: httpx2.Client,
) -> None:
    """The body has about 50 kB, and 50 MB when it is unpacked.

    The server runs in this process, so its memory can be measured here.
    """
    body = gzip.compress(b" " * 50_000_000, 1)
    tracemalloc.start()
    try:
        reply = http.post(HARNESS + "Status", content=body, headers=GZIP_HEADERS)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert_is_error(reply, 429, "resource_exhausted")
    assert peak_bytes < 5_000_000


def test_a_body_of_unknown_length_is_refused_once_it_is_too_large(
    http: httpx2.Client,
) -> None:
    """The body has 10 MB in chunks, and no header that says its length."""
    chunks = (b" " * 10_000 for _ in range(1_000))

    # The server may close the connection before all chunks are sent: then there is no reply.
    with contextlib.suppress(httpx2.WriteError):
        reply = http.post(HARNESS + "Status", content=chunks, headers=JSON_HEADERS)
        assert reply.status_code == 429

    assert call(http, HARNESS + "Status").json()["status"] == "ok"
