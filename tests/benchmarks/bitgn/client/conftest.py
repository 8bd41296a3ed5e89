"""A served benchmark that many tests of the client share, because a server takes time to start."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.benchmarks.bitgn.shelf_benchmark import OPTIONS_WITH_KEY, ShelfBenchmark
from tests.support.relay import FaultyServer, faulty_server


class ServedShelf(NamedTuple):
    """A benchmark, and the server that serves it."""

    benchmark: ShelfBenchmark
    server: FaultyServer


@pytest.fixture(autouse=True)
def short_pauses(short_backoff: None) -> None:
    """Let the client pause for at most 0.05 s before it makes a failed call again."""


@pytest.fixture(scope="session")
def served_shelf() -> Iterator[ServedShelf]:
    """A small benchmark and a server of it, behind a network that tests may let fail."""
    benchmark = ShelfBenchmark()
    with faulty_server(benchmark, OPTIONS_WITH_KEY) as server:
        yield ServedShelf(benchmark, server)


@pytest.fixture
def server(served_shelf: ServedShelf) -> FaultyServer:
    return served_shelf.server


@pytest.fixture
def benchmark(served_shelf: ServedShelf) -> ShelfBenchmark:
    """The benchmark behind `server`, with an empty list of requests for runs."""
    served_shelf.benchmark.requests.clear()
    return served_shelf.benchmark
