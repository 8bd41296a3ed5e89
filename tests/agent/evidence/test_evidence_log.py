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
    calls.write("/Drafts/Old/c.md", "x y")
    record(calls, "move", {"path": "/drafts/old", "to": "/moved"}, {})
    calls.evidence_log.record("move", {"path": "/Drafts/Old", "to": "/late"}, None, lost)
    for path in ("/moved/c.md", "/late/c.md"):
        record(calls, "read", {"path": path, "start_line": 2}, {"path": path, "content": "x"})
        assert "read" not in calls.evidence.touches[path].actions


def test_what_a_deleted_file_held_still_justifies() -> None:
    calls = Calls()
    calls.read(BOOK)
    calls.delete(BOOK)
    assert calls.evidence.touches[BOOK].holds_any({"b-104"})


def test_only_tools_that_change_and_succeed_are_changes() -> None:
    calls = Calls()
    calls.run("/bin/ship", "b-104", exit_code=1)
    calls.run("/bin/odd", "b-104")
    calls.run("/bin/query", "b-104")
    calls.run("/bin/ship", "b-105")
    assert [(change.path, change.detail) for change in calls.evidence.changes] == [("/bin/ship", "b-105")]
    assert [(execution.kind, execution.exit_code) for execution in calls.evidence.executions] == [
        ("changes", 1),
        ("unknown", 0),
        ("reads", 0),
        ("changes", 0),
    ]


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
