"""One trial from start to end, whatever fails in it."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, ClassVar
from unittest import mock

import pytest

from controlplane import OpenedBenchmark, Trial, TrialStub
from controlplane.agent.events import (
    AnswerDone,
    AnswerSent,
    CallFailure,
    CallRecord,
    CallState,
    StepDone,
    TrialStarted,
)
from controlplane.agent.evidence.tape.repeated_calls import repeat_calls
from controlplane.agent.loop import LeftOpen, TrialSession
from controlplane.agent.model import Abandoned
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.retry.run_budget import RunBudget
from controlplane.agent.submission import GateSettings, judging_modules
from controlplane.configuration.run_settings import RunSettings
from controlplane.gates.submission import Submission
from controlplane.journal.run_events import (
    JournalEvent,
    Scored,
    TrialEnded,
    TrialLeftOpen,
)
from controlplane.journal.trial_reader import record_of
from controlplane.lifecycle.resources.notices import Notices
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.trials.call_watch import CallWatch
from controlplane.lifecycle.trials.trial_lifecycle import run_trial
from controlplane.lifecycle.trials.watched_environment import WatchedEnvironment
from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Effect,
    Plain,
    ToolSchema,
    bounds,
)
from tests.support.phonebook import Phonebook
from tests.support.scored_journal import trial_records_of

STUB = TrialStub("ada-0", "ada")


@dataclass
class Solver:
    """Answers correctly, after running a function of the test."""

    act: Callable[[TrialSession], None] = lambda session: None

    def solve(self, session: TrialSession) -> str:
        self.act(session)
        judgement = session.submit(
            Submission(answer="17", outcome="OUTCOME_OK", refs=())
        )
        return "" if judgement.accepted else judgement.message


@dataclass
class PlayedTrial:
    """Plays the trial `STUB` of the phone book, and keeps what comes of it.

    `PlayedTrial().run(solver, record)` returns itself; `record` is that of an interrupted
    trial, which is resumed.
    """

    server: ClassVar[ForkServer]
    events: list[JournalEvent] = field(default_factory=list)
    paused: list[Exception] = field(default_factory=list)
    controls: RunControls = field(default_factory=RunControls)
    benchmark: Phonebook = field(default_factory=lambda: Phonebook(0.0))

    def run(
        self, solver: Solver | None = None, record: TrialRecord | None = None
    ) -> PlayedTrial:
        self.controls.pause = self.paused.append
        resources: Any = SimpleNamespace(
            benchmark=self.benchmark,
            opened=OpenedBenchmark(self.benchmark),
            setup=SimpleNamespace(
                solver=solver or Solver(), side_models=SimpleNamespace(ask=None)
            ),
            gates=GateSettings(),
            notices=Notices(),
            budget=RunBudget(),
            spec=SimpleNamespace(
                settings=RunSettings(), tools=None, makes_initial_prompt=True
            ),
            models=SimpleNamespace(context_tokens=None),
            sandbox=SimpleNamespace(
                worker_of=lambda trial: Worker(self.server),
                functions_of=lambda session: contextlib.nullcontext(),
            ),
            operations=SimpleNamespace(
                check_names=lambda tool_schema: None,
                of=lambda environment: environment.tool_schema,
            ),
        )
        run_trial(
            resources, STUB, self.events.append, self.controls, record or TrialRecord()
        )
        return self

    def events_of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    def break_answers(self, times: int) -> None:
        """Have the trial's environment refuse its answer so many times."""
        desk = self.benchmark.worlds[STUB.trial_id]
        busy = [CallError("unavailable", "busy")] * times
        desk.answer = mock.Mock(wraps=desk.answer, side_effect=[*busy, mock.DEFAULT])


@pytest.fixture(scope="module", autouse=True)
def server() -> Iterator[None]:
    with ForkServer(judging_modules(())) as PlayedTrial.server:
        yield


class ForgetfulPhonebook(Phonebook):
    """A phonebook whose trials are played from the beginning if their environment is gone."""

    def start_trial(self, trial_id: str) -> Trial:
        return replace(super().start_trial(trial_id), begins_anew=True)


def look_up_and_stop(session: TrialSession) -> None:
    session.call("lookup", {"name": "ada"})
    raise LeftOpen


