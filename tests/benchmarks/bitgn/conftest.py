"""The fixture that lets the many servers of these tests end quickly."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def quick_servers(quick_server_ends: None) -> None:
    """Use `quick_server_ends` in all tests: most of them start a server of their own."""
