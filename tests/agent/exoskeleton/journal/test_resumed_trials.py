"""A trial is killed after each of its events in turn, and resumed to the same end.

A trial writes its events into a journal: replies of the model, judged answers, the answer that is
sent. If its process is killed, another one resumes the trial from the events that were written, and
does only what is missing: two of four replies are recorded -> the model is asked for the other two.
"""

from collections.abc import Sequence

import pytest

from controlplane.agent.events import ModelReplied, StepDone, TrialEvent
from tests.agent.exoskeleton.journal.resumed_trial import ResumedTrial
from tests.support.books.attempt_result import AttemptResult


@pytest.fixture(scope="module")
def resumed_trials(trial: AttemptResult) -> list[ResumedTrial]:
    """The trial as it is resumed after its first event, after its second event, and so on."""
    event_counts = range(1, len(trial.events))
    return [ResumedTrial.after(count, trial.events) for count in event_counts]


def test_a_resumed_trial_has_an_answer(resumed_trials: list[ResumedTrial]) -> None:
    """`reason` says why a trial has no answer."""
    for resumed in resumed_trials:
        assert resumed.attempt.reason == "", len(resumed.recorded)


def test_only_replies_that_were_lost_are_asked_for_again(
    resumed_trials: list[ResumedTrial],
) -> None:
    for resumed in resumed_trials:
        lost_replies = [
            event for event in resumed.lost if isinstance(event, ModelReplied)
        ]
        requests = resumed.attempt.model.requests
        assert len(requests) == len(lost_replies), len(resumed.recorded)


def test_each_step_is_made_once(resumed_trials: list[ResumedTrial]) -> None:
    for resumed in resumed_trials:
        assert resumed.count("step") == 5, len(resumed.recorded)


def test_each_answer_is_judged_once(resumed_trials: list[ResumedTrial]) -> None:
    """The trial has two: one is rejected, and one accepted."""
    for resumed in resumed_trials:
        assert resumed.count("submission_judged") == 2, len(resumed.recorded)


def test_the_answer_is_sent_once(resumed_trials: list[ResumedTrial]) -> None:
    for resumed in resumed_trials:
        assert resumed.count("answer_sent") == 1, len(resumed.recorded)


def test_the_model_is_told_the_same_as_without_an_interruption(
    trial: AttemptResult, resumed_trials: list[ResumedTrial]
) -> None:
    for resumed in resumed_trials:
        assert feedback_in(resumed.all_events) == feedback_in(trial.events)


def feedback_in(events: Sequence[TrialEvent]) -> list[tuple[str, ...]]:
    """Return what the model was told in each step."""
    return [event.feedback for event in events if isinstance(event, StepDone)]
