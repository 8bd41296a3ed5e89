import pytest

from agent.events import AgentEvent, CallFailure, CallRecord
from agent.evidence import Recorder, StepRecord
from sandbox.interface import CallError
from tests.support.phonebook import Desk


def recorder(events: list[AgentEvent] | None = None, *, only_recorded: bool = False) -> Recorder:
    heard = events if events is not None else []
    return Recorder("t", Desk(0.0), heard.append, only_recorded=only_recorded)


def lookup(name: str, number: str | None = None, failure: str = "") -> CallRecord:
    return CallRecord(
        operation="lookup",
        arguments={"name": name},
        result=None if number is None else {"number": number},
        error=CallFailure(code=failure, message="m") if failure else None,
    )


def test_a_call_is_written_down_before_it_is_made_and_again_with_its_result() -> None:
    events: list[AgentEvent] = []
    here = recorder(events)
    here.begin_step(1)
    assert here.call("lookup", {"name": "ada"}) == {"number": "17"}
    with pytest.raises(CallError, match="nobody"):
        here.call("lookup", {"name": "nobody"})
    assert [each.type for each in events] == ["call_sent", "call_done"] * 2
    assert [each.error.code if each.error else "" for each in here.calls] == ["", "not_found"]


def test_recorded_results_are_given_without_calling() -> None:
    here = recorder(only_recorded=True)
    here.begin_step(1, StepRecord(calls=(lookup("ada", "99"), lookup("x", failure="unavailable"))))
    assert here.call("lookup", {"name": "ada"}) == {"number": "99"}
    with pytest.raises(CallError) as caught:
        here.call("lookup", {"name": "x"})
    assert caught.value.code == "unavailable"
    assert here.trace.differences == []


@pytest.mark.parametrize("record", [[lookup("grace", "1")], []])
def test_another_call_than_the_recorded_one_is_a_divergence(record: list[CallRecord]) -> None:
    here = recorder(only_recorded=True)
    here.begin_step(1, StepRecord(calls=tuple(record)))
    with pytest.raises(CallError):
        here.call("lookup", {"name": "ada"})
    assert "ada" in str(here.trace.differences[0].now)


def test_behind_the_recorded_calls_real_ones_follow() -> None:
    here = recorder()
    here.begin_step(1, StepRecord(calls=(lookup("ada", "99"),)))
    assert here.call("lookup", {"name": "ada"})["number"] == "99"
    assert here.call("lookup", {"name": "ada"})["number"] == "17"


def test_a_call_that_only_reads_and_was_cut_off_is_made_again() -> None:
    here = recorder()
    here.begin_step(1, StepRecord(calls=(lookup("ada"),)))
    assert here.call("lookup", {"name": "ada"})["number"] == "17"
