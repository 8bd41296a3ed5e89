"""One trial from its start to its end, whatever fails in it.

A trial gives a solver its task, passes calls to the environment, checks the answer, and sends it.
The tests show trials that were interrupted and are resumed from their record: what the journal says
of them, such as the calls that they made. They also show environments that are too busy for an
answer.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from controlplane import OpenedBenchmark, PlannedTrial, Trial
from controlplane.agent.events import (
    AnswerDone,
    AnswerSent,
    StepDone,
    TrialStarted,
)
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
from controlplane.lifecycle.trials.trial_lifecycle import run_trial
from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface import (
    CallError,
)
from tests.support.phonebook import Phonebook
from tests.support.scored_journal import trial_records_of

# --- A trial that a test plays ---
#
# The benchmark is a phone book. The task is to look up ada's number, 17. A solver, which is usually
# a model with its scripts, has to answer it; here it is `RightSolver`.

PLANNED_TRIAL = PlannedTrial("ada-0", "ada")
"""The trial's id and its task."""

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


def open_phonebook() -> Phonebook:
    return Phonebook(delay_s=0.0)


def resources_of_run(
    solver: RightSolver, benchmark: Phonebook, server: ForkServer
) -> Any:
    """Return what a run provides to its trials, as far as a trial without a model needs it."""
    no_side_models = SimpleNamespace(ask=None, has_reader=False)
    any_operation_may_be_called = SimpleNamespace(
        check_names=lambda tool_schema: None,
        of=lambda environment: environment.tool_schema,
    )
    process_that_checks_answers = SimpleNamespace(
        worker_of=lambda trial: Worker(server),
        functions_of=lambda session: contextlib.nullcontext(),
    )
    return SimpleNamespace(
        spec=SimpleNamespace(
            settings=RunSettings(), tools=None, makes_initial_prompt=True
        ),
        benchmark=benchmark,
        opened=OpenedBenchmark(benchmark),
        setup=SimpleNamespace(solver=solver, side_models=no_side_models),
        models=SimpleNamespace(context_tokens=None),
        operations=any_operation_may_be_called,
        sandbox=process_that_checks_answers,
        gates=GateSettings(),
        notices=Notices(),
        budget=RunBudget(),
    )


@dataclass
class TrialPlayer:
    """Plays the trial, as often as a test wants: `player.play()` returns its events."""

    server: ForkServer
    """Starts the processes in which answers are checked."""

    def play(
        self,
        *,
        before_answer: BeforeAnswer = do_nothing,
        benchmark: Phonebook | None = None,
        record: TrialRecord | None = None,
    ) -> list[JournalEvent]:
        """Play the trial, and return the events that the journal of its run would get.

        With the `record` of an interrupted trial, that trial is resumed.
        """
        events: list[JournalEvent] = []
        resources = resources_of_run(
            RightSolver(before_answer), benchmark or open_phonebook(), self.server
        )
        run_trial(
            resources,
            PLANNED_TRIAL,
            events.append,
            RunControls(),
            record or TrialRecord(),
        )
        return events


@pytest.fixture(scope="module")
def player() -> Iterator[TrialPlayer]:
    with ForkServer(judging_modules(())) as server:
        yield TrialPlayer(server)


def events_of(event_type: type, events: list[JournalEvent]) -> list[Any]:
    """Return the events of this type."""
    return [event for event in events if isinstance(event, event_type)]


def check_right_answer_was_scored(events: list[JournalEvent]) -> None:
    """Assert that the trial ended with an answer, which the benchmark found right."""
    (ended,) = events_of(TrialEnded, events)
    (scored,) = events_of(Scored, events)
    assert ended.how == "answered"
    assert scored.score == 1.0


# --- Trials that are left open, and begin anew ---


class ForgetfulPhonebook(Phonebook):
    """A phone book that loses the environment of an interrupted trial: it begins anew."""

    def start_trial(self, trial_id: str) -> Trial:
        return replace(super().start_trial(trial_id), begins_anew=True)


def look_up_and_stop(session: TrialSession) -> None:
    """Make one call, and leave the trial open, as a run does that is stopped."""
    session.call("lookup", {"name": "ada"})
    raise LeftOpen