def test_a_trial_whose_environment_is_gone_begins_anew_if_its_benchmark_says_so() -> (
    None
):
    stopped = PlayedTrial().run(Solver(look_up_and_stop))
    record = trial_records_of(stopped.events)[STUB.trial_id]
    assert list(record.all_calls) != []

    resumed = PlayedTrial(benchmark=ForgetfulPhonebook(0.0)).run(record=record)

    (started,) = resumed.events_of(TrialStarted)
    assert started.begins_anew
    assert resumed.events_of(TrialEnded)
    whole_record = record_of([*stopped.events, *resumed.events])
    assert list(whole_record.all_calls) == []


@pytest.mark.parametrize("error", [LeftOpen(), Abandoned("stopped", retryable=False)])
def test_a_trial_left_open_stays_open_though_the_flag_was_cleared_since(
    error: Exception,
) -> None:
    def stop(session: TrialSession) -> None:
        raise error

    played = PlayedTrial().run(Solver(stop))

    assert played.events_of(TrialLeftOpen)
    assert not played.events_of(AnswerSent)
    assert not played.events_of(TrialEnded)


def test_an_accepted_answer_is_handed_in_until_it_is_taken() -> None:
    played = PlayedTrial()
    played.run(Solver(lambda session: played.break_answers(2)))

    first, second, third = played.events_of(AnswerSent)
    assert {first.message, second.message, third.message} == {"17"}
    assert not first.late
    assert second.late
    assert third.late
    assert played.events_of(TrialEnded)[0].how == "answered"
    assert played.events_of(Scored)[0].score == 1.0


def test_an_answer_that_was_sent_before_an_interruption_is_handed_in_as_it_was() -> (
    None
):
    played = PlayedTrial()
    start_trial = played.benchmark.start_trial

    def start_trial_that_refuses_once(trial_id: str) -> Any:
        trial = start_trial(trial_id)
        played.break_answers(1)
        return trial

    played.benchmark.start_trial = start_trial_that_refuses_once
    answer = AnswerSent(
        trial_id=STUB.trial_id, step=1, message="17", outcome="OUTCOME_OK", refs=()
    )
    played.run(record=TrialRecord(answer=answer))

    assert {sent.message for sent in played.events_of(AnswerSent)} == {"17"}
    assert played.events_of(Scored)[0].score == 1.0


def record_up_to(event_type: type) -> TrialRecord:
    """Play a trial, and return its record as if it was cut off after an event of this type."""
    events: list[JournalEvent] = []
    for event in PlayedTrial().run().events:
        events.append(event)
        if isinstance(event, event_type):
            break
    return trial_records_of(events)[STUB.trial_id]


def test_an_answer_that_was_cut_off_is_sent_again_in_its_step() -> None:
    played = PlayedTrial().run(record=record_up_to(AnswerSent))

    event_types = [event.type for event in played.events]
    assert event_types == [
        "trial_started",
        "answer_done",
        "step",
        "score",
        "trial_ended",
    ]
    (ended,) = played.events_of(TrialEnded)
    (scored,) = played.events_of(Scored)
    assert ended.how == "answered"
    assert scored.score == 1.0


@pytest.mark.parametrize("last_event", [AnswerDone, StepDone])
def test_an_answer_that_was_taken_is_sent_again_because_the_environment_may_be_new(
    last_event: type,
) -> None:
    played = PlayedTrial().run(record=record_up_to(last_event))

    (answer,) = played.events_of(AnswerSent)
    (ended,) = played.events_of(TrialEnded)
    (scored,) = played.events_of(Scored)
    assert answer.late is True
    assert answer.message == "17"
    assert ended.how == "answered"
    assert scored.score == 1.0


class Failing:
    """An environment whose calls fail with these codes in turn; an empty code is a success."""

    tool_schema = ToolSchema(operations=())

    def __init__(self, *codes: str) -> None:
        self.codes = list(codes)

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if code := self.codes.pop(0):
            raise CallError(code, "said so")
        return {}

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        self.call("answer", {})

    def now(self) -> None:
        return None


def make_calls(codes: tuple[str, ...], call_kind: str) -> list[Exception]:
    """Make a call for each code, which it fails with, and return what paused the run."""
    pauses: list[Exception] = []
    failing = Failing(*codes)
    watch = CallWatch(RunControls(pause=pauses.append), print)
    watched = WatchedEnvironment(failing, failing.tool_schema, watch)
    for _ in codes:
        with contextlib.suppress(CallError):
            if call_kind == "answer":
                watched.answer("a", "OUTCOME_OK", ())
            else:
                watched.call("read", {})
    return pauses


@pytest.fixture
def outage_of_two_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """By this clock a call takes one second, and an outage may last one and a half."""
    seconds = iter(range(1_000))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(seconds)))
    monkeypatch.setattr(bounds, "LONGEST_OUTAGE_S", 1.5)


