"""The workspace as a function reads it, and one finding at a time in an aide."""

import pytest

from agent.findings.finding_turns import Computation, ReadCall, Unanswered, Unread, WorkspaceReader
from toolkit import CannotRead

FUNCTION = "tests.support.library:books_by"
FIND = ["find", {"name": "*", "root": "/books", "kind": "files", "limit": 0}]


def test_a_function_asks_until_it_has_found():
    computation = Computation(FUNCTION, {"author": "Austen"}, {})
    kind, calls, seconds = computation.turn([])
    assert (kind, calls) == ("asks", [FIND])
    assert seconds >= 0
    kind, calls, _ = computation.turn([[*FIND, {"paths": ["/books/a", "/books/b"], "truncated": False}, None]])
    assert [each[0] for each in calls] == ["read", "read"], "what does not depend on each other is asked at once"
    read = [[*call, {"content": "by Austen", "truncated": False}, None] for call in calls]
    kind, found, _ = computation.turn(read)
    assert (kind, found["value"]) == ("found", ["/books/a", "/books/b"])


READ = ReadCall("read", {"path": "/a"})


def reader(outcome):
    return WorkspaceReader({READ.key: outcome})


def test_an_unanswered_call_ends_the_function():
    with pytest.raises(Unanswered):
        WorkspaceReader({}).read("/a")


@pytest.mark.parametrize(
    ("outcome", "error"),
    [
        (Unread("there is none", "not_found"), LookupError),
        (Unread("down", "unavailable"), CannotRead),
        ({"content": "te", "truncated": True}, CannotRead),
    ],
)
def test_failed_and_cut_off_reads_are_told_apart(outcome, error):
    with pytest.raises(error):
        reader(outcome).read("/a")


LARGE = Unread("the result of tree holds more than 1300 lists", "resource_exhausted")


def listings(within):
    return WorkspaceReader(
        {
            ReadCall("find", {"name": "*", "root": "/", "kind": "files", "limit": 0}).key: {
                "paths": [],
                "truncated": True,
            },
            ReadCall("tree", {"root": "/", "level": 0}).key: LARGE,
            ReadCall("list", {"path": "/"}).key: {
                "entries": [
                    {"name": "a.md", "path": "/a.md", "is_dir": False},
                    {"name": "proc", "path": "/proc", "is_dir": True},
                ]
            },
            ReadCall("tree", {"root": "/proc", "level": 0}).key: within,
            ReadCall("list", {"path": "/proc"}).key: LARGE,
        }
    )


def test_a_folder_too_large_for_a_list_is_told_with_the_way_by_hand():
    with pytest.raises(
        CannotRead, match=r"^/proc holds too many .* harness.find\('a\*', root='/proc', limit=0\) by hand$"
    ):
        listings(LARGE).paths()


@pytest.mark.parametrize("ask", ["paths", "find", "search", "run"])
def test_every_way_to_read_says_what_it_cannot(ask):
    calls = {
        "paths": ReadCall("find", {"name": "*", "root": "/", "kind": "files", "limit": 0}),
        "find": ReadCall("find", {"name": "x", "root": "/", "kind": "files", "limit": 0}),
        "search": ReadCall("search", {"pattern": "x", "root": "/", "limit": 0}),
        "run": ReadCall("exec", {"path": "x", "args": [], "stdin": ""}),
    }
    here = WorkspaceReader({calls[ask].key: Unread("down", "unavailable")})
    with pytest.raises(CannotRead, match="down"):
        getattr(here, ask)(*[] if ask == "paths" else ["x"])
