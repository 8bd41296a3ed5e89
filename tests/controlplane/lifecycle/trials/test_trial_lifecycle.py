"""One trial from its start to its end, whatever fails in it.

A trial gives a solver its task, passes calls to the environment, checks the answer, and sends it.
The tests show trials that were interrupted and are resumed from their record, environments that
are busy or down, and a run that is stopped while a call fails.
"""

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

from controlplane import OpenedBenchmark, PlannedTrial, Trial
from controlplane.agent.events import (
    AnswerDone,
    AnswerSent,
    CallFailure,
    CallRecord,
    CallState,
    StepDone,
    TrialStarted,
)
from controlplane.agent.evidence.tape.repeated_calls import RepeatedCall, repeat_calls
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

# --- A trial that a test plays ---
#
# The task is to look up ada's number, 17. The test decides what happens before the answer.

PLANNED_TRIAL = PlannedTrial("ada-0", "ada")
"""The trial's id and its task."""


def do_nothing(session: TrialSession) -> None:
    pass


@dataclass
class RightSolver:
    """Gives the right answer, after running a function of the test."""

    before_answer: Callable[[TrialSession], None] = do_nothing

    def solve(self, session: TrialSession) -> str:
        self.before_answer(session)
        judgement = session.submit(
            Submission(answer="17", outcome="OUTCOME_OK", refs=())
        )
        return "" if judgement.accepted else judgement.message


@dataclass
class PlayedTrial:
    """Plays the trial `PLANNED_TRIAL` of the phone book, and keeps the events that a journal would get.

    `PlayedTrial().run(solver, record)` returns itself. With the `record` of an interrupted trial,
    it resumes that trial.
    """

    server: ClassVar[ForkServer]
    """Starts the processes in which answers are checked."""
    events: list[JournalEvent] = field(default_factory=list)
    controls: RunControls = field(default_factory=RunControls)
    benchmark: Phonebook = field(default_factory=lambda: Phonebook(delay_s=0.0))

    def run(
        self, solver: RightSolver | None = None, record: TrialRecord | None = None
    ) -> PlayedTrial:
        """Play the trial with this solver, or with one that gives the right answer at once."""
        run_trial(
            self._resources(solver or RightSolver()),
            PLANNED_TRIAL,
            self.events.append,
            self.controls,
            record or TrialRecord(),
        )
        return self

    def _resources(self, solver: RightSolver) -> Any:
        """Return what a run provides to its trials, as far as a trial without a model needs it."""
        return SimpleNamespace(
            benchmark=self.benchmark,
            opened=OpenedBenchmark(self.benchmark),
            setup=SimpleNamespace(solver=solver, side_models=SimpleNamespace(ask=None)),
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

    def events_of(self, event_type: type) -> list[Any]:
        """Return the events of this type that the trial has had so far."""
        return [event for event in self.events if isinstance(event, event_type)]

    def refuse_answers(self, times: int) -> None:
        """Let the trial's environment be busy for this many answers, and take the next."""
        environment = self.benchmark.worlds[PLANNED_TRIAL.trial_id]
        refusals = [CallError("unavailable", "busy")] * times
        environment.answer = mock.Mock(
            wraps=environment.answer, side_effect=[*refusals, mock.DEFAULT]
        )


@pytest.fixture(scope="module", autouse=True)
def server() -> Iterator[None]:
    """The processes of all trials in this file."""
    with ForkServer(judging_modules(())) as fork_server:
        PlayedTrial.server = fork_server
        yield


# --- Trials that are left open, and begin anew ---


class ForgetfulPhonebook(Phonebook):
    """A phone book whose trials begin anew if they are resumed: their environments are gone."""

    def start_trial(self, trial_id: str) -> Trial:
        return replace(super().start_trial(trial_id), begins_anew=True)


def look_up_and_stop(session: TrialSession) -> None:
    """Make one call, and leave the trial open, as a run does that is stopped."""
    session.call("lookup", {"name": "ada"})
    raise LeftOpen


def test_a_trial_whose_environment_is_gone_begins_anew_if_its_benchmark_says_so() -> (
    None
):
    """The trial is interrupted after one call, and resumed. The journal still has that call, but the
    trial's record must not: the new environment has not had it."""
    stopped = PlayedTrial().run(RightSolver(look_up_and_stop))
    record = trial_records_of(stopped.events)[PLANNED_TRIAL.trial_id]
    assert list(record.all_calls) != []

    resumed = PlayedTrial(benchmark=ForgetfulPhonebook(delay_s=0.0)).run(record=record)

    (started,) = resumed.events_of(TrialStarted)
    assert started.begins_anew
    assert resumed.events_of(TrialEnded)
    record_of_both = record_of([*stopped.events, *resumed.events])
    assert list(record_of_both.all_calls) == []


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(LeftOpen(), id="a call was not repeated"),
        pytest.param(
            Abandoned("stopped", retryable=False), id="a request to the model was not"
        ),
    ],
)
def test_a_trial_that_was_stopped_stays_open_even_if_the_run_goes_on(
    error: Exception,
) -> None:
    """A trial of a run that stops raises one of these errors. It leaves the trial open, also if the
    run is not marked as stopping any more when the error arrives."""

    def stop(session: TrialSession) -> None:
        raise error

    trial = PlayedTrial().run(RightSolver(stop))

    assert trial.events_of(TrialLeftOpen)
    assert not trial.events_of(AnswerSent)
    assert not trial.events_of(TrialEnded)


