from collections.abc import Iterator

import pytest

from agent.submission import judging_modules
from benchmarks.shop.declarations import FUNCTION_MODULES
from sandbox import ForkServer


@pytest.fixture(scope="session")
def server() -> Iterator[ForkServer]:
    with ForkServer(judging_modules(("ecom",)), (*FUNCTION_MODULES, "tests.support.library")) as running:
        yield running
