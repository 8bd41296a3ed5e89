"""Replies of the platform (BitGN) become results of calls, and our server's replies equal them.

Lists, programs and files are read from the platform's replies. Replies of our server have the same
fields, word for word where the platform's were seen, and a tree is marked as truncated only if
folders are missing.
"""

from typing import Any

import pytest

from controlplane.benchmarks.bitgn.wire import RPCS
from tests.benchmarks.bitgn.served_shop import CallRuntime

# Replies of the platform (BitGN) with lists become the results of a script's calls.
#
# The platform is a server that offers tasks to agents. A field that is empty or false is left out of
# a reply: without any path, the reply to `find` is `{}`, and becomes
# `{"paths": [], "truncated": False}`.


def test_no_path_that_is_found_becomes_an_empty_list() -> None:
    rpc = RPCS["find"]
    assert rpc is not None

    assert rpc.reply_from_wire({}) == {"paths": [], "truncated": False}


def test_paths_that_are_found_become_a_list() -> None:
    rpc = RPCS["find"]
    assert rpc is not None

    result = rpc.reply_from_wire({"paths": ["/docs/checkout.md"]})

    assert result == {"paths": ["/docs/checkout.md"], "truncated": False}


def test_a_line_that_is_found_has_its_text() -> None:
    rpc = RPCS["search"]
    assert rpc is not None
    match = {"path": "/docs/a.md", "line": 164, "lineText": "Store: Graz"}

    result = rpc.reply_from_wire({"matches": [match]})

    assert result == {
        "matches": [{"path": "/docs/a.md", "line": 164, "text": "Store: Graz"}],
        "truncated": False,
    }


def test_entries_of_a_folder_are_files_or_folders() -> None:
    rpc = RPCS["list"]
    assert rpc is not None
    entries = [
        {"name": "checkout.md", "kind": "NODE_KIND_FILE"},
        {"name": "payments", "kind": "NODE_KIND_DIR"},
    ]

    result = rpc.reply_from_wire({"entries": entries})

    assert result == {
        "entries": [
            {"name": "checkout.md", "path": "", "is_dir": False},
            {"name": "payments", "path": "", "is_dir": True},
        ]
    }


# Replies of the platform (BitGN) about programs and files become the results of a script's calls.
#
# The platform is a server that offers tasks to agents. A field that is 0, empty or false is left out
# of a reply, and its name is written in another way: `exitCode` for `exit_code`. So
# `{"stdout": "x\n"}` becomes `{"stdout": "x\n", "stderr": "", "exit_code": 0}`.


def test_a_program_that_succeeds_has_the_exit_code_0() -> None:
    rpc = RPCS["exec"]
    assert rpc is not None

    result = rpc.reply_from_wire({"stdout": "2025-06-22T09:13:19Z\n"})

    assert result == {
        "stdout": "2025-06-22T09:13:19Z\n",
        "stderr": "",
        "exit_code": 0,
    }


def test_a_program_that_fails_has_an_exit_code_and_errors() -> None:
    rpc = RPCS["exec"]
    assert rpc is not None

    result = rpc.reply_from_wire({"stderr": "SQL logic error\n", "exitCode": 1})

    assert result == {"stdout": "", "stderr": "SQL logic error\n", "exit_code": 1}


def test_a_file_has_its_kind_and_whether_it_may_be_written() -> None:
    rpc = RPCS["stat"]
    assert rpc is not None

    result = rpc.reply_from_wire(
        {
            "path": "/proc/baskets/basket_148.json",
            "kind": "NODE_KIND_FILE",
            "contentType": "application/json",
        }
    )

    assert result == {
        "path": "/proc/baskets/basket_148.json",
        "is_dir": False,
        "content_type": "application/json",
        "writable": False,
    }


# Replies of our server about files have the fields that those of the real platform (BitGN) have.
#
# The program that recorded the platform's replies dropped some fields, so these are named apart.
# `call_runtime("List", path="/docs")` makes a call to a trial of the embedded shop on our server.


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


# Replies of our server to programs have the field that those of the real platform (BitGN) have.
#
# `call_runtime("Exec", path="/bin/date")` makes a call to a trial of the embedded shop on our server,
# and returns the reply: `{"stdout": "2026-04-22T09:30:00Z\n"}`.


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


# Replies of our server to searches have the fields that those of the real platform (BitGN) have.
#
# `call_runtime("Find", root="/docs", name="checkout.md")` makes a call to a trial of the embedded shop
# on our server, and returns the reply: `{"paths": ["/docs/checkout.md"]}`.


def test_a_search_for_files_has_paths(call_runtime: CallRuntime) -> None:
    reply = call_runtime(
        "Find", root="/docs", name="checkout.md", kind="NODE_KIND_FILE", limit=20
    )

    assert reply.keys() == {"paths"}


def test_a_search_for_lines_has_matches(call_runtime: CallRuntime) -> None:
    """A match has the fields of the platform's matches, and perhaps others."""
    reply = call_runtime("Search", root="/docs", pattern="checkout", limit=20)

    assert reply.keys() == {"matches"}
    first_match, *_ = reply["matches"]
    assert first_match.keys() >= {"path", "line", "lineText"}


# Replies that were seen on the real platform (BitGN): our server's are the same word for word.
#
# `call_runtime("Find", root="/docs", name="checkout.md")` makes a call to a trial of the embedded shop
# on our server, and returns the reply: `{"paths": ["/docs/checkout.md"]}`.


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


# Trees of folders that our server sends, as the platform (BitGN) does.
#
# A tree is marked as `truncated` if folders are missing, and not if few levels were asked for.
# `call_runtime("Tree", root="/", level=1)` makes a call to a trial of the embedded shop on our
# server.


def test_a_whole_tree_is_not_marked_as_truncated(call_runtime: CallRuntime) -> None:
    assert "truncated" not in call_runtime("Tree", root="/")


def test_a_tree_of_one_level_is_not_marked_as_truncated(
    call_runtime: CallRuntime,
) -> None:
    assert "truncated" not in call_runtime("Tree", root="/", level=1)


def test_a_tree_of_one_folder_is_not_marked_as_truncated(
    call_runtime: CallRuntime,
) -> None:
    assert "truncated" not in call_runtime("Tree", root="/docs")


def test_a_tree_of_one_level_has_the_folders_without_their_content(
    call_runtime: CallRuntime,
) -> None:
    whole_tree = call_runtime("Tree", root="/")
    tree_of_one_level = call_runtime("Tree", root="/", level=1)

    nodes = tree_of_one_level["root"]["children"]
    expected_names = {node["name"] for node in whole_tree["root"]["children"]}
    assert {node["name"] for node in nodes} == expected_names
    assert {node["kind"] for node in nodes} == {"NODE_KIND_FILE", "NODE_KIND_DIR"}
    for node in nodes:
        assert "children" not in node
