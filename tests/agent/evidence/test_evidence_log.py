"""What a trial's calls leave behind."""

import time

import pytest

from agent.evidence.evidence_log import EvidenceLog
from gates.terms import TextIndex, index_of
from sandbox.interface import CallError, Effect, Operation, Parameter, ResultField, Surface
from tests.agent.evidence.noted_calls import NotedCalls
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
    assert calls.evidence.touches["/docs/a.md"].holds_any({"members"})
    assert not calls.evidence.touches["/docs/a.md"].holds_any({"fees"})


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


def test_a_move_deletes_at_one_path_and_writes_the_scripts_own_at_the_other() -> None:
    move = Operation("move", (Parameter("path", "str"), Parameter("to", "str")), (), "m", Effect.MOVES, target="to")
    calls = NotedCalls(Surface((*SURFACE.operations, move)))
    calls.write("/drafts/own.md", "approved by the board")
    record(calls, "move", {"path": "/drafts", "to": "/docs"}, {})
    record(calls, "move", {"path": "/in/a.md", "to": "/out/a.md"}, {})
    for path in ("/docs/own.md", "/out/a.md"):
        record(calls, "read", {"path": path, "start_line": 2}, {"path": path, "content": "approved"})
    touches = calls.evidence.touches
    assert [touches[path].actions for path in ("/in/a.md", "/out/a.md")] == [{"delete"}, {"write"}]
    assert not any(seen.is_proof for path in ("/docs/own.md", "/out/a.md") for seen in touches[path].seen)
    assert [(change.path, change.action) for change in calls.evidence.changes][1:] == [
        ("/drafts", "delete"),
        ("/docs", "write"),
        ("/in/a.md", "delete"),
        ("/out/a.md", "write"),
    ]
    lost = CallError("deadline_exceeded", "late")
    calls.evidence_log.record("move", {"path": "/in/b.md", "to": "/out/b.md"}, None, lost)
    record(calls, "read", {"path": "/out/b.md"}, {"path": "/out/b.md", "content": "x y"})
    assert "read" not in calls.evidence.touches["/out/b.md"].actions


def test_what_a_deleted_file_held_still_justifies() -> None:
    calls = Calls()
    calls.read(BOOK)
    calls.delete(BOOK)
    assert calls.evidence.touches[BOOK].holds_any({"b-104"})


def test_a_reading_tool_makes_the_files_it_was_given_citable_by_its_output() -> None:
    calls = Calls()
    calls.run("/bin/show", BOOK, "-n", stdout="Die Küste")
    assert citable(calls, "/bin/show")
    assert citable(calls, BOOK)
    assert calls.evidence.touches[BOOK].holds_any({"kuste"})


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
    assert evidence_log.view().touches["/faq"].holds_any({"nine"})
    evidence_log.record("ask", {"page": "/down"}, None, CallError("internal", "boom"))
    assert len(evidence_log.view().failures) == 1


def test_only_texts_at_cited_paths_are_indexed_and_only_when_a_submission_is_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    indexed: list[str] = []

    class NotedIndex(TextIndex):
        def __init__(self, text: str) -> None:
            super().__init__(text)
            indexed.append(text)

    monkeypatch.setattr("gates.terms.TextIndex", NotedIndex)
    index_of.cache_clear()
    calls = Calls()
    calls.read("/docs/Loans.md", BOOK)
    assert citable(calls, "/docs/Loans.md")
    assert indexed == []
    for _ in range(2):
        assert judged(pad(), calls).accepted
    assert {each for each in indexed if each and each in FILES.values()} == {FILES["/docs/Loans.md"]}


def test_calls_and_citations_stay_quick_over_a_long_trial() -> None:
    calls = Calls()
    started = time.process_time()
    for number in range(2_900):
        path = f"/new/{number}.md"
        record(calls, "write", {"path": path, "content": "c"}, {"path": path})
        assert citable(calls, path)
    assert time.process_time() - started < 5
