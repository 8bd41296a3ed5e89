"""What becomes of a trial whose calls fail, or that is stopped, resumed or given up.

Short outages stop nothing, and long ones pause the run. A stopped trial stays open. When it is
resumed, recorded changes are made again in a new environment, in their order, except those that may
have happened or were not answered. An answer is sent until it is taken. A thread whose environment
does not answer any more is left alone.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from controlplane import OpenedBenchmark, PlannedTrial, Trial
from controlplane.agent.events import AnswerSent, CallFailure, CallRecord, TrialStarted
from controlplane.agent.evidence.environment_resume import repeat_calls
from controlplane.agent.loop import LeftOpen, TrialSession
from controlplane.agent.model import Abandoned
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.configuration.run_settings import RunSettings
from controlplane.gates.submission import Submission
from controlplane.journal.run_events import JournalEvent, Scored, TrialEnded
from controlplane.journal.trial_reader import record_of
from controlplane.lifecycle import run_controls, watched_environment
from controlplane.lifecycle.resources.run_resources import open_resources
from controlplane.lifecycle.resources.run_solver import RunSpec
from controlplane.lifecycle.run_controls import RunControls
from controlplane.lifecycle.trial_lifecycle import run_trial
from controlplane.lifecycle.watched_environment import WatchedEnvironment
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Effect,
    Plain,
    ToolSchema,
    bounds,
)
from controlplane.solver import SolverSpec
from tests.support.journals import trial_records_of
from tests.support.phonebook import Phonebook

# Plays one trial of a phone book without a run around it.
#
# The task is to look up ada's number; the solver here answers "17" at once, which is right:
#
#     played = play_trial(Phonebook(delay_s=0.0))
#     played.score  # 1.0

# The events of a trial that was played or resumed, and what they say of it.


@dataclass(frozen=True)
class PlayedTrial:
    """The trial `ada-0` of the task `ada`, after it was played or resumed.

    Its `event_types` are `["trial_started", "submission_judged", "answer_sent", …, "trial_ended"]`.
    """

    events: list[JournalEvent]
    """What the journal of a run would get, in this order."""

    @property
    def event_types(self) -> list[str]:
        return [event.type for event in self.events]

    @property
    def sent_answers(self) -> list[AnswerSent]:
        return [event for event in self.events if isinstance(event, AnswerSent)]

    @property
    def ended_how(self) -> str:
        """How the trial ended: "answered" or "fallback"; empty if it was left open."""
        for event in self.events:
            if isinstance(event, TrialEnded):
                return event.how
        return ""

    @property
    def score(self) -> float | None:
        """The score that the benchmark gave, from 0 to 1; None if it gave none."""
        for event in self.events:
            if isinstance(event, Scored):
                return event.score
        return None


BeforeAnswer = Callable[[TrialSession], None]
"""What a test does in the trial before the solver answers, such as a call of its environment."""


def do_nothing(session: TrialSession) -> None:
    pass


@dataclass
class RightSolver:
    """Calls the test's function, and then gives the right answer, "17"."""

    before_answer: BeforeAnswer

    def solve(self, session: TrialSession) -> str:
        self.before_answer(session)
        answer = Submission(answer="17", outcome="OUTCOME_OK", refs=())
        judgement = session.submit(answer)
        return "" if judgement.accepted else judgement.message


def play_trial(
    benchmark: Phonebook,
    before_answer: BeforeAnswer = do_nothing,
    record: TrialRecord | None = None,
) -> PlayedTrial:
    """Play the trial; with the `record` of an interrupted one, resume it."""
    solver = SolverSpec(lambda tools: RightSolver(before_answer), roles=())
    spec = RunSpec(RunSettings(), opened=OpenedBenchmark(benchmark), solver=solver)
    trial = PlannedTrial("ada-0", "ada")
    events: list[JournalEvent] = []
    with open_resources(spec) as resources:
        run_trial(
            resources, trial, events.append, RunControls(), record or TrialRecord()
        )
    return PlayedTrial(events)


# An environment whose calls fail with given error codes, one after the other.
#
# An environment is what a benchmark gives to a trial: files to read, and a place for the answer. Each
# call takes 2 s by a clock of its own:
#
#     failing = FailingEnvironment(["unavailable", SUCCESS])
#     watched(failing, controls).call("read", {"path": "/a"})     raises CallError("unavailable")
#     failing.clock_s                                             -> 2.0

