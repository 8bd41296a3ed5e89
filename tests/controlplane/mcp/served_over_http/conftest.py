"""A running server of questions, for tests whose requests are refused."""

from collections.abc import Iterator

import pytest

from tests.controlplane.mcp.client_here import write_docs
from tests.controlplane.mcp.served_over_http.http_servers import HttpServer, http_server


@pytest.fixture(scope="session")
def idle_http_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    """A server for tests whose requests are refused."""
    with http_server(write_docs(tmp_path_factory.mktemp("http"))) as server:
        yield server
