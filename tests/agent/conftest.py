from collections.abc import Iterator

import pytest

from controlplane.agent.submission import judging_modules
from controlplane.benchmarks.shop.declarations import FUNCTION_MODULES
from controlplane.sandbox import ForkServer


@pytest.fixture(scope="session")
def server() -> Iterator[ForkServer]:
    with ForkServer(
        judging_modules(("ecom",)), (*FUNCTION_MODULES, "tests.support.library")
    ) as running:
        yield running
