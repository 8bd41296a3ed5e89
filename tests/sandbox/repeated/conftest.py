"""A second fork server, beside the fixture `server`.

The processes of two servers have other addresses in memory.
"""

from collections.abc import Iterator

import pytest

from controlplane.sandbox import ForkServer


@pytest.fixture(scope="session")
def other_server() -> Iterator[ForkServer]:
    with ForkServer() as server:
        yield server
