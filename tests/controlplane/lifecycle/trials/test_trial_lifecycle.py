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
    """Gives the right answer, "17", after it has called the test's function `before_answer`."""

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
        """Return what a run provides to its trials, as far as a trial without a model needs it.

        In a run, this is an object of `opening_resources`, which also opens models and servers.
        """
        setup = SimpleNamespace(
            solver=solver, side_models=SimpleNamespace(ask=None, has_reader=False)
        )
        spec = SimpleNamespace(
            settings=RunSettings(), tools=None, makes_initial_prompt=True
        )
        sandbox = SimpleNamespace(
            worker_of=lambda trial: Worker(self.server),
            functions_of=lambda session: contextlib.nullcontext(),
        )
        # The trial may call all that its environment declares; no name is checked.
        operations = SimpleNamespace(
            check_names=lambda tool_schema: None,
            of=lambda environment: environment.tool_schema,
        )
        return SimpleNamespace(
            benchmark=self.benchmark,
            opened=OpenedBenchmark(self.benchmark),
            setup=setup,
            gates=GateSettings(),
            notices=Notices(),
            budget=RunBudget(),
            spec=spec,
            models=SimpleNamespace(context_tokens=None),
            sandbox=sandbox,
            operations=operations,
        )

    def events_of(self, event_type: type) -> list[Any]:
        """Return the events of this type that the trial has had so far."""
        return [event for event in self.events if isinstance(event, event_type)]


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


def test_a_resumed_trial_begins_anew_if_its_environment_is_gone() -> None:
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
        pytest.param(LeftOpen(), id="during a call"),
        pytest.param(
            Abandoned("stopped", retryable=False), id="during a request to the model"
        ),
    ],
)
def test_a_trial_that_was_stopped_stays_open_even_if_the_run_goes_on(
    error: Exception,
) -> None:
    """If a run stops, what a trial waits for raises one of these errors. It leaves the trial open,
    so that it can be resumed, even if the run has not set its signal to stop, as here."""

    def stop(session: TrialSession) -> None:
        raise error

    trial = PlayedTrial().run(RightSolver(stop))

    assert trial.events_of(TrialLeftOpen)
    assert not trial.events_of(AnswerSent)
    assert not trial.events_of(TrialEnded)


# --- Answers that are sent again ---
#
# The checks of the product accept the solver's answer, and then the trial sends it to the
# environment, in the step of the script that gave it. An answer that is sent after this step is
# marked as `late`.


class BusyPhonebook(Phonebook):
    """A phone book whose environments refuse this many answers as busy, and take the next."""

    def __init__(self, refused_answers: int) -> None:
        super().__init__(delay_s=0.0)
        self.refused_answers = refused_answers

    def start_trial(self, trial_id: str) -> Trial:
        trial = super().start_trial(trial_id)
        environment = self.worlds[trial_id]
        refusals = [CallError("unavailable", "busy")] * self.refused_answers
        environment.answer = mock.Mock(
            wraps=environment.answer, side_effect=[*refusals, mock.DEFAULT]
        )
        return trial


def test_an_accepted_answer_is_sent_until_the_environment_takes_it() -> None:
    """The environment refuses the answer "17" twice, so that it is sent three times."""
    trial = PlayedTrial(benchmark=BusyPhonebook(refused_answers=2)).run()

    answers = trial.events_of(AnswerSent)
    assert [answer.message for answer in answers] == ["17", "17", "17"]
    assert [answer.late for answer in answers] == [False, True, True]
    assert trial.events_of(TrialEnded)[0].how == "answered"
    assert trial.events_of(Scored)[0].score == 1.0


def test_a_recorded_answer_is_sent_until_the_environment_takes_it() -> None:
    """The interrupted trial had sent its answer. The environment of the resumed one refuses the
    answer once."""
    sent_answer = AnswerSent(
        trial_id=PLANNED_TRIAL.trial_id,
        step=1,
        message="17",
        outcome="OUTCOME_OK",
        refs=(),
    )

    trial = PlayedTrial(benchmark=BusyPhonebook(refused_answers=1))
    trial.run(record=TrialRecord(answer=sent_answer))

    assert {answer.message for answer in trial.events_of(AnswerSent)} == {"17"}
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
    """The environment had taken the answer (the event `AnswerDone`) before the trial was
    interrupted. The resumed trial has a new environment, which lacks the answer."""
    trial = PlayedTrial().run(record=record_up_to(last_event_type))

    (answer,) = trial.events_of(AnswerSent)
    (ended,) = trial.events_of(TrialEnded)
    (scored,) = trial.events_of(Scored)
    assert answer.late is True
    assert answer.message == "17"
    assert ended.how == "answered"
    assert scored.score == 1.0


# --- Outages of the environment ---
#
# A call may fail because nobody serves it (`unavailable`), or because the environment refuses it
# (`not_found`). The trial's `CallWatch` sees each failure, and pauses the run after a long outage:
# calls of other trials would fail in the same way.

