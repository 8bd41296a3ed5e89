"""A server that starts the processes in which the programs of tasks run."""

from collections.abc import Iterator

import pytest

from controlplane.sandbox import ForkServer


@pytest.fixture(scope="session")
def server() -> Iterator[ForkServer]:
    """Starts the processes in which programs run."""
    with ForkServer() as server:
        yield server
