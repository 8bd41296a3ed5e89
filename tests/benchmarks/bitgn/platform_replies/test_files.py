"""Replies of our server about files have the fields that those of the real platform (BitGN) have.

The program that recorded the platform's replies dropped some fields, so these are named apart.
`call_runtime("List", path="/docs")` makes a call to a trial of the embedded shop on our server.
"""

from typing import Any

import pytest

from tests.benchmarks.bitgn.served_shop import CallRuntime


@pytest.mark.parametrize(
    ("method", "request_fields", "recorded_fields", "unrecorded_fields"),
    [
        pytest.param(
            "Read",
            {"path": "/AGENTS.MD"},
            {"path", "content"},
            {"contentType", "sha256"},
            id="a whole file",
        ),
        pytest.param(
            "Read",
            {"path": "/AGENTS.MD", "startLine": 1, "endLine": 2, "number": False},
            {"path", "content"},
            {"contentType", "sha256"},
            id="some lines of a file",
        ),
        pytest.param(
            "Stat",
            {"path": "/docs/checkout.md"},
            {"path", "kind", "contentType"},
            {"writable"},
            id="what a path is",
        ),
        pytest.param("List", {"path": "/docs"}, {"entries"}, {"path"}, id="a folder"),
    ],
)
def test_a_reply_about_files_has_the_fields_of_the_platforms_reply(
    call_runtime: CallRuntime,
    method: str,
    request_fields: dict[str, Any],
    recorded_fields: set[str],
    unrecorded_fields: set[str],
) -> None:
    reply = call_runtime(method, **request_fields)

    assert reply.keys() == recorded_fields | unrecorded_fields


def test_an_entry_of_a_folder_has_the_fields_of_the_platforms_entries(
    call_runtime: CallRuntime,
) -> None:
    reply = call_runtime("List", path="/docs")

    first_entry, *_ = reply["entries"]
    assert first_entry.keys() >= {"name", "kind"}
