from collections.abc import Iterator

import pytest

from sandbox import ForkServer


@pytest.fixture(scope="session")
def server() -> Iterator[ForkServer]:
    with ForkServer() as running:
        yield running
