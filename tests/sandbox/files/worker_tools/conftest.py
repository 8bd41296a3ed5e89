"""Workers, isolated processes in which the tools of a trial run."""

import pytest

from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.files.tool_world import TOOL_WORLD
from tests.sandbox.files.worker_tools.tools_of_a_world import TOOL_MODULE


@pytest.fixture(scope="session")
def tool_server():
    """A server that forks workers, and has imported the tools before."""
    with ForkServer([TOOL_WORLD, TOOL_MODULE]) as server:
        yield server


@pytest.fixture
def worker(tool_server):
    """A worker without a process, which it gets at its first call."""
    with Worker(tool_server) as worker:
        yield worker
