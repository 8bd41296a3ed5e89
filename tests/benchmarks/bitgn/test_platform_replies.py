"""Replies of our server have the fields that those of the real platform have.

`call_runtime("Find", root="/docs", name="checkout.md")` makes a call to a trial of the embedded shop on
our server, and returns the reply.
"""

from typing import Any

import pytest

from tests.benchmarks.bitgn.served_shop import CallRuntime


class TestFieldsOfReplies:
    """A reply has the fields that the platform's has, and those that the record of it lacks.

    The program that recorded the platform's replies dropped some fields.
    """

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
            pytest.param(
                "Stat",
                {"path": "/docs/checkout.md"},
                {"path", "kind", "contentType"},
                {"writable"},
                id="what a path is",
            ),
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
            pytest.param(
                "List", {"path": "/docs"}, {"entries"}, {"path"}, id="a folder"
            ),
        ],
    )
    def test_a_reply_has_the_fields_of_the_platforms_reply(
        self,
        call_runtime: CallRuntime,
        method: str,
        request_fields: dict[str, Any],
        recorded_fields: set[str],
        unrecorded_fields: set[str],
    ) -> None:
        reply = call_runtime(method, **request_fields)

        assert reply.keys() == recorded_fields | unrecorded_fields

    def test_an_entry_of_a_folder_has_the_fields_of_the_platforms_entries(
        self, call_runtime: CallRuntime
    ) -> None:
        reply = call_runtime("List", path="/docs")

        first_entry, *_ = reply["entries"]
        assert first_entry.keys() >= {"name", "kind"}

    def test_a_line_that_is_found_has_the_fields_of_the_platforms_lines(
        self, call_runtime: CallRuntime
    ) -> None:
        reply = call_runtime("Search", root="/docs", pattern="checkout", limit=20)

        first_match, *_ = reply["matches"]
        assert first_match.keys() >= {"path", "line", "lineText"}
