"""The aide that reads task files, which the tests share: its process starts once."""

from collections.abc import Iterator

import pytest

from benchmarks.folder.task_file import AIDE_MODULE
from sandbox import Aide, ForkServer
from tests.support.shared_fork_servers import shared_fork_servers


@pytest.fixture(scope="session", autouse=True)
def shared_task_readers() -> Iterator[None]:
    with shared_fork_servers(["benchmarks.folder.task_file.ForkServer"]):
        yield


@pytest.fixture(scope="module")
def aide() -> Iterator[Aide]:
    with ForkServer((AIDE_MODULE,)) as server, Aide(server) as running:
        yield running
