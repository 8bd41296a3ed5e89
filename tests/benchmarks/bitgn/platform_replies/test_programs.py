"""Replies of our server to programs have the fields that those of the real platform (BitGN) have.

The program that recorded the platform's replies dropped some fields, so these would be named apart.
`call_runtime("Exec", path="/bin/date")` makes a call to a trial of the embedded shop on our server.
"""

from typing import Any

import pytest

from tests.benchmarks.bitgn.served_shop import CallRuntime


@pytest.mark.parametrize(
    ("method", "request_fields", "recorded_fields", "unrecorded_fields"),
    [
        pytest.param(
            "Exec",
            {"path": "/bin/date", "args": []},
            {"stdout"},
            set(),
            id="a program",
        ),
        pytest.param(
            "Exec",
            {"path": "/bin/sql", "stdin": "select name from sqlite_schema"},
            {"stdout"},
            set(),
            id="a program with an input",
        ),
        pytest.param(
            "Exec",
            {
                "path": "/bin/sql",
                "args": [],
                "stdin": "select name from sqlite_schema",
            },
            {"stdout"},
            set(),
            id="a program with arguments and an input",
        ),
    ],
)
def test_a_reply_of_a_program_has_the_fields_of_the_platforms_reply(
    call_runtime: CallRuntime,
    method: str,
    request_fields: dict[str, Any],
    recorded_fields: set[str],
    unrecorded_fields: set[str],
) -> None:
    reply = call_runtime(method, **request_fields)

    assert reply.keys() == recorded_fields | unrecorded_fields
