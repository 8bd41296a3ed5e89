"""Clients of `controlplane mcp docs`, which may send what they like, with their running servers."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.controlplane.mcp.hostile_clients.jsonl_client import Client


@contextmanager
def running_client(folder: Path, *, may_fork: bool = True) -> Iterator[Client]:
    """Yield a client with a running server, which is killed after the block."""
    client = Client(folder, may_fork=may_fork)
    try:
        yield client
    finally:
        client.process.kill()
        client.process.communicate()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """A client with a running server of its own."""
    with running_client(tmp_path) as client:
        yield client


@pytest.fixture
def client_of_new_python(tmp_path: Path) -> Iterator[Client]:
    """A client whose server is no fork, and so ends as that of a user."""
    with running_client(tmp_path, may_fork=False) as client:
        yield client
