"""A call of a server's tool that fails raises a `CallError` that names the tool.

A script may make several calls, and the model reads the error:

    loans.loan(number="many")    ->    CallError "loans.loan ..."
"""

from typing import Any

import pytest

from controlplane.mcp.tool_environment import ToolEnvironment
from controlplane.sandbox.interface import CallError


@pytest.mark.parametrize(
    ("operation", "arguments", "expected_error"),
    [
        pytest.param(
            "loans.extend",
            {"number": 1},
            "--allow loans.extend",
            id="change that the user has not allowed",
        ),
        pytest.param(
            "loans.loan", {"number": "many"}, "loans.loan", id="word for a number"
        ),
        pytest.param(
            "loans.loan", {"number": 99_999}, "loans.loan", id="error of the tool"
        ),
        pytest.param(
            "loans.resource",
            {"uri": "loans://nothing"},
            "loans.resource failed",
            id="unknown resource",
        ),
    ],
)
def test_failed_call_names_its_tool(
    loans: ToolEnvironment,
    operation: str,
    arguments: dict[str, Any],
    expected_error: str,
) -> None:
    with pytest.raises(CallError, match=expected_error):
        loans.call(operation, arguments)