@pytest.mark.usefixtures("outage_of_two_calls")
@pytest.mark.parametrize("call_kind", ["call", "answer"])
@pytest.mark.parametrize(
    ("codes", "reason"),
    [
        (
            ("unavailable", "deadline_exceeded"),
            "has not been reached for 3 s (deadline_exceeded: said so)",
        ),
        (("unavailable", "unknown", "resource_exhausted"), "has not been reached"),
        (
            ("unauthenticated",),
            "refuses the calls of trials (unauthenticated: said so)",
        ),
    ],
)
def test_calls_that_reach_nobody_for_long_pause_the_run(
    codes: tuple[str, ...], reason: str, call_kind: str
) -> None:
    (pause,) = make_calls(codes, call_kind)

    assert reason in str(pause)


@pytest.mark.usefixtures("outage_of_two_calls")
@pytest.mark.parametrize("call_kind", ["call", "answer"])
@pytest.mark.parametrize(
    "codes",
    [
        ("unavailable",),
        ("unavailable", "", "unavailable"),
        ("unavailable", "not_found", "unavailable"),
        ("permission_denied", "internal", "unknown"),
    ],
)
def test_failures_that_are_short_or_come_from_the_platform_do_not_pause_the_run(
    codes: tuple[str, ...], call_kind: str
) -> None:
    assert make_calls(codes, call_kind) == []


@pytest.mark.parametrize(
    ("operation", "code", "error"),
    [
        ("read", "unavailable", LeftOpen),
        ("read", "internal", LeftOpen),
        ("read", "not_found", CallError),
        ("write", "unavailable", CallError),
    ],
)
def test_a_reading_call_that_nobody_repeats_because_of_a_stop_leaves_the_trial_open(
    operation: str, code: str, error: type[Exception]
) -> None:
    failing, stop = Failing(code, code), threading.Event()
    failing.tool_schema = ToolSchema(operations=FILE_OPERATIONS)
    watched = WatchedEnvironment(
        failing, failing.tool_schema, CallWatch(RunControls(stop=stop), print)
    )
    with pytest.raises(CallError):
        watched.call(operation, {"path": "/a"})
    stop.set()
    with pytest.raises(error):
        watched.call(operation, {"path": "/a"})


LOOK = FILE_OPERATIONS[0]._replace(name="look", effect=Effect.READS)
PUT = LOOK._replace(name="put", effect=Effect.ACTS)
FIND_ALL = LOOK._replace(name="find_all", effect=Effect.NONE, finds="a.module:function")


def completed_call(operation: str, **result: Plain) -> CallRecord:
    return CallRecord(operation=operation, arguments={}, result=result)


def failed_call(operation: str, code: str, state: CallState = "failed") -> CallRecord:
    return CallRecord(
        operation=operation,
        arguments={"path": "a"},
        state=state,
        error=CallFailure(code=code, message=""),
    )


RECORDED_CALLS = [
    completed_call("look", number=1),
    completed_call("put", number=2),
    failed_call("look", "not_found"),
    # The environment did not answer these: they did not reach it, or others answered.
    failed_call("look", "unavailable"),
    completed_call("find_all"),
    completed_call("server.tool"),
    # Nobody knows whether these reached it.
    CallRecord(operation="put", arguments={}, state="under_way"),
    failed_call("put", "unknown", "lost"),
]


@pytest.mark.parametrize(
    ("repeats_reads", "repeated_operations", "have_failed"),
    [
        (False, ["put"], [False]),
        (True, ["look", "put", "look"], [False, False, True]),
    ],
)
def test_of_recorded_calls_those_are_repeated_that_this_environment_answered(
    repeats_reads: bool, repeated_operations: list[str], have_failed: list[bool]
) -> None:
    operations: list[str] = []

    def call(operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        operations.append(operation)
        if arguments:
            raise CallError("not_found", "there is no such file")
        return {"number": len(operations)}

    schema = ToolSchema((LOOK, PUT, FIND_ALL))
    environment: Any = SimpleNamespace(tool_schema=schema, call=call)
    calls = list(repeat_calls(environment, RECORDED_CALLS, repeats_reads=repeats_reads))

    assert operations == repeated_operations
    *repeated_calls, under_way, lost = calls
    assert [call.error is not None for call in repeated_calls] == have_failed
    assert under_way.difference == "was cut off, so its end state is not known"
    assert lost.difference == "was cut off, so its end state is not known"
