"""Quick ends of the many servers of these tests, and a served shop that some of them share."""

from collections.abc import Iterator

import pytest

from tests.benchmarks.bitgn.served_shop import CallRuntime, calls_of_served_shop


@pytest.fixture(scope="session", autouse=True)
def quick_servers(quick_server_ends: None) -> None:
    """Use `quick_server_ends` in all tests: most of them start a server of their own."""


@pytest.fixture(scope="session")
def call_runtime() -> Iterator[CallRuntime]:
    """Calls a trial of the embedded shop on our server: `call_runtime("Read", path="/AGENTS.MD")`."""
    with calls_of_served_shop() as call:
        yield call
