"""A server of a small benchmark, which the tests of single requests share."""

from collections.abc import Iterator

import httpx2
import pytest

from tests.benchmarks.bitgn.server.wire_calls import OPTIONS
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark
from tests.support.running_server import running_server


@pytest.fixture(scope="session")
def http() -> Iterator[httpx2.Client]:
    """A client of a server whose runs need the key "a key"."""
    with (
        running_server(ShelfBenchmark(), OPTIONS) as server,
        httpx2.Client(base_url=server.url, timeout=20) as client,
    ):
        yield client
