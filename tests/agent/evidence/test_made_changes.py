import pytest

from agent.evidence.evidence_log import MAX_NOTES, ChangeLog, EvidenceLog, ExecutionLog, GoverningDocuments
from gates.evidence import CALL_FAILED, Change, Execution
from sandbox.interface import FILE_OPERATIONS, CallError, Executable, ExecutableKind, Surface
from tests.agent.evidence.noted_calls import NotedCalls
from tests.agent.evidence.test_evidence_log import record
from tests.gates.sample_trials import SURFACE, Calls

RULES = "/HANDBOOK.md"
SHOWN = ("/docs/lending.md", "/docs/exports-and-lists.md", "/docs/fees.json", "/docs/lends.txt", "/lists/a.csv")


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


@pytest.mark.parametrize("said", ["", "no such column: qty"])
def test_a_tool_that_failed_is_told_with_its_exit_code_and_what_it_said(said: str) -> None:
    result = {"stdout": "", "stderr": said, "exit_code": 4}
    (told,) = record(Calls(), "exec", {"path": "/bin/query", "args": [], "stdin": "select qty"}, result)
    assert told == f"`/bin/query` ended with exit code 4{f': `{said}`' if said else ' and said nothing.'}"


def test_an_environment_that_declares_no_exit_code_is_told_of_none() -> None:
    run = next(operation for operation in SURFACE.operations if operation.name == "exec")._replace(exit_field="")
    log = EvidenceLog(Surface((run,)))
    assert log.record("exec", {"path": "/bin/query"}, {"stdout": "", "stderr": "no", "exit_code": 1}, None) == ()


def test_the_evidence_of_a_look_up_that_failed_is_no_empty_result() -> None:
    calls = Calls()
    calls.run("/bin/query", "b-104")
    calls.run("/bin/query", "b-105", stdout="syntax error", exit_code=1)
    calls.fail("exec", "/bin/query", "invalid_argument")
    calls.evidence_log.record("exec", {"path": "/bin/query", "args": ["--help"]}, None, CallError("unavailable", "no"))
    found = [(execution.has_failed, execution.exit_code, execution.error) for execution in calls.evidence.executions]
    assert found == [
        (False, 0, ""),
        (True, 1, "syntax error"),
        (True, CALL_FAILED, "invalid_argument: the desk is closed"),
    ]
    assert not calls.evidence.changes


def test_arguments_are_kept_up_to_a_bound_and_runs_beyond_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent.evidence.evidence_log.MAX_ARGUMENT_CHARS", 30)
    log = ExecutionLog()
    for _ in range(3):
        log.add(Execution("/bin/query", ("12345",), "reads", 0))
    assert [execution.arguments for execution in log.executions] == [("12345",), (), ()]


def note(path: str, *read: str, is_tool: bool = False, rules: str = "", shown: tuple[str, ...] = SHOWN) -> str:
    documents = GoverningDocuments(rules)
    return documents.note(path, {each: [each] for each in shown}, lambda each: each not in read, is_tool=is_tool)


@pytest.mark.parametrize(
    ("path", "is_tool", "named"),
    [
        ("/bin/lend", True, ["/docs/lends.txt"]),
        ("/bin/lending", True, ["/docs/lending.md"]),
        ("/bin/fees", True, []),
        ("/bin/docs", True, []),
        ("/exports/2031/a.csv", False, ["/docs/exports-and-lists.md"]),
        ("/lists/b.csv", False, ["/docs/exports-and-lists.md"]),
        ("/lending.csv", False, []),
        ("/a.csv", False, []),
    ],
)
def test_a_document_governs_the_tool_or_folder_that_its_name_holds(path: str, is_tool: bool, named: list[str]) -> None:
    found = note(path, is_tool=is_tool)
    assert [each for each in SHOWN if f"`{each}`" in found.partition(" before ")[2]] == named


def test_a_document_that_is_listed_later_is_found() -> None:
    documents = GoverningDocuments("")
    shown: dict[str, list[str]] = {"/a": ["/a"]}
    assert documents.note("/bin/lend", shown, lambda path: True, is_tool=True) == ""
    shown["/docs/lend.md"] = ["/docs/lend.md"]
    assert "/docs/lend.md" in documents.note("/bin/lend", shown, lambda path: True, is_tool=True)
    assert documents.note("/bin/lend", shown, lambda path: True, is_tool=True) == ""


def test_a_trial_gets_few_notes() -> None:
    documents = GoverningDocuments("")
    shown = {f"/docs/{name}.md": [f"/docs/{name}.md"] for name in (chr(97 + n) * 4 for n in range(26))}
    notes = [documents.note(f"/bin/{chr(97 + n) * 4}", shown, lambda path: True, is_tool=True) for n in range(26)]
    assert len(list(filter(None, notes))) == MAX_NOTES


GOVERNED = Surface(
    FILE_OPERATIONS,
    (Executable("/bin/lend", ExecutableKind.CHANGES), Executable("/bin/look", ExecutableKind.READS)),
    rules_document=RULES,
)


def test_changes_of_a_trial_are_told_once_for_each_document_that_was_not_read_before() -> None:
    calls = NotedCalls(GOVERNED)
    calls.list("/", RULES, "/docs/lend.md", "/docs/look.md", "/docs/shelves.md")
    assert calls.run("/bin/look") == ()
    assert calls.run("/bin/lend", exit_code=3) == ("`/bin/lend` ended with exit code 3 and said nothing.",)
    (told,) = calls.run("/bin/lend")
    assert told.startswith(f"`/bin/lend` ran before `{RULES}` and `/docs/lend.md` were read")
    assert calls.run("/bin/lend") == ()
    (told,) = calls.write("/shelves/new.json")
    assert "`/shelves/new.json` was changed before `/docs/shelves.md` was read" in told
    assert calls.delete("/shelves/new.json") == ()


def test_changes_after_reading_are_told_nothing() -> None:
    calls = NotedCalls(GOVERNED)
    calls.list("/", RULES, "/docs/lend.md", "/docs/shelves.md")
    calls.read(RULES.lower(), "/docs/lend.md", "/docs/shelves.md")
    assert calls.run("/bin/lend") + calls.write("/shelves/new.json") + calls.delete("/shelves/new.json") == ()


def test_rules_that_do_not_exist_are_not_asked_for() -> None:
    calls = NotedCalls(GOVERNED)
    calls.fail("read", RULES, "not_found")
    assert calls.run("/bin/lend") == ()
