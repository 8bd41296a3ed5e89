"""The worker that reads task files, which the tests share: its process starts once."""

from collections.abc import Iterator

import pytest

from benchmarks.folder.task_file import WORKER_MODULE
from sandbox import ForkServer, Worker
from tests.support.shared_fork_servers import shared_fork_servers


@pytest.fixture(scope="session", autouse=True)
def shared_task_readers() -> Iterator[None]:
    with shared_fork_servers(["benchmarks.folder.task_file.ForkServer"]):
        yield


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with ForkServer((WORKER_MODULE,)) as server, Worker(server) as running:
        yield running
