"""`controlplane mcp docs --http ADDRESS` is refused in one line if another server has the address.

controlplane: ... Address already in use
"""

from pathlib import Path

from controlplane.errors import UsageError
from tests.controlplane.mcp.docs_client import write_docs
from tests.controlplane.mcp.served_over_http.http_servers import HttpServer
from tests.support.command import check_error_line, run_in_process


def test_address_that_another_server_has_is_refused(
    idle_http_server: HttpServer, tmp_path: Path
) -> None:
    """The error is one line, and no traceback."""
    serve = ["mcp", "docs", "--http", idle_http_server.address]

    result = run_in_process(*serve, cwd=write_docs(tmp_path))

    check_error_line(result, UsageError.exit_code, "Address already in use")
