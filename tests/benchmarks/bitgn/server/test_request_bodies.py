"""The body of a request may be compressed, and may have at most 100 kB when it is unpacked."""

import contextlib
import gzip
import tracemalloc

import httpx2

from tests.benchmarks.bitgn.raw_client import HARNESS
from tests.benchmarks.bitgn.server.wire_calls import (
    JSON_HEADERS,
    assert_is_error,
    call,
)

GZIP_HEADERS = {**JSON_HEADERS, "content-encoding": "gzip"}


class TestCompression:
    def test_a_compressed_body_is_unpacked(self, http: httpx2.Client) -> None:
        body = gzip.compress(b"{}")

        reply = http.post(HARNESS + "Status", content=body, headers=GZIP_HEADERS)

        assert reply.json()["status"] == "ok"

    def test_an_unknown_compression_is_unimplemented(self, http: httpx2.Client) -> None:
        headers = {**JSON_HEADERS, "content-encoding": "br"}

        reply = http.post(HARNESS + "Status", content=b"{}", headers=headers)

        assert_is_error(reply, 501, "unimplemented")

    def test_a_body_that_is_not_compressed_as_announced_is_invalid(
        self, http: httpx2.Client
    ) -> None:
        reply = http.post(HARNESS + "Status", content=b"{}", headers=GZIP_HEADERS)

        assert_is_error(reply, 400, "invalid_argument")

    def test_incomplete_compressed_data_are_invalid(self, http: httpx2.Client) -> None:
        all_but_the_end = gzip.compress(b"{}")[:-4]

        reply = http.post(
            HARNESS + "Status", content=all_but_the_end, headers=GZIP_HEADERS
        )

        assert_is_error(reply, 400, "invalid_argument")


class TestSize:
    """A body of more than 100 kB is refused before it fills the memory."""

    def test_a_body_that_is_too_large_is_refused(self, http: httpx2.Client) -> None:
        body = b" " * 100_001

        reply = http.post(HARNESS + "Status", content=body, headers=JSON_HEADERS)

        assert_is_error(reply, 429, "resource_exhausted")

    def test_a_body_that_is_too_large_when_unpacked_does_not_fill_the_memory(
        self, http: httpx2.Client
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
        self, http: httpx2.Client
    ) -> None:
        """The body has 10 MB in chunks, and no header that says its length."""
        chunks = (b" " * 10_000 for _ in range(1_000))

        # The server may close the connection before all chunks are sent: then there is no reply.
        with contextlib.suppress(httpx2.WriteError):
            reply = http.post(HARNESS + "Status", content=chunks, headers=JSON_HEADERS)
            assert reply.status_code == 429

        assert call(http, HARNESS + "Status").json()["status"] == "ok"
