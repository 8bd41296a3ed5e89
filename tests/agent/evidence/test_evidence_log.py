"""What a trial's calls leave behind."""

import random
import time

import pytest

from agent.evidence.evidence_log import EvidenceLog
from gates.types import CALL_FAILED
from gates.types.terms import index_terms
from sandbox.interface import CallError, Effect, Operation, Parameter, ResultField, Surface
from tests.gates.sample_trials import FILES, SURFACE, Calls, judged, pad

BOOK = "/shelves/north side/b-104.json"


def citable(calls: Calls, path: str) -> bool:
    try:
        calls.evidence_log.cite(path, "long enough")
    except ValueError:
        return False
    return True


def record(calls: Calls, operation: str, arguments: dict, result: dict) -> tuple[str, ...]:
    return calls.evidence_log.record(operation, arguments, result, None)


def test_a_read_makes_its_path_citable_and_nothing_else() -> None:
    calls = Calls()
    calls.read(BOOK)
    assert citable(calls, BOOK)
    assert not citable(calls, "/docs/Loans.md")


def test_a_failed_read_makes_nothing_citable() -> None:
    calls = Calls()
    for code in ("not_found", "unavailable", "permission_denied"):
        calls.fail("read", BOOK, code)
    assert not citable(calls, BOOK)
    assert [each.code for each in calls.evidence.failures] == ["unavailable"]


@pytest.mark.parametrize(
    ("operation", "arguments", "result"),
    [
        ("list", {"path": "/docs"}, {"entries": [{"name": "a.md", "path": "/docs/a.md", "is_dir": False}]}),
        ("tree", {"root": "/"}, {"name": "/", "is_dir": True, "children": [{"name": "a.md", "is_dir": False}]}),
        ("find", {"name": "a.md", "root": "/"}, {"paths": ["/docs/a.md"], "truncated": False}),
        ("stat", {"path": "/docs/a.md"}, {"path": "/docs/a.md", "is_dir": False, "writable": True}),
    ],
)
def test_seeing_a_name_makes_nothing_citable(operation: str, arguments: dict, result: dict) -> None:
    calls = Calls()
    record(calls, operation, arguments, result)
    assert not citable(calls, "/docs/a.md")
    assert not citable(calls, "/a.md")


def test_a_search_hit_makes_its_file_citable_by_the_line_that_was_seen() -> None:
    calls = Calls()
    hit = {"path": "/docs/a.md", "line": 3, "text": "loans of members"}
    record(calls, "search", {"pattern": "loan", "root": "/"}, {"matches": [hit], "truncated": False})
    assert citable(calls, "/docs/a.md")
    assert calls.evidence.touches["/docs/a.md"].contains_any({"members"})
    assert not calls.evidence.touches["/docs/a.md"].contains_any({"fees"})


def test_a_written_or_deleted_path_is_citable_and_is_a_change() -> None:
    calls = Calls()
    calls.write("/exports/a.txt")
    calls.delete("/tmp/b.txt")
    assert citable(calls, "/exports/a.txt")
    assert citable(calls, "/tmp/b.txt")
    assert [(each.path, each.action) for each in calls.evidence.changes] == [
        ("/exports/a.txt", "write"),
        ("/tmp/b.txt", "delete"),
    ]


def test_what_a_deleted_file_held_still_justifies() -> None:
    calls = Calls()
    calls.read(BOOK)
    calls.delete(BOOK)
    assert calls.evidence.touches[BOOK].contains_any({"b-104"})


def test_a_reading_tool_makes_the_files_it_was_given_citable_by_its_output() -> None:
    calls = Calls()
    calls.run("/bin/show", BOOK, "-n", stdout="Die Küste")
    assert citable(calls, "/bin/show")
    assert citable(calls, BOOK)
    assert calls.evidence.touches[BOOK].contains_any({"kuste"})


def test_a_tool_that_failed_or_that_changes_makes_its_arguments_not_citable() -> None:
    calls = Calls()
    calls.run("/bin/show", BOOK, exit_code=1)
    calls.run("/bin/ship", BOOK)
    calls.run("/bin/odd", BOOK)
    assert not citable(calls, BOOK)
    assert citable(calls, "/bin/ship")


