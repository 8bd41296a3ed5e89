"""Trials of the second solver that are resumed after their process was killed.

A trial writes its events into a journal: calls, replies of models, answers. If its process is
killed, another one resumes the trial from the events that were written, and does only what is
missing: three of five replies are recorded -> the model is asked for the other two.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from controlplane.agent.events import CallEvent, ModelReplied, StepDone, TrialEvent
from controlplane.agent.exoskeleton import Part
from tests.agent.exoskeleton.trial_with_mistakes import play_trial_with_mistakes
from tests.support.books.attempt_result import AttemptResult
from tests.support.books.library_calls import (
    FIND_BOOKS_BY_AUSTEN,
    completion_call,
    tool_call,
)
from tests.support.books.model_by_turn import ModelByTurn
from tests.support.books.solver_attempts import run_attempt


@dataclass(frozen=True)
class ResumedTrial:
    """A trial that was killed after some of its events, and then resumed to its end."""

    recorded: Sequence[TrialEvent]
    """The events that were written before the process was killed."""
    lost: Sequence[TrialEvent]
    """The events that would have followed."""
    attempt: AttemptResult
    """What the second process did."""

    @property
    def all_events(self) -> list[TrialEvent]:
        """The events of both processes, which must be those of one trial."""
        return [*self.recorded, *self.attempt.events]

    def count(self, event_type: str) -> int:
        """Return how many events of a type both processes have written together."""
        return [event.type for event in self.all_events].count(event_type)


@pytest.fixture(scope="module")
def whole_trial() -> AttemptResult:
    """The trial without an interruption."""
    return play_trial_with_mistakes()


@pytest.fixture(scope="module")
def resumed_trials(whole_trial: AttemptResult) -> list[ResumedTrial]:
    """The trial as it is resumed after its first event, after its second event, and so on."""
    resumed_trials: list[ResumedTrial] = []
    for event_count in range(1, len(whole_trial.events)):
        recorded = whole_trial.events[:event_count]
        lost = whole_trial.events[event_count:]
        attempt = play_trial_with_mistakes(recorded)
        resumed_trials.append(ResumedTrial(recorded, lost, attempt))
    return resumed_trials


def feedback_in(events: Sequence[TrialEvent]) -> list[tuple[str, ...]]:
    """Return what the model was told in each step."""
    return [event.feedback for event in events if isinstance(event, StepDone)]


class TestResumedTrials:
    """A trial is killed after each of its events in turn, and resumed to the same end.

    It has five steps, each a reply of the model with its calls, and two answers. The gates, which
    are checks of answers, reject the first one.
    """

    def test_a_resumed_trial_has_an_answer(
        self, resumed_trials: list[ResumedTrial]
    ) -> None:
        for resumed in resumed_trials:
            reason_without_answer = resumed.attempt.reason
            assert reason_without_answer == "", len(resumed.recorded)

    def test_only_replies_that_were_lost_are_asked_for_again(
        self, resumed_trials: list[ResumedTrial]
    ) -> None:
        for resumed in resumed_trials:
            lost_replies = [
                event for event in resumed.lost if isinstance(event, ModelReplied)
            ]
            requests = resumed.attempt.model.requests
            assert len(requests) == len(lost_replies), len(resumed.recorded)

    def test_each_step_is_made_once(self, resumed_trials: list[ResumedTrial]) -> None:
        for resumed in resumed_trials:
            assert resumed.count("step") == 5, len(resumed.recorded)

    def test_each_answer_is_judged_once(
        self, resumed_trials: list[ResumedTrial]
    ) -> None:
        """The trial has two: one is rejected, and one accepted."""
        for resumed in resumed_trials:
            assert resumed.count("submission_judged") == 2, len(resumed.recorded)

    def test_the_answer_is_sent_once(self, resumed_trials: list[ResumedTrial]) -> None:
        for resumed in resumed_trials:
            assert resumed.count("answer_sent") == 1, len(resumed.recorded)

    def test_the_model_is_told_the_same_as_without_an_interruption(
        self, whole_trial: AttemptResult, resumed_trials: list[ResumedTrial]
    ) -> None:
        feedback_of_whole_trial = feedback_in(whole_trial.events)
        for resumed in resumed_trials:
            feedback = feedback_in(resumed.all_events)
            assert feedback == feedback_of_whole_trial, len(resumed.recorded)


def attempt_to_lend(recorded: Sequence[TrialEvent] = ()) -> AttemptResult:
    """Play a trial whose model first lends a book by the tool `/bin/lend`, or resume it.

    `shelf.lent` is the number of books that this attempt lends; an earlier one is not counted.
    """
    model = ModelByTurn(
        [
            [tool_call("exec", path="/bin/lend")],
            [FIND_BOOKS_BY_AUSTEN],
            [completion_call()],
        ],
        # The classifier says that the request wants a change, so the model may lend.
        other_models={"classify": '{"change": true, "who": ""}'},
    )
    return run_attempt(
        model,
        instruction="Lend emma, and say which books are by Austen.",
        parts=[Part.CLASSIFIER, Part.PREFLIGHT, Part.EVIDENCE_STORE],
        recorded=recorded,
    )


def events_up_to_announced_lending(attempt: AttemptResult) -> Sequence[TrialEvent]:
    """Return the events up to the one that announces the run of `/bin/lend`."""
    for position, event in enumerate(attempt.events):
        if not isinstance(event, CallEvent):
            continue
        if event.is_announcement and event.operation == "exec":
            return attempt.events[: position + 1]
    raise AssertionError("nothing was lent")


class TestUncertainCalls:
    """A call that may have been made before the interruption is not made again.

    The journal announces a call before it is made, and has its result behind that. If only the
    announcement is there, nobody knows whether the call was made.
    """

    def test_a_call_that_may_have_happened_is_not_made_again(self) -> None:
        """1. The process announces the lending, and lends the book.
        2. It is killed before it writes the result down.
        3. The resumed trial does not lend a second time, and tells the model why."""
        killed_attempt = attempt_to_lend()
        assert killed_attempt.shelf.lent == 1
        recorded = events_up_to_announced_lending(killed_attempt)

        resumed = attempt_to_lend(recorded)

        assert resumed.shelf.lent == 0
        assert "whether it happened is not known" in resumed.shown_to_model