# --- Answers that are sent again ---


def test_an_accepted_answer_is_sent_until_the_environment_takes_it() -> None:
    """The solver makes the environment busy for two answers, and then gives the right one, "17". It
    is sent three times; the second and third time it is marked as late."""
    trial = PlayedTrial()
    trial.run(RightSolver(lambda session: trial.refuse_answers(times=2)))

    answers = trial.events_of(AnswerSent)
    assert [answer.message for answer in answers] == ["17", "17", "17"]
    assert [answer.late for answer in answers] == [False, True, True]
    assert trial.events_of(TrialEnded)[0].how == "answered"
    assert trial.events_of(Scored)[0].score == 1.0


def test_a_recorded_answer_is_sent_until_the_environment_takes_it() -> None:
    """The journal ends with an answer that was sent. In the resumed trial, the environment is busy
    once."""
    trial = PlayedTrial()
    start_trial = trial.benchmark.start_trial

    def start_trial_that_is_busy_once(trial_id: str) -> Trial:
        started_trial = start_trial(trial_id)
        trial.refuse_answers(times=1)
        return started_trial

    trial.benchmark.start_trial = start_trial_that_is_busy_once
    answer = AnswerSent(
        trial_id=PLANNED_TRIAL.trial_id,
        step=1,
        message="17",
        outcome="OUTCOME_OK",
        refs=(),
    )
    trial.run(record=TrialRecord(answer=answer))

    assert {sent.message for sent in trial.events_of(AnswerSent)} == {"17"}
    assert trial.events_of(Scored)[0].score == 1.0


def record_up_to(event_type: type) -> TrialRecord:
    """Play a trial, and return its record as if it was cut off after an event of this type."""
    events: list[JournalEvent] = []
    for event in PlayedTrial().run().events:
        events.append(event)
        if isinstance(event, event_type):
            break
    return trial_records_of(events)[PLANNED_TRIAL.trial_id]


def test_an_answer_that_was_cut_off_is_sent_again_in_its_step() -> None:
    """The record ends with the event that announces the answer, so it may not have been taken."""
    trial = PlayedTrial().run(record=record_up_to(AnswerSent))

    assert [event.type for event in trial.events] == [
        "trial_started",
        "answer_done",
        "step",
        "score",
        "trial_ended",
    ]
    (ended,) = trial.events_of(TrialEnded)
    (scored,) = trial.events_of(Scored)
    assert ended.how == "answered"
    assert scored.score == 1.0


@pytest.mark.parametrize("last_event_type", [AnswerDone, StepDone])
def test_an_answer_that_was_taken_is_sent_again_because_the_environment_may_be_new(
    last_event_type: type,
) -> None:
    """The environment had taken the answer before the interruption. A new environment does not have
    it."""
    trial = PlayedTrial().run(record=record_up_to(last_event_type))

    (answer,) = trial.events_of(AnswerSent)
    (ended,) = trial.events_of(TrialEnded)
    (scored,) = trial.events_of(Scored)
    assert answer.late is True
    assert answer.message == "17"
    assert ended.how == "answered"
    assert scored.score == 1.0


