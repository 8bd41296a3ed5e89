from dataclasses import replace

import pytest

from agent.events import AgentEvent, CallFailure, CallRecord
from agent.evidence import Recorder, StepRecord
from sandbox.interface import CallError, Effect
from tests.support.phonebook import LOOKUP, Desk


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


@pytest.mark.parametrize(
    ("effect", "lines"), [(Effect.NONE, ["call_done"] * 2), (Effect.ACTS, ["call_sent", "call_done"] * 2)]
)
def test_a_call_that_may_change_something_is_written_ahead_and_one_that_reads_has_one_line(
    effect: Effect, lines: list[str]
) -> None:
    events: list[AgentEvent] = []
    here = recorder(events)
    here.tool_schema = replace(here.tool_schema, operations=(LOOKUP._replace(effect=effect),))
    here.begin_step(1)
    assert here.call("lookup", {"name": "ada"}) == {"number": "17"}
    with pytest.raises(CallError, match="nobody"):
        here.call("lookup", {"name": "nobody"})
    assert [event.type for event in events] == lines
    assert [call.error.code if call.error else "" for call in here.calls] == ["", "not_found"]
    read = StepRecord()
    for event in events:
        read.add_event(event)
    assert [(call.operation, call.arguments) for call in read.calls] == [
        ("lookup", {"name": "ada"}),
        ("lookup", {"name": "nobody"}),
    ]
