"""What a trial's calls leave behind."""

import pytest

from sandbox.interface import CallError, Effect, Operation, Parameter, ToolSchema
from tests.gates.sample_trials import TOOL_SCHEMA, Calls


def record(calls: Calls, operation: str, arguments: dict, result: dict) -> tuple[str, ...]:
    return calls.evidence_log.record(operation, arguments, result, None)


def test_a_move_deletes_at_one_path_and_writes_the_scripts_own_at_the_other() -> None:
    move = Operation("move", (Parameter("path", "str"), Parameter("to", "str")), (), "m", Effect.MOVES, target="to")
    calls = Calls(ToolSchema((*TOOL_SCHEMA.operations, move)))
    calls.write("/drafts/own.md", "approved by the board")
    record(calls, "move", {"path": "/drafts", "to": "/docs"}, {})
    record(calls, "move", {"path": "/in/a.md", "to": "/out/a.md"}, {})
    for path in ("/docs/own.md", "/out/a.md"):
        record(calls, "read", {"path": path, "start_line": 2}, {"path": path, "content": "approved"})
    accesses = calls.evidence.accesses
    assert [accesses[path].actions for path in ("/in/a.md", "/out/a.md")] == [{"delete"}, {"write"}]
    assert not any(seen.is_proof for path in ("/docs/own.md", "/out/a.md") for seen in accesses[path].seen)
    assert [(change.path, change.action) for change in calls.evidence.changes][1:] == [
        ("/drafts", "delete"),
        ("/docs", "write"),
        ("/in/a.md", "delete"),
        ("/out/a.md", "write"),
    ]
    lost = CallError("deadline_exceeded", "late")
    calls.evidence_log.record("move", {"path": "/in/b.md", "to": "/out/b.md"}, None, lost)
    record(calls, "read", {"path": "/out/b.md"}, {"path": "/out/b.md", "content": "x y"})
    assert "read" not in calls.evidence.accesses["/out/b.md"].actions
    calls.write("/Drafts/Old/c.md", "x y")
    record(calls, "move", {"path": "/drafts/old", "to": "/moved"}, {})
    calls.evidence_log.record("move", {"path": "/Drafts/Old", "to": "/late"}, None, lost)
    for path in ("/moved/c.md", "/late/c.md"):
        record(calls, "read", {"path": path, "start_line": 2}, {"path": path, "content": "x"})
        assert "read" not in calls.evidence.accesses[path].actions


SAID = "Refunds over EUR 50 need two signatures."


@pytest.mark.parametrize("is_shown_before", [False, True])
def test_a_text_of_shown_words_that_a_script_wrote_is_its_own_at_every_path_unless_it_was_shown(
    is_shown_before: bool,
) -> None:
    calls = Calls()
    record(calls, "read", {"path": "/docs/a.md"}, {"path": "/docs/a.md", "content": "two signatures need over 50 EUR"})
    record(calls, "read", {"path": "/docs/b.md"}, {"path": "/docs/b.md", "content": "Refunds"})
    if is_shown_before:
        record(calls, "read", {"path": "/docs/c.md"}, {"path": "/docs/c.md", "content": SAID})
    calls.write("/tmp/own.md", SAID)
    record(calls, "read", {"path": "/docs/copy.md"}, {"path": "/docs/copy.md", "content": SAID})
    access = calls.evidence.accesses["/docs/copy.md"]
    assert ("read" in access.actions, any(seen.is_proof for seen in access.seen)) == (is_shown_before, is_shown_before)


def test_a_result_without_a_text_shows_every_value_in_it() -> None:
    calls = Calls()
    rows = [{"name": "bookkeeping", "pages": 7, "parts": ["one", {"is_whole": True}]}, {"title": "Rows"}]
    record(calls, "read", {"path": "/docs/a.md"}, {"path": "/docs/a.md", "rows": rows})
    assert calls.evidence.accesses["/docs/a.md"].seen[0].text == "7\none\nTrue\nRows"