# --- Outages of the environment ---

NO_OPERATIONS = ToolSchema(operations=())
"""The schema of an environment in which nothing can be called."""
SUCCESS = ""
"""In place of an error code: the call succeeds."""


class FailingEnvironment:
    """An environment whose calls fail with these error codes in turn."""

    def __init__(self, *codes: str, tool_schema: ToolSchema = NO_OPERATIONS) -> None:
        self.codes = list(codes)
        self.tool_schema = tool_schema

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        code = self.codes.pop(0)
        if code != SUCCESS:
            raise CallError(code, "said so")
        return {}

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        self.call("answer", {})

    def now(self) -> None:
        return None


def read_file(environment: WatchedEnvironment) -> None:
    environment.call("read", {})


def submit_answer(environment: WatchedEnvironment) -> None:
    environment.answer("a", "OUTCOME_OK", ())


MakeCall = Callable[[WatchedEnvironment], None]
"""Makes one call in an environment."""


def pauses_after(codes: list[str], make_call: MakeCall) -> list[Exception]:
    """Make one call for each code, which it fails with, and return the reasons why the run was
    paused; an empty list if it was not."""
    pauses: list[Exception] = []
    failing = FailingEnvironment(*codes)
    watch = CallWatch(RunControls(pause=pauses.append), report_fault=print)
    watched = WatchedEnvironment(failing, failing.tool_schema, watch)
    for _ in codes:
        with contextlib.suppress(CallError):
            make_call(watched)
    return pauses


