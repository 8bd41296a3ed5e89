from dataclasses import replace

import pytest

from agent.events import AgentEvent, CallRecord
from agent.events.trial_events import CallDone, CallFailure
from agent.evidence import Recorder, StepRecord
from agent.loop import LeftOpen
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


class BrokenDesk(Desk):
    """Breaks in every call that has a name that it does not know, in ways that no environment declares."""

    def call(self, operation: str, arguments: object) -> object:
        given = dict(arguments)
        arguments["name"] = "changed"
        outcome = OUTCOMES[given["name"]]
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome


class BusyDesk(BrokenDesk):
    """Has calls under way."""

    def begin(self, operation: str, arguments: object) -> object:
        return lambda: self.call(operation, arguments)


OUTCOMES = {
    "raises": ZeroDivisionError("division by zero"),
    "odd code": CallError(404, None),
    "nothing": None,
    "no number": {"number": float("nan")},
    "left": LeftOpen(),
    "stopped": KeyboardInterrupt(),
    "fine": {"number": "17"},
}


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("raises", "internal", "lookup broke: ZeroDivisionError: division by zero"),
        ("odd code", "404", "None"),
        ("nothing", "internal", "lookup broke: it returned NoneType, not a mapping of result fields"),
        ("no number", "internal", "lookup broke: its result cannot be written as JSON: "),
    ],
)
@pytest.mark.parametrize("side_by_side", [False, True])
def test_an_environment_that_breaks_fails_the_call_which_is_written_down(
    name: str, code: str, message: str, side_by_side: bool
) -> None:
    events: list[AgentEvent] = []
    desk = (BusyDesk if side_by_side else BrokenDesk)(0.0)
    desk.tool_schema = replace(desk.tool_schema, reads_side_by_side=side_by_side)
    here = Recorder("t", desk, events.append)
    here.begin_step(1)
    with pytest.raises(CallError) as caught:
        here.receive(here.send("lookup", {"name": name}, begins=side_by_side))
    assert (caught.value.code, caught.value.message[: len(message)]) == (code, message)
    (event,) = events
    assert isinstance(event, CallDone)
    assert event.arguments == {"name": name}
    assert here.calls[0].error == CallFailure(code=code, message=caught.value.message)
    assert here.call("lookup", {"name": "fine"}) == {"number": "17"}
