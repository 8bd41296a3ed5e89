"""Fixtures for the tests of questions about files."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controlplane.benchmarks.files.documents import document_converter
from controlplane.benchmarks.files.files_benchmark import WORKER_MODULES
from controlplane.sandbox import ForkServer
from tests.support.forks.shared_fork_servers import lasting_fork_servers


@pytest.fixture(scope="package")
def fork_server() -> Iterator[ForkServer]:
    """A process from which worker processes are forked, with DuckDB already imported."""
    with ForkServer(WORKER_MODULES) as running_server:
        yield running_server


@pytest.fixture(scope="session")
def lasting_server() -> Iterator[Callable[..., ForkServer]]:
    """A function that returns the same fork server at each call with the same modules."""
    with lasting_fork_servers() as lasting_server:
        yield lasting_server


@pytest.fixture(autouse=True)
def shared_converter(
    lasting_server: Callable[..., ForkServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Save time in the tests of this folder: one process imports the libraries that convert
    documents, and forks a worker for each question, which would start such a process otherwise."""
    monkeypatch.setattr(document_converter, "ForkServer", lasting_server)


@pytest.fixture(autouse=True)
def cache_folder(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """An empty folder for caches, instead of that of the user who runs the tests."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder
