"""Replies that were seen on the real platform (BitGN): our server's are the same word for word.

`call_runtime("Find", root="/docs", name="checkout.md")` makes a call to a trial of the embedded shop
on our server, and returns the reply: `{"paths": ["/docs/checkout.md"]}`.
"""

from typing import Any

import pytest

from tests.benchmarks.bitgn.served_shop import CallRuntime


@pytest.mark.parametrize(
    ("method", "fields", "expected_reply"),
    [
        pytest.param(
            "Find",
            {"root": "/docs", "name": "checkout"},
            {},
            id="part of a file's name finds nothing",
        ),
        pytest.param(
            "Find",
            {"root": "/docs", "name": "checkout.md"},
            {"paths": ["/docs/checkout.md"]},
            id="whole name",
        ),
        pytest.param(
            "Find",
            {"root": "/docs", "name": "none", "kind": "NODE_KIND_DIR", "limit": 20},
            {},
            id="no folder of this name",
        ),
        pytest.param(
            "Search",
            {"root": "/docs", "pattern": "no such text"},
            {},
            id="no line with this text",
        ),
        pytest.param(
            "Exec",
            {"path": "/bin/sql", "stdin": "select x from sqlite_schema"},
            {"stderr": "SQL logic error: no such column: x (1)\n", "exitCode": 1},
            id="unknown column",
        ),
        pytest.param(
            "Exec",
            {"path": "/bin/sql", "args": ["select * from nowhere"]},
            {
                "stderr": "SQL logic error: no such table: nowhere (1)\n",
                "exitCode": 1,
            },
            id="unknown table",
        ),
    ],
)
def test_the_server_replies_word_for_word_like_the_platform(
    call_runtime: CallRuntime,
    method: str,
    fields: dict[str, Any],
    expected_reply: dict[str, Any],
) -> None:
    """An empty reply (`{}`) means that nothing was found."""
    assert call_runtime(method, **fields) == expected_reply
