"""Calls of a remote trial with wrong arguments: the error says so, and by which code.

A call of a script, such as `harness.tree("/", level=-1)`, becomes a request to the platform
(BitGN, a server that offers tasks to agents), which refuses it as `invalid_argument`. The files
are those of `Shelf`: a few books.
"""

from typing import Any

import pytest

from controlplane.benchmarks.bitgn.client.remote_benchmark import RemoteEnvironment
from controlplane.sandbox.interface import CallError


@pytest.mark.parametrize(
    ("operation", "arguments", "code"),
    [
        pytest.param(
            "tree",
            {"root": "/", "level": -1},
            "invalid_argument",
            id="negative level",
        ),
        pytest.param(
            "search", {"pattern": "("}, "invalid_argument", id="invalid pattern"
        ),
        pytest.param(
            "find",
            {"name": "x", "limit": "ten"},
            "invalid_argument",
            id="word for a number",
        ),
        pytest.param("read", {}, "invalid_argument", id="missing argument"),
        pytest.param(
            "read",
            {"path": "/AGENTS.MD", "speed": 3},
            "invalid_argument",
            id="unknown argument",
        ),
        pytest.param("move", {}, "unimplemented", id="unknown operation"),
    ],
)
def test_wrong_call_is_refused_with_a_code(
    environment: RemoteEnvironment,
    operation: str,
    arguments: dict[str, Any],
    code: str,
) -> None:
    with pytest.raises(CallError) as caught:
        environment.call(operation, arguments)

    assert caught.value.code == code
