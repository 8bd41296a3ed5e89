"""A client of `controlplane mcp docs`, which may send what it likes, with its running server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.controlplane.mcp.hostile_clients.jsonl_client import Client


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """A client with a running server, which is killed after the test."""
    client = Client(tmp_path)
    try:
        yield client
    finally:
        client.process.kill()
        client.process.communicate()
