"""Errors of the calls of a remote trial: they have the codes that the platform (BitGN) sends.

The platform is a server that offers tasks to agents. A call of a script, such as
`harness.read(path="/nothing")`, becomes a request to the platform, and a refusal becomes an error:
`not_found`. So scripts can tell one failure from another. The files and programs are those of
`Shelf`: a few books, and `/bin/crash`, which fails by a fault of its own.
"""

from typing import Any

import pytest

from controlplane.benchmarks.bitgn.client.remote_benchmark import RemoteEnvironment
from controlplane.sandbox.interface import CallError


@pytest.mark.parametrize(
    ("operation", "arguments", "code"),
    [
        pytest.param("read", {"path": "/nothing"}, "not_found", id="no such file"),
        pytest.param(
            "list",
            {"path": "/books/emma.json"},
            "invalid_argument",
            id="list a file",
        ),
        pytest.param(
            "write",
            {"path": "/books", "content": "x"},
            "failed_precondition",
            id="write to a folder",
        ),
        pytest.param(
            "write",
            {"path": "/books/emma.json", "content": "x", "if_match_sha256": "00"},
            "failed_precondition",
            id="write to a file that has changed",
        ),
        pytest.param(
            "exec", {"path": "/bin/crash"}, "unknown", id="crash of the platform"
        ),
    ],
)
def test_failed_call_raises_an_error_with_its_code(
    environment: RemoteEnvironment,
    operation: str,
    arguments: dict[str, Any],
    code: str,
) -> None:
    with pytest.raises(CallError) as caught:
        environment.call(operation, arguments)

    assert caught.value.code == code
