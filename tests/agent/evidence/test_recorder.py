from contextlib import suppress
from dataclasses import replace

import pytest

from agent.events import AgentEvent, CallRecord
from agent.events.trial_events import CallDone, CallFailure
from agent.evidence import Recorder, StepRecord
from agent.loop import LeftOpen
from sandbox.interface import FILE_OPERATIONS, CallError, Effect, Plain, ToolSchema
from tests.support.functions_here import with_functions
from tests.support.library import BOOKS_BY, Library
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


def test_calls_that_return_early_are_kept_until_the_earlier_ones_return_or_another_attempt_begins() -> None:
    def done(number: int) -> CallDone:
        return CallDone(trial_id="t", step=1, number=number, operation="lookup", arguments={"n": number}, result={})

    read = StepRecord()
    for number in (0, 2, 3):
        read.add_event(done(number))
    assert [call.arguments for call in read.calls] == [{"n": 0}]
    whole = StepRecord()
    for number in (0, 2, 3, 1):
        whole.add_event(done(number))
    assert [call.arguments for call in whole.calls] == [{"n": number} for number in range(4)]
    read.begin_attempt()
    read.add_event(done(1))
    assert [call.arguments for call in read.calls] == [{"n": 0}, {"n": 1}]


def test_arguments_beyond_what_a_step_may_hold_stand_in_their_events_alone() -> None:
    events: list[AgentEvent] = []
    here = recorder(events)
    here.begin_step(1)
    here.call("lookup", {"name": "ada"})
    with pytest.raises(CallError):
        here.call("lookup", {"name": "x" * 2_000_000})
    assert [call.arguments for call in here.calls] == [{"name": "ada"}, {}]
    here.begin_step(2)
    here.add_calls([lookup("ada", "17").model_copy(update={"arguments": {"name": ["x"] * 20_000}})])
    assert [call.arguments for call in here.calls] == [{}]
    assert [len(str(event.arguments)) for event in events if isinstance(event, CallDone)] == [15, 2_000_012]


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


def test_a_call_that_only_reads_and_was_cut_off_is_made_again() -> None:
    here = recorder()
    here.begin_step(1, StepRecord(calls=(lookup("ada"),)))
    assert here.call("lookup", {"name": "ada"})["number"] == "17"


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


@pytest.mark.parametrize(
    ("operation", "arguments", "reads"),
    [("list", {"path": "/"}, 0), ("exec", {"path": "/bin/lend"}, 1), ("delete", {"path": "/x"}, 1)],
)
def test_the_pre_call_check_reads_what_the_initial_prompt_read_again_after_a_call_that_may_change_it(
    operation: str, arguments: dict[str, Plain], reads: int
) -> None:
    pre_call_check = BOOKS_BY._replace(name="pre_call_check", parameters=(), finds="tests.support.library:reads_emma")
    library = Library(ToolSchema(FILE_OPERATIONS, checks=(pre_call_check,), pre_call_check="shop/pre-call-check"))
    here = with_functions(Recorder("t", library, lambda event: None))
    here.begin_step(0)
    here.call("read", {"path": "/books/emma.txt"})
    here.begin_step(1)
    with suppress(CallError):
        here.call(operation, arguments)
    before = library.asked.count("read")
    here.check_change("write", {"path": "/x", "content": ""}, has_pre_call_check=True)
    assert library.asked.count("read") - before == reads