def test_a_resumed_trial_begins_anew_if_its_environment_is_gone(
    player: TrialPlayer,
) -> None:
    """1. The trial makes one call, and is interrupted. Its record has the call.
    2. It is resumed in a new environment, and answers at once.
    3. The journal still has the call, but the record has not: the new environment never had it."""
    first_events = player.play(before_answer=look_up_and_stop)
    first_record = trial_records_of(first_events)[PLANNED_TRIAL.trial_id]
    assert list(first_record.all_calls) != []

    resumed_events = player.play(
        benchmark=ForgetfulPhonebook(delay_s=0.0), record=first_record
    )

    (started,) = events_of(TrialStarted, resumed_events)
    assert started.begins_anew
    assert events_of(TrialEnded, resumed_events)
    record_of_both = record_of([*first_events, *resumed_events])
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
    error: Exception, player: TrialPlayer
) -> None:
    """If a run stops, what a trial waits for raises one of these errors. It leaves the trial open,
    so that it can be resumed, even if the run has not set its signal to stop, as here."""

    def stop(session: TrialSession) -> None:
        raise error

    events = player.play(before_answer=stop)

    assert events_of(TrialLeftOpen, events)
    assert not events_of(AnswerSent, events)
    assert not events_of(TrialEnded, events)


# --- Answers that are sent again ---
#
# A trial sends its answer to the environment, and two events record it: `AnswerSent` before the
# answer is sent, and `AnswerDone` when the environment has taken it. An answer that is sent once
# more, after the script that gave it has ended, is marked as `late`.


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


def test_an_accepted_answer_is_sent_until_the_environment_takes_it(
    player: TrialPlayer,
) -> None:
    """The environment is busy twice, so that the answer "17" is sent three times."""
    events = player.play(benchmark=BusyPhonebook(refused_answers=2))

    answers = events_of(AnswerSent, events)
    assert [answer.message for answer in answers] == ["17", "17", "17"]
    assert [answer.late for answer in answers] == [False, True, True]
    check_right_answer_was_scored(events)


def test_a_recorded_answer_is_sent_until_the_environment_takes_it(
    player: TrialPlayer,
) -> None:
    """The trial was interrupted when it had sent its answer. It is resumed, and sends the answer
    again; the environment is busy once."""
    sent_answer = AnswerSent(
        trial_id=PLANNED_TRIAL.trial_id,
        step=1,
        message="17",
        outcome="OUTCOME_OK",
        refs=(),
    )

    events = player.play(
        benchmark=BusyPhonebook(refused_answers=1),
        record=TrialRecord(answer=sent_answer),
    )

    assert {answer.message for answer in events_of(AnswerSent, events)} == {"17"}
    check_right_answer_was_scored(events)


def record_up_to(event_type: type, events: list[JournalEvent]) -> TrialRecord:
    """Return the record of a trial that was cut off after its event of this type."""
    kept_events: list[JournalEvent] = []
    for event in events:
        kept_events.append(event)
        if isinstance(event, event_type):
            break
    return trial_records_of(kept_events)[PLANNED_TRIAL.trial_id]


def test_an_answer_that_was_cut_off_is_sent_again_in_its_step(
    player: TrialPlayer,
) -> None:
    """The record ends with `AnswerSent`: nobody knows whether the answer was taken."""
    record = record_up_to(AnswerSent, player.play())

    events = player.play(record=record)

    assert [event.type for event in events] == [
        "trial_started",
        "answer_done",
        "step",
        "score",
        "trial_ended",
    ]
    check_right_answer_was_scored(events)


@pytest.mark.parametrize("last_event_type", [AnswerDone, StepDone])
def test_an_answer_that_was_taken_is_sent_again_because_the_environment_may_be_new(
    last_event_type: type, player: TrialPlayer
) -> None:
    """The environment had taken the answer (`AnswerDone`) before the trial was interrupted. The
    resumed trial has a new environment, which lacks the answer."""
    record = record_up_to(last_event_type, player.play())

    events = player.play(record=record)

    (answer,) = events_of(AnswerSent, events)
    assert answer.late is True
    assert answer.message == "17"
    check_right_answer_was_scored(events)