def test_an_argument_that_is_known_to_be_no_file_is_not_citable() -> None:
    calls = Calls()
    calls.list("/docs", "/docs/Loans.md")
    calls.fail("read", "/logs/gone.tsv", "not_found")
    calls.run("/bin/show", "/docs/Never.md", "/logs/gone.tsv", "/docs", "/docs/Loans.md", stdout="x")
    assert [citable(calls, path) for path in ("/docs/Never.md", "/logs/gone.tsv", "/docs")] == [False] * 3
    assert citable(calls, "/docs/Loans.md")


def test_a_call_for_help_leaves_nothing() -> None:
    calls = Calls()
    calls.run("/bin/ship", "--help", stdout="usage")
    assert not citable(calls, "/bin/ship")
    assert calls.evidence.executions == ()


def test_only_tools_that_change_and_succeed_are_changes() -> None:
    calls = Calls()
    calls.run("/bin/ship", "b-104", exit_code=1)
    calls.run("/bin/odd", "b-104")
    calls.run("/bin/query", "b-104")
    calls.run("/bin/ship", "b-105")
    assert [(each.path, each.detail) for each in calls.evidence.changes] == [("/bin/ship", "b-105")]
    assert [(each.kind, each.exit_code) for each in calls.evidence.executions] == [
        ("changes", 1),
        ("unknown", 0),
        ("reads", 0),
        ("changes", 0),
    ]


@pytest.mark.parametrize("listing_first", [True, False])
def test_a_path_in_another_case_counts_for_the_listed_spelling(listing_first: bool) -> None:
    calls = Calls()
    if listing_first:
        calls.list("/docs", "/docs/Loans.md")
    notes = calls.read("/DOCS/loans.md")
    if not listing_first:
        calls.list("/docs", "/docs/Loans.md")
    assert calls.evidence_log.cite("/DOCS/loans.md#2", "long enough") == "/docs/Loans.md#2"
    assert calls.evidence_log.cite("/docs/Loans.md", "long enough") == "/docs/Loans.md"
    assert bool(notes) is listing_first


def test_an_alias_that_its_result_tells_counts_for_the_real_path() -> None:
    calls = Calls()
    notes = calls.read("/shelves/b-104.json", resolved=BOOK)
    assert notes == (f"`/shelves/b-104.json` is `{BOOK}`: cite it by that path.",)
    assert calls.evidence_log.cite("/shelves/b-104.json#x", "long enough") == f"{BOOK}#x"
    assert calls.evidence.touches[BOOK].contains_any({"b-104"})


@pytest.mark.parametrize("listing_first", [True, False])
def test_a_path_that_its_folder_does_not_list_counts_for_its_listed_namesake(listing_first: bool) -> None:
    calls = Calls()

    def look_around() -> tuple[str, ...]:
        calls.list("/shelves", folders=("/shelves/north side",))
        return calls.list("/shelves/north side", BOOK)

    notes = look_around() if listing_first else calls.read("/shelves/b-104.json")
    notes += calls.read("/shelves/b-104.json") if listing_first else look_around()
    assert notes == (f"`/shelves/b-104.json` is `{BOOK}`: cite it by that path.",)
    assert calls.evidence_log.cite("/shelves/b-104.json", "long enough") == BOOK
    calls.run("/bin/ship", "b-104")
    assert calls.evidence_log.cite("/shelves/b-104.json", "long enough") == BOOK


def test_two_listed_files_of_one_name_are_two_files() -> None:
    calls = Calls()
    calls.list("/a", "/a/x.json")
    calls.list("/b", "/b/x.json")
    calls.read("/a/x.json")
    assert citable(calls, "/a/x.json")
    assert not citable(calls, "/b/x.json")


def test_names_that_differ_only_by_case_stay_apart_where_both_are_listed() -> None:
    calls = Calls()
    calls.list("/a", "/a/x.json", "/a/X.json")
    calls.read("/a/X.json")
    assert calls.evidence_log.cite("/a/X.json", "long enough") == "/a/X.json"
    assert not citable(calls, "/a/x.json")


