"""A wrong call of a script fails with a code, by which the script can tell what is wrong with it.

A script calls `harness.read(path="/none")`, which is `shop.call("read", {"path": "/none"})` here.
"""

import pytest

from controlplane.sandbox.interface import CallError, Plain
from tests.benchmarks.shop.functions.written_shop import written_shop


@pytest.mark.parametrize(
    ("operation", "arguments", "code"),
    [
        pytest.param("read", {"path": "/nothing"}, "not_found", id="no such file"),
        pytest.param("read", {}, "invalid_argument", id="no path"),
        pytest.param("read", {"path": 7}, "invalid_argument", id="a number as path"),
        pytest.param(
            "read",
            {"path": "/AGENTS.MD", "start_line": True},
            "invalid_argument",
            id="a boolean as line number",
        ),
        pytest.param(
            "read",
            {"path": "/AGENTS.MD", "lines": 3},
            "invalid_argument",
            id="an unknown argument",
        ),
        pytest.param(
            "list", {"path": "/AGENTS.MD"}, "invalid_argument", id="list of a file"
        ),
        pytest.param("exec", {"path": "/bin/rm"}, "not_found", id="no such tool"),
        pytest.param(
            "exec", {"path": "/AGENTS.MD"}, "invalid_argument", id="a file as tool"
        ),
        pytest.param(
            "exec",
            {"path": "/bin/id", "args": "x"},
            "invalid_argument",
            id="a text as list of arguments",
        ),
        pytest.param(
            "write",
            {"path": "/bin/id", "content": "x"},
            "permission_denied",
            id="write of a tool",
        ),
        pytest.param(
            "write",
            {"path": "/AGENTS.MD", "content": "x", "if_match_sha256": "0"},
            "failed_precondition",
            id="write of a file that has changed meanwhile",
        ),
        pytest.param("shout", {}, "unimplemented", id="unknown operation"),
    ],
)
def test_a_wrong_call_fails_with_a_code(
    operation: str, arguments: dict[str, Plain], code: str
) -> None:
    shop = written_shop({"/AGENTS.MD": "Records are below /proc/."})

    with pytest.raises(CallError) as error:
        shop.call(operation, arguments)

    assert error.value.code == code
