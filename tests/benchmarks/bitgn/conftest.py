import pytest


@pytest.fixture(scope="session", autouse=True)
def quick_servers(quick_server_ends: None) -> None:
    """Each test has a server of its own."""