def test_cite_refuses_with_the_nearest_path_that_was_read() -> None:
    calls = Calls()
    calls.read("/docs/Loans.md", BOOK)
    with pytest.raises(ValueError, match=r"`/docs/loan\.md` was not read .*`/docs/Loans\.md`"):
        calls.evidence_log.cite("/docs/loan.md", "long enough")
    with pytest.raises(ValueError, match="under 8 characters"):
        calls.evidence_log.cite("/docs/Loans.md", "rules")
    calls.list("/docs", "/docs/Loans.md")
    with pytest.raises(ValueError, match="is a folder"):
        calls.evidence_log.cite("/docs/", "long enough")


@pytest.mark.parametrize(("shown", "is_citable"), [(None, True), (5, True), (0, False)])
def test_what_turn_one_cut_away_whole_is_not_citable(shown: int | None, is_citable: bool) -> None:
    calls = Calls()
    calls.read(BOOK, shown_chars=shown)
    assert citable(calls, BOOK) is is_citable


def test_an_empty_file_that_was_read_is_citable() -> None:
    calls = Calls()
    calls.read("/empty.txt", shown_chars=0)
    assert citable(calls, "/empty.txt")


def test_a_view_does_not_change_afterwards() -> None:
    calls = Calls()
    calls.read(BOOK)
    before = calls.evidence
    calls.read("/docs/Loans.md", BOOK)
    calls.write(BOOK)
    assert set(before.touches) == {BOOK}
    assert before.touches[BOOK].actions == {"read"}
    assert before.changes == ()


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


def test_the_same_calls_give_the_same_evidence() -> None:
    def trial() -> Calls:
        calls = Calls()
        calls.list("/", folders=("/docs", "/shelves"))
        calls.read("/docs/loans.md", "/shelves/b-104.json", BOOK)
        calls.list("/docs", "/docs/Loans.md")
        calls.run("/bin/show", BOOK, stdout="Die Küste")
        calls.run("/bin/ship", "b-104")
        calls.fail("read", "/x")
        return calls

    assert trial().evidence == trial().evidence


def test_operations_that_the_environment_does_not_declare_leave_nothing() -> None:
    evidence_log = EvidenceLog(SURFACE)
    assert evidence_log.record("teleport", {"path": "/x"}, {"path": "/x"}, None) == ()
    assert not evidence_log.view().touches


def test_an_environment_without_files_is_followed_by_its_declared_effects() -> None:
    ask = Operation(
        "ask", (Parameter("page", "str"),), (ResultField("reply"),), "ask a page", Effect.READS, subject="page"
    )
    evidence_log = EvidenceLog(Surface((ask,)))
    evidence_log.record("ask", {"page": "/faq"}, {"reply": "we open at nine"}, None)
    assert evidence_log.view().touches["/faq"].contains_any({"nine"})
    evidence_log.record("ask", {"page": "/down"}, None, CallError("internal", "boom"))
    assert len(evidence_log.view().failures) == 1


def test_only_texts_at_cited_paths_are_indexed_and_only_when_a_submission_is_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    indexed: list[str] = []

    def index(text: str) -> frozenset[str]:
        indexed.append(text)
        return index_terms(text)

    monkeypatch.setattr("gates.types.terms.index_terms", index)
    calls = Calls()
    calls.read("/docs/Loans.md", BOOK)
    assert citable(calls, "/docs/Loans.md")
    assert indexed == []
    for _ in range(2):
        assert judged(pad(), calls).accepted
    assert [each for each in indexed if each in FILES.values()] == [FILES["/docs/Loans.md"]]


def test_a_text_that_was_seen_twice_is_kept_once() -> None:
    calls = Calls()
    calls.read(BOOK, BOOK)
    record(calls, "read", {"path": "/copy"}, {"path": "/copy", "content": FILES[BOOK]})
    (seen,) = calls.evidence.touches[BOOK].seen
    assert calls.evidence.touches["/copy"].seen == (seen,)
    assert calls.evidence_log.texts.count(seen) == 1


