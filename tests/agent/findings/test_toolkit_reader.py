import pytest

from agent.findings.toolkit_reader import ReadCall, Unanswered, Unread, WorkspaceReader
from toolkit import CannotRead

READ = ReadCall("read", {"path": "/a"})


def reader(outcome):
    return WorkspaceReader({READ.key: outcome})


def test_what_nobody_has_answered_ends_the_function():
    with pytest.raises(Unanswered):
        WorkspaceReader({}).read("/a")


def test_a_text_is_read():
    assert reader({"content": "text"}).read("/a") == "text"


@pytest.mark.parametrize(
    ("outcome", "error"),
    [
        (Unread("there is none", "not_found"), LookupError),
        (Unread("down", "unavailable"), CannotRead),
        ({"content": "te", "truncated": True}, CannotRead),
    ],
)
def test_what_failed_or_is_cut_off_is_told_apart(outcome, error):
    with pytest.raises(error):
        reader(outcome).read("/a")


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
