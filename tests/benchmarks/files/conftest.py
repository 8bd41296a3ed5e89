"""Fixtures for the tests of questions about files."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.benchmarks.files.documents import document_converter
from controlplane.benchmarks.files.files_benchmark import WORKER_MODULES
from controlplane.sandbox import ForkServer
from tests.support.forks.shared_fork_servers import shared_fork_servers


@pytest.fixture(scope="package")
def fork_server() -> Iterator[ForkServer]:
    """A process from which worker processes are forked, with DuckDB already imported."""
    with ForkServer(WORKER_MODULES) as running_server:
        yield running_server


@pytest.fixture(scope="session", autouse=True)
def shared_converter() -> Iterator[None]:
    """Save time in all tests: one process imports the libraries that convert documents, and forks
    a worker for each question, which would start such a process otherwise."""
    with shared_fork_servers([f"{document_converter.__name__}.ForkServer"]):
        yield


@pytest.fixture(autouse=True)
def cache_folder(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """An empty folder for caches, instead of that of the user who runs the tests."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder
