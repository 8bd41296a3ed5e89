"""Fixtures of workers, isolated processes that run single functions on foreign data."""

import pytest

from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.sandbox.parent.workers.worker_calls import MODULE, REACHING_OUT


@pytest.fixture(scope="session")
def server():
    """A server that forks workers, and has imported the functions that they run."""
    with ForkServer([MODULE, REACHING_OUT]) as server:
        yield server


@pytest.fixture
def worker(server):
    """A worker whose calls are ended after 0.2 s of CPU time."""
    with Worker(server, limits=WorkerLimits(call_cpu_s=0.2)) as worker:
        yield worker
