"""Replies of our server to programs have the field that those of the real platform (BitGN) have.

`call_runtime("Exec", path="/bin/date")` makes a call to a trial of the embedded shop on our server,
and returns the reply: `{"stdout": "2026-04-22T09:30:00Z\\n"}`.
"""

from typing import Any

import pytest

from tests.benchmarks.bitgn.served_shop import CallRuntime


@pytest.mark.parametrize(
    "request_fields",
    [
        pytest.param({"path": "/bin/date", "args": []}, id="a program"),
        pytest.param(
            {"path": "/bin/sql", "stdin": "select name from sqlite_schema"},
            id="a program with an input",
        ),
        pytest.param(
            {
                "path": "/bin/sql",
                "args": [],
                "stdin": "select name from sqlite_schema",
            },
            id="a program with arguments and an input",
        ),
    ],
)
def test_a_reply_of_a_program_has_the_field_of_the_platforms_reply(
    call_runtime: CallRuntime, request_fields: dict[str, Any]
) -> None:
    reply = call_runtime("Exec", **request_fields)

    assert reply.keys() == {"stdout"}