SUCCESS = ""
"""In place of an error code: the call succeeds."""

CALL_S = 2.0
"""How long each call takes by the clock of the environment."""


class FailingEnvironment:
    """Its first call fails with the first of these error codes, its second call with the second."""

    tool_schema = ToolSchema(operations=FILE_OPERATIONS)

    def __init__(self, codes: list[str]) -> None:
        self.remaining_codes = list(codes)
        self.clock_s = 0.0

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        self.clock_s += CALL_S
        code = self.remaining_codes.pop(0)
        if code != SUCCESS:
            raise CallError(code, "the call failed")
        return {}

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        self.call("answer", {})

    def now(self) -> None:
        return None


def watched(failing: FailingEnvironment, controls: RunControls) -> WatchedEnvironment:
    """Return the environment as a trial gets it: the run is told of each call that fails."""
    return WatchedEnvironment(failing, failing.tool_schema, controls, print)


# Calls of a trial that fail, and the pauses of the run that follow from them.
#
# Each call takes 2 s, and an outage of 3 s is borne. So one call that reaches nobody is borne, and
# the second one in a row, after 4 s, is one too many.


def read_file(environment: WatchedEnvironment) -> None:
    environment.call("read", {"path": "/a"})


def submit_answer(environment: WatchedEnvironment) -> None:
    environment.answer("a", "OUTCOME_OK", ())


MakeCall = Callable[[WatchedEnvironment], None]
"""Makes one call in an environment: `read_file` or `submit_answer`."""


def pauses_after(
    codes: list[str], make_call: MakeCall, monkeypatch: pytest.MonkeyPatch
) -> list[Exception]:
    """Make one call for each code, and return the reasons for which the run was paused.

    `pauses_after(["unauthenticated"], read_file, monkeypatch)` -> one reason, "… refuses the calls of
    trials (unauthenticated: the call failed)". The two modules that time calls are given the
    environment's clock, by which a call takes 2 s. The clock of the whole process stays as it is:
    servers of other tests run in threads of it, and would sleep for hours.
    """
    failing = FailingEnvironment(codes)
    clock = SimpleNamespace(monotonic=lambda: failing.clock_s)
    for module in (run_controls, watched_environment):
        monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(bounds, "LONGEST_OUTAGE_S", 3.0)
    pauses: list[Exception] = []
    environment = watched(failing, RunControls(pause=pauses.append))

    for _ in codes:
        with contextlib.suppress(CallError):
            make_call(environment)
    return pauses


# Recorded calls of a trial, and a new environment in which they are made again.

LOOK = FILE_OPERATIONS[0]._replace(name="look", effect=Effect.READS)
"""An operation that only reads."""
PUT = LOOK._replace(name="put", effect=Effect.ACTS)
"""An operation that changes something."""
FIND_ALL = LOOK._replace(name="find_all", effect=Effect.NONE, finds="a.module:function")
"""A function of the benchmark: it only computes, from results of other calls."""


class NewEnvironment:
    """Has no file, so that calls with a path fail, and keeps the names of the called operations."""

    tool_schema = ToolSchema((LOOK, PUT, FIND_ALL))

    def __init__(self) -> None:
        self.called: list[str] = []

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        self.called.append(operation)
        if "path" in arguments:
            raise CallError("not_found", "there is no such file")
        return {"number": len(self.called)}


def completed_call(operation: str) -> CallRecord:
    """Return the record of a call that returned `{"number": 1}`."""
    return CallRecord(operation=operation, arguments={}, result={"number": 1})


def failed_look(code: str) -> CallRecord:
    """Return the record of a read of the file `a` that failed with this error code."""
    return CallRecord(
        operation="look",
        arguments={"path": "a"},
        state="failed",
        error=CallFailure(code=code, message=""),
    )


# The run goes on if calls of a trial reach nobody for a short time, or the benchmark answers.
#
# `["unavailable", "not_found"]` are the codes of the errors with which two calls fail, one after the
# other. Each call takes 2 s, and the run bears an outage of 3 s: one call, but not two in a row.
#
#     unavailable                             nobody was reached: the outage begins or lasts
#     not_found, permission_denied, SUCCESS   the benchmark has answered: the outage is over
#     internal, unknown                       tell nothing: an outage lasts, but none begins