@pytest.fixture
def outage_of_two_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each look at the clock take a second, and an outage last 1.5 s at most.

    So the second call in a row that reaches nobody pauses the run.
    """
    seconds = iter(range(1_000))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(seconds)))
    monkeypatch.setattr(bounds, "LONGEST_OUTAGE_S", 1.5)


@pytest.mark.usefixtures("outage_of_two_calls")
@pytest.mark.parametrize("make_call", [read_file, submit_answer])
@pytest.mark.parametrize(
    ("codes", "reason"),
    [
        pytest.param(
            ["unavailable", "deadline_exceeded"],
            "has not been reached for 3 s (deadline_exceeded: said so)",
            id="two outages",
        ),
        pytest.param(
            ["unavailable", "unknown", "resource_exhausted"],
            "has not been reached",
            id="two outages, and a failure between that tells nothing",
        ),
        pytest.param(
            ["unauthenticated"],
            "refuses the calls of trials (unauthenticated: said so)",
            id="a wrong key",
        ),
    ],
)
def test_the_run_pauses_if_calls_reach_nobody_for_long(
    codes: list[str], reason: str, make_call: MakeCall
) -> None:
    """Calls fail with these codes, one after the other. Two in a row that reach nobody are long by
    the clock of this test. A wrong key pauses the run at once."""
    (pause,) = pauses_after(codes, make_call)

    assert reason in str(pause)


@pytest.mark.usefixtures("outage_of_two_calls")
@pytest.mark.parametrize("make_call", [read_file, submit_answer])
@pytest.mark.parametrize(
    "codes",
    [
        pytest.param(["unavailable"], id="a single outage"),
        pytest.param(
            ["unavailable", SUCCESS, "unavailable"], id="a success between two outages"
        ),
        pytest.param(
            ["unavailable", "not_found", "unavailable"],
            id="an answer between two outages",
        ),
        pytest.param(
            ["permission_denied", "internal", "unknown"], id="failures of the platform"
        ),
    ],
)
def test_the_run_goes_on_if_failures_are_short_or_come_from_the_platform(
    codes: list[str], make_call: MakeCall
) -> None:
    """Calls fail with these codes, one after the other, or succeed (an empty code). A platform that
    answers "no" can be reached."""
    assert pauses_after(codes, make_call) == []


# --- Calls that fail because the run is stopped ---


@pytest.mark.parametrize(
    ("operation", "code", "error_after_stop"),
    [
        pytest.param("read", "unavailable", LeftOpen, id="a read that reached nobody"),
        pytest.param("read", "internal", LeftOpen, id="a read that broke"),
        pytest.param("read", "not_found", CallError, id="a read of what is not there"),
        pytest.param("write", "unavailable", CallError, id="a write"),
    ],
)
def test_a_read_that_fails_while_the_run_stops_leaves_the_trial_open(
    operation: str, code: str, error_after_stop: type[Exception]
) -> None:
    """Such a call is usually repeated, which a run that stops does not do. The trial is left open
    and makes the call again when it is resumed. A write may have happened, and is not hidden."""
    stop = threading.Event()
    failing = FailingEnvironment(
        code, code, tool_schema=ToolSchema(operations=FILE_OPERATIONS)
    )
    watch = CallWatch(RunControls(stop=stop), report_fault=print)
    watched = WatchedEnvironment(failing, failing.tool_schema, watch)

    with pytest.raises(CallError):
        watched.call(operation, {"path": "/a"})
    stop.set()
    with pytest.raises(error_after_stop):
        watched.call(operation, {"path": "/a"})


# --- Recorded calls that are made again in a new environment ---

LOOK = FILE_OPERATIONS[0]._replace(name="look", effect=Effect.READS)
PUT = LOOK._replace(name="put", effect=Effect.ACTS)
"""An operation that changes something; `look` only reads."""
FIND_ALL = LOOK._replace(name="find_all", effect=Effect.NONE, finds="a.module:function")
"""A function of the benchmark, which computes from other calls."""


def completed_call(operation: str, **result: Plain) -> CallRecord:
    return CallRecord(operation=operation, arguments={}, result=result)


def failed_call(operation: str, code: str, state: CallState = "failed") -> CallRecord:
    """Return the record of a call that failed with this error code."""
    return CallRecord(
        operation=operation,
        arguments={"path": "a"},
        state=state,
        error=CallFailure(code=code, message=""),
    )


def unfinished_call(operation: str) -> CallRecord:
    return CallRecord(operation=operation, arguments={}, state="under_way")


RECORDED_CALLS = [
    completed_call("look", number=1),
    completed_call("put", number=2),
    failed_call("look", "not_found"),
    # The environment did not answer these: they did not reach it, or others answered.
    failed_call("look", "unavailable"),
    completed_call("find_all"),
    completed_call("server.tool"),
    # Nobody knows whether these reached it.
    unfinished_call("put"),
    failed_call("put", "unknown", state="lost"),
]
"""The calls of a trial's record, from its first attempt."""


class RecordingEnvironment:
    """Has no file, so that calls with a path fail, and keeps the names of the operations."""

    tool_schema = ToolSchema((LOOK, PUT, FIND_ALL))

    def __init__(self) -> None:
        self.operations: list[str] = []

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        self.operations.append(operation)
        if "path" in arguments:
            raise CallError("not_found", "there is no such file")
        return {"number": len(self.operations)}


def repeat_recorded_calls(
    environment: Any, *, repeats_reads: bool
) -> list[RepeatedCall]:
    """Make the recorded calls again, and return those whose first outcome is known.

    Asserts that the last two, which were cut off, are not made again and say why.
    """
    calls = list(repeat_calls(environment, RECORDED_CALLS, repeats_reads=repeats_reads))
    *finished_calls, under_way, lost = calls
    assert under_way.difference == "was cut off, so its end state is not known"
    assert lost.difference == "was cut off, so its end state is not known"
    return finished_calls


def test_recorded_changes_are_made_again_in_a_new_environment() -> None:
    """Reads have no effect, and are left out."""
    environment = RecordingEnvironment()

    (put,) = repeat_recorded_calls(environment, repeats_reads=False)

    assert environment.operations == ["put"]
    assert put.error is None


def test_recorded_reads_are_made_again_if_they_are_asked_for() -> None:
    """Only those that the first environment answered, with a result or an error."""
    environment = RecordingEnvironment()

    look, put, failed_look = repeat_recorded_calls(environment, repeats_reads=True)

    assert environment.operations == ["look", "put", "look"]
    assert look.error is None
    assert put.error is None
    assert failed_look.error is not None
