import pytest

from gates.evidence import CALL_FAILED
from sandbox.interface import CallError
from tests.agent.evidence.test_evidence_log import record
from tests.gates.sample_trials import Calls


@pytest.mark.parametrize("said", ["", "no such column: qty"])
def test_a_tool_that_failed_is_told_with_its_exit_code_and_what_it_said(said: str) -> None:
    result = {"stdout": "", "stderr": said, "exit_code": 4}
    (told,) = record(Calls(), "exec", {"path": "/bin/query", "args": [], "stdin": "select qty"}, result)
    assert told == f"`/bin/query` ended with exit code 4{f': `{said}`' if said else ' and said nothing.'}"


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
