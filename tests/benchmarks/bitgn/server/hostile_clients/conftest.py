"""A server of the embedded shop, in a process of its own, which the tests attack."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.benchmarks.bitgn.server.hostile_clients.honest_client import ServerProcess


@pytest.fixture(scope="session")
def server() -> Iterator[ServerProcess]:
    """A server of the embedded shop. Its first line is `listening on http://127.0.0.1:4812`."""
    command = [sys.executable, "-m", "controlplane", "serve", "--benchmark", "ecom"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        url = process.stdout.readline().split()[-1]
        yield ServerProcess(url, process.pid)
        process.terminate()