def test_the_texts_of_a_trial_are_kept_up_to_a_bound_and_what_was_cut_proves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("agent.evidence.evidence_log.MAX_KEPT_BYTES", 530)
    calls = Calls()
    for path in ("/first", "/second", "/third", "/first"):
        record(calls, "read", {"path": path}, {"path": path, "content": f"twenty characters {path[1:3]}"})
    seen = {path: touch.seen for path, touch in calls.evidence.touches.items()}
    assert {path: [(each.text, each.is_whole) for each in texts] for path, texts in seen.items()} == {
        "/first": [("twenty characters fi", True)],
        "/second": [("twenty cha", False)],
        "/third": [("", False)],
    }
    refs = {"/third": "holds the word lighthouse"}
    assert judged(pad(refs_why=refs), calls).accepted
    assert not judged(pad(refs_why={"/first": refs["/third"]}), calls).accepted


NAMES = ["/a/x", "/a/X", "/A/x", "/x", "/b/x", "/b/y#1", "/b/y", "/a", "/c/é", "/c/e\u0301"]


@pytest.mark.parametrize("seed", range(40))
def test_a_citation_finds_what_the_gates_find_whatever_was_listed_read_and_renamed(seed: int) -> None:
    calls, chance = Calls(), random.Random(seed)
    for _ in range(60):
        path, other = chance.choice(NAMES), chance.choice(NAMES)
        entry = {"name": "n", "path": other, "is_dir": chance.random() < 0.2}
        match chance.randrange(5):
            case 0:
                record(calls, "list", {"path": path}, {"entries": [entry], "truncated": chance.random() < 0.5})
            case 1:
                record(calls, "read", {"path": path}, {"path": path, "content": "ten words", "truncated": False})
            case 2:
                record(calls, "read", {"path": path}, {"path": other, "content": "ten words", "truncated": False})
            case 3:
                record(calls, "write", {"path": path, "content": "c"}, {"path": path})
            case 4:
                record(calls, "delete", {"path": path}, {"path": path})
        for each in NAMES:
            found = calls.evidence.find(each)
            expected = found.citation if found.touch and not found.is_directory else None
            try:
                assert calls.evidence_log.cite(each, "long enough") == expected
            except ValueError:
                assert expected is None


def test_calls_and_citations_stay_quick_over_a_long_trial() -> None:
    calls = Calls()
    started = time.process_time()
    for number in range(2_900):
        path = f"/new/{number}.md"
        record(calls, "write", {"path": path, "content": "c"}, {"path": path})
        assert citable(calls, path)
    assert time.process_time() - started < 5


@pytest.mark.parametrize("said", ["", "no such column: qty"])
def test_a_tool_that_failed_is_told_with_its_exit_code_and_what_it_said(said: str) -> None:
    result = {"stdout": "", "stderr": said, "exit_code": 4}
    (told,) = record(Calls(), "exec", {"path": "/bin/query", "args": [], "stdin": "select qty"}, result)
    assert told == f"`/bin/query` ended with exit code 4{f': `{said}`' if said else ' and said nothing.'}"


def test_what_a_failed_tool_said_is_told_up_to_a_bound() -> None:
    result = {"stdout": "x" * 9_000, "stderr": "", "exit_code": -9}
    calls = Calls()
    (told,) = record(calls, "exec", {"path": "/bin/query", "args": []}, result)
    assert len(told) < 400
    assert len(calls.evidence.executions[0].error) == 300


def test_an_environment_that_declares_no_exit_code_is_told_of_none() -> None:
    run = next(each for each in SURFACE.operations if each.name == "exec")._replace(exit_field="")
    log = EvidenceLog(Surface((run,)))
    assert log.record("exec", {"path": "/bin/query"}, {"stdout": "", "stderr": "no", "exit_code": 1}, None) == ()


def test_the_evidence_of_a_look_up_that_failed_is_no_empty_result() -> None:
    calls = Calls()
    calls.run("/bin/query", "b-104")
    calls.run("/bin/query", "b-105", stdout="syntax error", exit_code=1)
    calls.fail("exec", "/bin/query", "invalid_argument")
    calls.evidence_log.record("exec", {"path": "/bin/query", "args": ["--help"]}, None, CallError("unavailable", "no"))
    found = [(each.has_failed, each.exit_code, each.error) for each in calls.evidence.executions]
    assert found == [
        (False, 0, ""),
        (True, 1, "syntax error"),
        (True, CALL_FAILED, "invalid_argument: the desk is closed"),
    ]
    assert not calls.evidence.changes
