"""A port that another program has already is named, when `serve` cannot have it."""

import socket

from controlplane.errors import Unreachable, UsageError
from tests.support.command import CommandRunner


def test_serve_names_a_port_that_is_in_use(run_command_here: CommandRunner) -> None:
    """`serve` offers a benchmark over HTTP."""
    with socket.create_server(("127.0.0.1", 0)) as other_server:
        _, port = other_server.getsockname()
        refused = run_command_here(
            "serve", "--benchmark", "tests.support.phonebook", "--port", str(port)
        )

    assert refused.code in (UsageError.exit_code, Unreachable.exit_code)
    assert str(port) in refused.err
    assert "Traceback" not in refused.err
