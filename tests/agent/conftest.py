from collections.abc import Iterator

import pytest

from agent.submission import judging_modules
from sandbox import ForkServer


@pytest.fixture(scope="session")
def server() -> Iterator[ForkServer]:
    with ForkServer(judging_modules(("ecom",))) as running:
        yield running
