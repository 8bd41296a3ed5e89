"""Runs of tools, and what the solver is told of those that failed."""

import pytest

from agent.evidence.evidence_log import EvidenceLog
from agent.evidence.execution_log import ExecutionLog
from gates.evidence import CALL_FAILED, Execution
from sandbox.interface import CallError, Surface
from tests.gates.sample_trials import SURFACE, Calls


def citable(calls: Calls, path: str) -> bool:
    try:
        calls.evidence_log.cite(path, "long enough")
    except ValueError:
        return False
    return True


def record(calls: Calls, operation: str, arguments: dict, result: dict) -> tuple[str, ...]:
    return calls.evidence_log.record(operation, arguments, result, None)


def test_a_call_for_help_leaves_nothing() -> None:
    calls = Calls()
    calls.run("/bin/ship", "--help", stdout="usage")
    assert not citable(calls, "/bin/ship")
    assert calls.evidence.executions == ()


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


def test_arguments_are_kept_up_to_a_bound_and_runs_beyond_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent.evidence.execution_log.MAX_ARGUMENT_CHARS", 30)
    log = ExecutionLog()
    for _ in range(3):
        log.add(Execution("/bin/query", ("12345",), "reads", 0))
    assert [each.arguments for each in log.executions] == [("12345",), (), ()]


def test_many_short_arguments_are_as_much_as_a_long_one() -> None:
    log = ExecutionLog()
    for _ in range(3):
        log.add(Execution("/bin/query", ("",) * 10_000, "reads", 0))
    assert [len(each.arguments) for each in log.executions] == [10_000, 0, 0]
