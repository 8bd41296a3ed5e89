"""A trial of the platform (BitGN), whose files and tools the product's client calls."""

from collections.abc import Iterator

import pytest

from controlplane.benchmarks.bitgn.client.remote_benchmark import RemoteEnvironment
from tests.benchmarks.bitgn.client.remote_environment.trials_on_shelf import (
    started_trial,
)
from tests.benchmarks.bitgn.shelf_benchmark import connected_to
from tests.support.relay.faulty_server import FaultyServer


@pytest.fixture
def environment(server: FaultyServer) -> Iterator[RemoteEnvironment]:
    """The environment of a trial, without faults of the network."""
    with connected_to(server) as connection:
        yield started_trial(connection).environment
