"""What a cited string stands for in a trial's evidence."""

import pytest

from gates.evidence import CALL_FAILED, MAX_INDEXED_CHARS, Evidence, Execution, Touch, seen_text
from tests.gates.sample_trials import Calls


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    calls = Calls()
    calls.list("/docs", "/docs/Loans.md", folders=("/docs/old",))
    calls.read("/docs/Loans.md", "/notes/c#.md", "/a/x.md", "/b/X.md")
    return calls.evidence


@pytest.mark.parametrize(
    ("reference", "path", "fragment", "is_read"),
    [
        ("/docs/Loans.md", "/docs/Loans.md", "", True),
        ("/docs/Loans.md#row=7", "/docs/Loans.md", "#row=7", True),
        ("/docs//loans.md#row=7", "/docs/Loans.md", "#row=7", True),
        ("/notes/c#.md", "/notes/c#.md", "", True),
        ("/notes/c#.md#row=1", "/notes/c", "#.md#row=1", False),
        ("/nowhere/y.md#1", "/nowhere/y.md", "#1", False),
    ],
)
def test_a_reference_is_a_known_path_and_a_fragment(
    reference: str, path: str, fragment: str, is_read: bool, evidence: Evidence
) -> None:
    found = evidence.find(reference)
    assert (found.path, found.fragment, found.touch is not None) == (path, fragment, is_read)
    assert found.citation == path + fragment


def test_of_two_spellings_that_were_listed_each_stands_for_itself() -> None:
    calls = Calls()
    calls.list("/d", "/d/x.md", "/d/X.md")
    for path in ("/d/x.md", "/d/X.md"):
        found = calls.evidence.find(path)
        assert (found.path, found.is_known) == (path, True)
    calls.list("/e", "/e/y.md")
    assert calls.evidence.find("/e/Y.md").path == "/e/y.md"


def test_a_folder_is_known_and_no_touch(evidence: Evidence) -> None:
    found = evidence.find("/docs/old/")
    assert (found.is_directory, found.is_known, found.touch) == (True, True, None)


def test_without_a_trace_nothing_is_known() -> None:
    found = Evidence().find("/docs//Loans.md#row=7")
    assert (found.path, found.fragment, found.is_known) == ("/docs/Loans.md", "#row=7", False)
    assert Evidence().nearest_note("/docs/Loans.md") == ""


def test_the_nearest_note_names_what_was_read(evidence: Evidence) -> None:
    assert "`/docs/Loans.md`" in evidence.nearest_note("/docs/Loan.md")


def test_a_text_is_kept_to_a_bound_and_says_so() -> None:
    assert seen_text("a loan", 6).is_whole
    cut = seen_text("a loan runs", 6)
    assert (cut.text, cut.is_whole) == ("a loan", False)
    assert not seen_text("x" * (MAX_INDEXED_CHARS + 1)).is_whole


def test_a_touch_holds_the_words_of_any_text_seen_there() -> None:
    touch = Touch("/a", frozenset({"read"}), (seen_text("b-104 has copies"), seen_text("lent for 21 days")))
    assert touch.holds_any({"21", "nothing"})
    assert not touch.holds_any({"nothing"})


def test_what_the_script_wrote_itself_proves_nothing() -> None:
    own, read = seen_text("lent for 21 days", is_proof=False), seen_text("b-104 has copies")
    touch = Touch("/a", frozenset({"read", "write"}), (own, read))
    assert touch.proves("b-104")
    assert not touch.proves("21")
    assert not touch.holds("21")
    assert Touch("/a", frozenset({"execute"}), (own, read)).holds("21")


@pytest.mark.parametrize(("token", "is_held"), [("b-104", False), ("7", True), ("nothing", False)])
def test_what_a_call_said_itself_is_not_found(token: str, is_held: bool) -> None:
    assert seen_text("b-104: 7 copies", echoed="b-104").holds(token) is is_held
    assert seen_text("b-104: 7 copies").holds(token) is (token != "nothing")


@pytest.mark.parametrize(("exit_code", "has_failed"), [(0, False), (1, True), (CALL_FAILED, True)])
def test_a_run_gives_a_result_if_its_exit_code_is_zero(exit_code: int, *, has_failed: bool) -> None:
    assert Execution("/bin/query", (), "reads", exit_code).has_failed is has_failed
