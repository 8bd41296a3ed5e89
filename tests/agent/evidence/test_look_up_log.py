import pytest

from agent.evidence.look_up_log import MAX_LOOK_UPS
from gates.types import LookUp
from sandbox.interface import CallError
from tests.gates.sample_trials import Calls


def looked_up(calls: Calls) -> tuple[LookUp, ...]:
    return calls.evidence.look_ups


def test_listings_and_tools_that_read_are_look_ups_and_reads_that_gave_a_file_are_none() -> None:
    calls = Calls()
    calls.list("/shelves", "/shelves/a.json", "/shelves/b.json")
    calls.run("/bin/query", "select id from loans", stdout="id\n7\n")
    calls.read("/docs/Loans.md")
    calls.run("/bin/ship", "b-104")
    calls.run("/bin/query", "--help", stdout="usage")
    assert looked_up(calls) == (
        LookUp("list", "/shelves", "", 2),
        LookUp("exec", "/bin/query", "select id from loans", 2),
    )


def test_a_search_tells_what_it_asked_for_and_whether_it_was_cut() -> None:
    calls = Calls()
    found = {"matches": [{"path": "/a.md", "line": 1, "text": "x"}], "truncated": True}
    calls.evidence_log.record("search", {"pattern": "fee", "root": "/docs", "limit": 1}, found, None)
    assert looked_up(calls) == (LookUp("search", "/docs", "fee", 1, is_whole=False),)


def test_a_search_of_which_turn_one_shows_less_was_a_whole_one() -> None:
    calls = Calls()
    found = {"matches": [{"path": "/a.md", "line": 1, "text": "x"}], "truncated": False}
    calls.evidence_log.record("search", {"pattern": "fee", "root": "/docs"}, found, None, shown_chars=0)
    assert [each.is_whole for each in looked_up(calls)] == [True]


@pytest.mark.parametrize(("code", "failed"), [("not_found", False), ("unavailable", True), ("invalid_argument", True)])
def test_that_nothing_is_there_is_no_failure(code: str, failed: bool) -> None:
    calls = Calls()
    calls.fail("read", "/shelves/b-9.json", code)
    assert looked_up(calls) == (LookUp("read", "/shelves/b-9.json", "", 0, is_whole=not failed, has_failed=failed),)


def test_a_query_that_failed_has_failed_whether_it_ran_or_not() -> None:
    calls = Calls()
    calls.run("/bin/query", "select x from loans", exit_code=1)
    error = CallError("not_found", "no such tool")
    calls.evidence_log.record("exec", {"path": "/bin/query", "args": ["select 1"]}, None, error)
    assert [each.has_failed for each in looked_up(calls)] == [True, True]


def test_no_more_is_kept_than_the_bound() -> None:
    calls = Calls()
    for number in range(MAX_LOOK_UPS + 5):
        calls.list("/", f"/{number}")
    assert len(looked_up(calls)) == MAX_LOOK_UPS
    long = Calls()
    for _ in range(500):
        long.run("/bin/query", "x" * 5_000)
    assert sum(len(each.terms) for each in looked_up(long)) <= 200_000
    assert {len(each.terms) for each in looked_up(long)} == {600}
