"""Which changes a later call has looked at."""

import pytest

from agent.evidence.change_log import ChangeLog
from gates.evidence import Change
from tests.gates.sample_trials import Calls


@pytest.mark.parametrize(
    ("change", "look", "is_read_back"),
    [
        ("write", lambda calls: calls.read("/desk/order.json"), True),
        ("write", lambda calls: calls.run("/bin/show", "/desk/order.json"), True),
        ("write", lambda calls: calls.read("/docs/Loans.md"), False),
        ("write", lambda calls: calls.list("/desk", "/desk/order.json"), False),
        ("delete", lambda calls: calls.list("/desk"), True),
        ("delete", lambda calls: calls.fail("read", "/desk/order.json", "not_found"), True),
        ("delete", lambda calls: calls.list("/docs"), False),
        ("execute", lambda calls: calls.read("/docs/Loans.md"), True),
        ("execute", lambda calls: calls.run("/bin/query"), True),
        ("execute", lambda calls: calls.list("/desk"), False),
    ],
)
def test_a_change_is_read_back_by_a_call_that_shows_its_outcome(change: str, look: object, is_read_back: bool) -> None:
    calls = Calls()
    calls.read("/desk/order.json")
    if change == "execute":
        calls.run("/bin/ship", "b-104")
    else:
        getattr(calls, change)("/desk/order.json")
    assert not calls.evidence.changes[0].is_read_back
    look(calls)
    assert calls.evidence.changes[0].is_read_back is is_read_back


def changed(*paths: str) -> ChangeLog:
    log = ChangeLog()
    for path in paths:
        log.add(Change(path, "write"))
    return log


def test_a_read_looks_at_every_spelling_and_an_opened_file_at_its_own_alone() -> None:
    read, opened = changed("/a/x", "/a/X", "/b"), changed("/a/x", "/a/X", "/b")
    read.note_read("/A/x")
    opened.note_opened(["/a/X"])
    assert [each.is_read_back for each in read.changes] == [True, True, False]
    assert [each.is_read_back for each in opened.changes] == [False, True, False]
    opened.note_read("/a/x")
    assert [each.is_read_back for each in opened.changes] == [True, True, False]


def test_a_change_after_the_look_is_not_read_back() -> None:
    log = changed("/a")
    log.note_read("/a")
    log.add(Change("/a", "write"))
    assert [each.is_read_back for each in log.changes] == [True, False]
