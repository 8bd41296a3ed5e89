"""Replies of our server to searches have the fields that those of the real platform (BitGN) have.

`call_runtime("Find", root="/docs", name="checkout.md")` makes a call to a trial of the embedded shop
on our server, and returns the reply.
"""

from typing import Any

import pytest

from tests.benchmarks.bitgn.served_shop import CallRuntime


@pytest.mark.parametrize(
    ("method", "request_fields", "recorded_fields", "unrecorded_fields"),
    [
        pytest.param(
            "Find",
            {
                "root": "/docs",
                "name": "checkout.md",
                "kind": "NODE_KIND_FILE",
                "limit": 20,
            },
            {"paths"},
            set(),
            id="files by their name",
        ),
        pytest.param(
            "Search",
            {"root": "/docs", "pattern": "checkout", "limit": 20},
            {"matches"},
            set(),
            id="lines",
        ),
    ],
)
def test_a_reply_to_a_search_has_the_fields_of_the_platforms_reply(
    call_runtime: CallRuntime,
    method: str,
    request_fields: dict[str, Any],
    recorded_fields: set[str],
    unrecorded_fields: set[str],
) -> None:
    reply = call_runtime(method, **request_fields)

    assert reply.keys() == recorded_fields | unrecorded_fields


def test_a_line_that_is_found_has_the_fields_of_the_platforms_lines(
    call_runtime: CallRuntime,
) -> None:
    reply = call_runtime("Search", root="/docs", pattern="checkout", limit=20)

    first_match, *_ = reply["matches"]
    assert first_match.keys() >= {"path", "line", "lineText"}
