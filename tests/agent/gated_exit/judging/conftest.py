"""What tests of judging in a worker share."""

from collections.abc import Iterator

import pytest

from controlplane.agent.judging import judging_modules
from controlplane.sandbox import ForkServer
from tests.agent.gated_exit.judging.own_rule import OWN


@pytest.fixture(scope="session")
def own_server() -> Iterator[ForkServer]:
    """Start workers that can judge by `OWN`, a rule of a user, and by the product's `ecom`."""
    with ForkServer(judging_modules(("ecom", OWN))) as server:
        yield server