@pytest.mark.parametrize("make_call", [read_file, submit_answer])
@pytest.mark.parametrize(
    "codes",
    [
        pytest.param(["unavailable"], id="a single call that reached nobody"),
        pytest.param(
            ["unavailable", SUCCESS, "unavailable"],
            id="a success between two such calls",
        ),
        pytest.param(
            ["unavailable", "not_found", "unavailable"],
            id="an answer between two such calls",
        ),
        pytest.param(
            ["permission_denied", "internal", "unknown"],
            id="failures that the benchmark reported",
        ),
    ],
)
def test_the_run_goes_on_if_outages_are_short_or_the_benchmark_answers(
    codes: list[str], make_call: MakeCall, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert pauses_after(codes, make_call, monkeypatch) == []


# The run pauses if calls of a trial reach nobody for long, since those of other trials would fail, too.
#
# `["unavailable", "deadline_exceeded"]` are the codes of the errors with which two calls fail, one
# after the other. Each call takes 2 s, and the run bears an outage of 3 s: one call, but not two in a row.
#
#     unavailable, deadline_exceeded    nobody was reached
#     resource_exhausted                the benchmark takes no calls now, which counts as not reached
#     unknown                           tells nothing: an outage lasts, but none begins
#     unauthenticated                   the benchmark refuses the user's key: the run pauses at once


@pytest.mark.parametrize("make_call", [read_file, submit_answer])
@pytest.mark.parametrize(
    ("codes", "reason"),
    [
        pytest.param(
            ["unavailable", "deadline_exceeded"],
            "has not been reached for 4 s (deadline_exceeded: the call failed)",
            id="two calls that reached nobody",
        ),
        pytest.param(
            ["unavailable", "unknown", "resource_exhausted"],
            "has not been reached for 6 s",
            id="two such calls, and between them a failure that tells nothing",
        ),
        pytest.param(
            ["unauthenticated"],
            "refuses the calls of trials (unauthenticated: the call failed)",
            id="a wrong key",
        ),
    ],
)
def test_the_run_pauses_if_calls_reach_nobody_for_long(
    codes: list[str], reason: str, make_call: MakeCall, monkeypatch: pytest.MonkeyPatch
) -> None:
    (pause,) = pauses_after(codes, make_call, monkeypatch)

    assert reason in str(pause)


# A call of a trial that fails while the run stops may leave the trial open.
#
# Ctrl-C in a terminal also ends a benchmark's server. A read without an answer then raises
# `LeftOpen`: the trial is resumed later, and reads again. A write may have happened, so that its
# failure has to be recorded.


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
    stop = threading.Event()
    environment = watched(FailingEnvironment([code, code]), RunControls(stop=stop))

    with pytest.raises(CallError):
        environment.call(operation, {"path": "/a"})
    stop.set()
    with pytest.raises(error_after_stop):
        environment.call(operation, {"path": "/a"})


# A trial that is resumed begins anew if the benchmark has lost its environment, as after a crash.
#
# The record of a trial, which is read from its events, has the calls that its environment has got.
# The events of the first part stay, with a call of `lookup`. But the new environment has not got this
# call, so that the record has no calls after the new beginning.


class ForgetfulPhonebook(Phonebook):
    """A phone book that gives a resumed trial a new environment, and says so."""

    def start_trial(self, trial_id: str) -> Trial:
        return replace(super().start_trial(trial_id), begins_anew=True)


def test_a_resumed_trial_begins_anew_if_its_environment_is_gone() -> None:
    def look_up_and_stop(session: TrialSession) -> None:
        session.call("lookup", {"name": "ada"})
        raise LeftOpen

    interrupted = play_trial(Phonebook(delay_s=0.0), before_answer=look_up_and_stop)
    first_record = trial_records_of(interrupted.events)["ada-0"]
    (call,) = first_record.all_calls
    assert call.operation == "lookup"

    resumed = play_trial(ForgetfulPhonebook(delay_s=0.0), record=first_record)

    (started,) = [event for event in resumed.events if isinstance(event, TrialStarted)]
    assert started.begins_anew
    assert "trial_ended" in resumed.event_types
    record_of_both = record_of([*interrupted.events, *resumed.events])
    assert list(record_of_both.all_calls) == []


# A trial that is stopped in the middle stays open, so that it can be resumed later.
#
# When a run stops, it raises an error in its trials: `LeftOpen` from a call, or `Abandoned` from a
# request to a model. The error alone decides: a trial stays open even if it meets the error in a run
# that does not stop, as here.


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
    def wait_in_vain(session: TrialSession) -> None:
        raise error

    played = play_trial(Phonebook(delay_s=0.0), before_answer=wait_in_vain)

    assert "trial_left_open" in played.event_types
    assert played.sent_answers == []
    assert "trial_ended" not in played.event_types


# Recorded calls are made again if the environment in which they were made is gone.
#
# A trial put a file into its environment, and was interrupted. It goes on in a new environment, which
# lacks the file. So the recorded `put`, which changed something, is made again, and a recorded
# `look`, which only read, if the caller asks for reads, to compare the results.


@pytest.mark.parametrize("repeats_reads", [False, True])
def test_a_recorded_change_is_made_again(repeats_reads: bool) -> None:
    put = completed_call("put")
    environment = NewEnvironment()

    (repeated,) = repeat_calls(environment, [put], repeats_reads=repeats_reads)

    assert environment.called == ["put"]
    assert repeated.recorded == put
    assert repeated.error is None


@pytest.mark.parametrize(
    "read",
    [
        pytest.param(completed_call("look"), id="a result"),
        pytest.param(failed_look("not_found"), id="no such file"),
    ],
)
def test_a_recorded_read_is_left_out_if_it_is_not_asked_for(read: CallRecord) -> None:
    """It changed nothing, so the new environment does not need it."""
    environment = NewEnvironment()

    assert list(repeat_calls(environment, [read], repeats_reads=False)) == []
    assert environment.called == []


def test_calls_are_made_again_in_their_order() -> None:
    calls = [completed_call("look"), completed_call("put"), failed_look("not_found")]
    environment = NewEnvironment()

    repeated_calls = list(repeat_calls(environment, calls, repeats_reads=True))

    assert environment.called == ["look", "put", "look"]
    assert [repeated.recorded for repeated in repeated_calls] == calls


# A recorded read is made again, if it is asked for, to compare the results.
#
# A trial was interrupted, and goes on in a new environment. Its recorded `look` only read. The new
# environment has no file, so that a read of a path fails.


def test_a_recorded_read_is_made_again_if_it_is_asked_for() -> None:
    look = completed_call("look")
    environment = NewEnvironment()

    (repeated,) = repeat_calls(environment, [look], repeats_reads=True)

    assert environment.called == ["look"]
    assert repeated.recorded == look
    assert repeated.error is None


def test_a_recorded_read_of_a_missing_file_is_made_again_if_it_is_asked_for() -> None:
    """`not_found` is an answer, with which the new one can be compared. Here, it is the
    same."""
    look = failed_look("not_found")
    environment = NewEnvironment()

    (repeated,) = repeat_calls(environment, [look], repeats_reads=True)

    assert environment.called == ["look"]
    assert repeated.recorded == look
    assert repeated.error is not None


# A recorded call that the environment did not answer is left out when calls are made again.
#
# A trial was interrupted, and goes on in a new environment. `repeat_calls(environment,
# recorded_calls, ...)` makes the recorded calls again, and yields each that it made. The outcome of
# some calls came from somebody else, and says nothing about the environment.

PUT_BEYOND_LIMIT = CallRecord(
    operation="put",
    arguments={},
    state="not_made",
    error=CallFailure(code="resource_exhausted", message="the calls are used up"),
)
"""The trial had no calls left."""


@pytest.mark.parametrize("repeats_reads", [False, True])
@pytest.mark.parametrize(
    "call",
    [
        pytest.param(failed_look("unavailable"), id="nobody answered"),
        pytest.param(completed_call("find_all"), id="a function of the benchmark did"),
        pytest.param(completed_call("server.tool"), id="another server did"),
        pytest.param(PUT_BEYOND_LIMIT, id="it was refused before it was sent"),
    ],
)
def test_a_call_that_the_environment_did_not_answer_is_not_made_again(
    call: CallRecord, repeats_reads: bool
) -> None:
    environment = NewEnvironment()

    repeated = list(repeat_calls(environment, [call], repeats_reads=repeats_reads))

    assert repeated == []
    assert environment.called == []


# A recorded change that was interrupted is not made again, since it may have happened.
#
# A trial was interrupted while it called `put`, which changes something, and goes on in a new
# environment. `repeat_calls` makes its recorded calls again. It lists such a change with a remark,
# but does not make it.

PUT_UNDER_WAY = CallRecord(operation="put", arguments={}, state="under_way")
"""The trial was interrupted before `put` returned."""

PUT_WITH_LOST_REPLY = CallRecord(
    operation="put",
    arguments={"path": "a"},
    state="lost",
    error=CallFailure(code="unknown", message=""),
)
"""The reply to `put` did not arrive."""


@pytest.mark.parametrize("repeats_reads", [False, True])
@pytest.mark.parametrize(
    "put",
    [
        pytest.param(PUT_UNDER_WAY, id="under way"),
        pytest.param(PUT_WITH_LOST_REPLY, id="reply lost"),
    ],
)
def test_a_change_that_was_cut_off_is_listed_and_not_made_again(
    put: CallRecord, repeats_reads: bool
) -> None:
    environment = NewEnvironment()

    (listed,) = repeat_calls(environment, [put], repeats_reads=repeats_reads)

    assert environment.called == []
    assert listed.recorded == put
    assert listed.difference == "was interrupted, so its end state is not known"


# An answer of a trial is sent until the environment, which is too busy at first, takes it.
#
# A trial sends its answer, "17", to the environment. The event `AnswerSent` records it. An answer
# that is sent once more, after the script that gave it has ended, is marked as `late`.


class BusyPhonebook(Phonebook):
    """A phone book that is too busy to take the first answers, as many as `refused_answers`."""

    def __init__(self, *, refused_answers: int) -> None:
        super().__init__(delay_s=0.0)
        self.refused_answers = refused_answers

    def start_trial(self, trial_id: str) -> Trial:
        trial = super().start_trial(trial_id)
        environment = self.worlds[trial_id]
        take_answer = environment.answer

        def refuse_or_take_answer(*answer: Any) -> None:
            if self.refused_answers > 0:
                self.refused_answers -= 1
                raise CallError("unavailable", "busy")
            take_answer(*answer)

        environment.answer = refuse_or_take_answer
        return trial


def test_an_accepted_answer_is_sent_until_the_environment_takes_it() -> None:
    played = play_trial(BusyPhonebook(refused_answers=2))

    assert [sent.message for sent in played.sent_answers] == ["17", "17", "17"]
    assert [sent.late for sent in played.sent_answers] == [False, True, True]
    assert played.ended_how == "answered"
    assert played.score == 1.0


def test_a_recorded_answer_is_sent_until_the_environment_takes_it() -> None:
    """The trial was interrupted when it had sent its answer."""
    sent_answer = AnswerSent(
        trial_id="ada-0", step=1, message="17", outcome="OUTCOME_OK", refs=()
    )

    played = play_trial(
        BusyPhonebook(refused_answers=1), record=TrialRecord(answer=sent_answer)
    )

    assert {sent.message for sent in played.sent_answers} == {"17"}
    assert played.ended_how == "answered"
    assert played.score == 1.0


# A trial that was interrupted when it had sent its answer, "17", sends it again when it is resumed.
#
# The events of such a trial end like this:
#
#     answer_sent      a script gives the answer, which is about to be sent
#     answer_done      the environment has taken it
#     step             the script has ended
#     score
#     trial_ended
#
# An answer that is sent again without its script is marked as `late`.


def record_up_to(last_event_type: str) -> TrialRecord:
    """Play the trial, and return its record as if the run had been killed after this event."""
    played = play_trial(Phonebook(delay_s=0.0))
    kept_count = played.event_types.index(last_event_type) + 1
    return trial_records_of(played.events[:kept_count])["ada-0"]


def test_an_answer_that_was_cut_off_is_sent_again_in_its_step() -> None:
    """Nobody knows whether the environment has taken the answer. The script has not ended."""
    record = record_up_to("answer_sent")

    resumed = play_trial(Phonebook(delay_s=0.0), record=record)

    assert resumed.event_types == [
        "trial_started",
        "answer_done",
        "step",
        "score",
        "trial_ended",
    ]
    assert resumed.ended_how == "answered"
    assert resumed.score == 1.0


@pytest.mark.parametrize("last_event_type", ["answer_done", "step"])
def test_an_answer_that_was_taken_is_sent_again_because_the_environment_may_be_new(
    last_event_type: str,
) -> None:
    """The environment had taken the answer. The resumed trial has a new one, which lacks it."""
    record = record_up_to(last_event_type)

    resumed = play_trial(Phonebook(delay_s=0.0), record=record)

    (sent,) = resumed.sent_answers
    assert sent.message == "17"
    assert sent.late is True
    assert resumed.ended_how == "answered"
    assert resumed.score == 1.0
