"""A server whose runs have three trials, which several tests share."""

from collections.abc import Iterator

import pytest

from tests.benchmarks.bitgn.served_shop import RawClient, raw_client_of
from tests.benchmarks.bitgn.shelf_benchmark import ShelfBenchmark


@pytest.fixture(scope="session")
def client() -> Iterator[RawClient]:
    """A client of a server whose runs have three trials. The tests share it, and start own runs."""
    with raw_client_of(ShelfBenchmark()) as client:
        yield client
