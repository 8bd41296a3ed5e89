"""What the tests with MCP servers and clients share."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def foreign_programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which packages of others are installed, once for all tests."""
    return tmp_path_factory.mktemp("foreign")
