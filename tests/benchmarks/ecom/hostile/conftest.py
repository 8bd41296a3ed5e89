"""A shop whose tools run in a worker process, as in a trial."""

from collections.abc import Iterator

import pytest

from controlplane.benchmarks.ecom.shop_environment import (
    WORKER_MODULES,
    EcomEnvironment,
)
from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.benchmarks.ecom.hostile.hostile_shop import WORKSPACE


@pytest.fixture(scope="package")
def fork_server() -> Iterator[ForkServer]:
    """The process from which each test forks a worker."""
    with ForkServer(WORKER_MODULES) as server:
        yield server


@pytest.fixture
def shop(fork_server: ForkServer) -> Iterator[EcomEnvironment]:
    """A shop whose tools have half a second of processor time for each call."""
    environment = EcomEnvironment(WORKSPACE)
    with Worker(fork_server, limits=WorkerLimits(call_cpu_s=0.5)) as worker:
        environment.use_worker(worker)
        yield environment