NO_OPERATIONS = ToolSchema(operations=())
"""The schema of an environment in which nothing can be called."""
SUCCESS = ""
"""In place of an error code: the call succeeds."""


class FailingEnvironment:
    """An environment whose first call fails with the first of these error codes, and so on."""

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
    """Make one call for each code, which it fails with. Return the errors with which the watch
    paused the run; an empty list if it did not."""
    pauses: list[Exception] = []
    controls = RunControls(pause=pauses.append)
    failing = FailingEnvironment(*codes)
    watch = CallWatch(controls, report_fault=print)
    watched = WatchedEnvironment(failing, failing.tool_schema, watch)
    for _ in codes:
        with contextlib.suppress(CallError):
            make_call(watched)
    return pauses


@pytest.fixture
def outage_of_two_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the second call in a row that reaches nobody pause the run.

    An outage may last 1.5 s here, and the clock is a second later at each look. It is looked at
    when a call begins and when it has failed: the first call has lasted 1 s, both have lasted 3 s.
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
    """Each code is the failure of one call. By the clock of this test, two calls in a row that reach
    nobody are a long outage. A wrong key (`unauthenticated`) pauses the run at once."""
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
    """Each code is the failure of one call, or `SUCCESS`. A platform that answers "there is no such
    file" (`not_found`) can be reached, so that an outage before it is over."""
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
    """Before the stop, every failure is a `CallError`. After it, a read that the environment did not
    answer raises `LeftOpen`: the resumed trial makes it again. `not_found` is an answer. A write may
    have happened, so that its failure has to be recorded."""
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
#
# The environment of an interrupted trial may be gone. The trial's changes are then made again in a
# new one, from the record of its calls.

LOOK = FILE_OPERATIONS[0]._replace(name="look", effect=Effect.READS)
"""An operation that only reads."""
PUT = LOOK._replace(name="put", effect=Effect.ACTS)
"""An operation that changes something."""
FIND_ALL = LOOK._replace(name="find_all", effect=Effect.NONE, finds="a.module:function")
"""A function of the benchmark: it only computes, from results of other calls."""


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


LOOK_WITH_RESULT = completed_call("look", number=1)
PUT_WITH_RESULT = completed_call("put", number=2)
LOOK_AT_MISSING_FILE = failed_call("look", "not_found")
CALLS_WITHOUT_ANSWER = [
    # It did not reach the environment.
    failed_call("look", "unavailable"),
    # A function of the benchmark returned this result.
    completed_call("find_all"),
    # A tool of another server returned this result.
    completed_call("server.tool"),
]
"""Calls that the environment did not answer."""
CALLS_CUT_OFF = [
    unfinished_call("put"),
    failed_call("put", "unknown", state="lost"),
]
"""Changes of which nobody knows whether they happened."""
RECORDED_CALLS = [
    LOOK_WITH_RESULT,
    PUT_WITH_RESULT,
    LOOK_AT_MISSING_FILE,
    *CALLS_WITHOUT_ANSWER,
    *CALLS_CUT_OFF,
]
"""The calls of the interrupted trial."""


class NewEnvironment:
    """Has no file, so that calls with a path fail, and keeps the names of the operations."""

    tool_schema = ToolSchema((LOOK, PUT, FIND_ALL))

    def __init__(self) -> None:
        self.operations: list[str] = []

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        self.operations.append(operation)
        if "path" in arguments:
            raise CallError("not_found", "there is no such file")
        return {"number": len(self.operations)}


def test_recorded_changes_are_made_again_in_a_new_environment() -> None:
    """Reads have no effect, and are left out. Changes that were cut off are listed, and not made."""
    environment = NewEnvironment()

    put, *cut_off = repeat_calls(environment, RECORDED_CALLS, repeats_reads=False)

    assert environment.operations == ["put"]
    assert put.recorded == PUT_WITH_RESULT
    assert put.error is None
    check_not_made_again(cut_off)


def test_recorded_reads_are_made_again_if_they_are_asked_for() -> None:
    """Only those that the first environment answered, with a result or with `not_found`."""
    environment = NewEnvironment()

    look, put, failed_look, *cut_off = repeat_calls(
        environment, RECORDED_CALLS, repeats_reads=True
    )

    assert environment.operations == ["look", "put", "look"]
    assert look.recorded == LOOK_WITH_RESULT
    assert look.error is None
    assert put.recorded == PUT_WITH_RESULT
    assert put.error is None
    assert failed_look.recorded == LOOK_AT_MISSING_FILE
    assert failed_look.error is not None
    check_not_made_again(cut_off)


def check_not_made_again(calls: list[RepeatedCall]) -> None:
    """Assert that these are the calls that were cut off, and that each says why it was not made."""
    assert [call.recorded for call in calls] == CALLS_CUT_OFF
    for call in calls:
        assert call.difference == "was cut off, so its end state is not known"
