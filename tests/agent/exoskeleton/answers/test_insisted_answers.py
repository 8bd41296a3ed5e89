"""An answer to which a gate objects, and on which the model insists.

Gates judge an answer before it is sent. The gate that judges the wording may be wrong, so it objects
twice. If the model then hands in the same answer a third time, the answer is accepted, and the gate
counts as `overridden`:

    "OUTCOME_OK: 2" -> objection: the text names an outcome. An answer has another field for that.
    "OUTCOME_OK: 2" -> the same objection
    "OUTCOME_OK: 2" -> accepted
"""

from collections.abc import Sequence

import pytest

from controlplane.agent.events import AnswerSent, TrialEvent
from controlplane.agent.exoskeleton import Part
from tests.support.books.attempt_result import AttemptResult
from tests.support.books.library_calls import FIND_BOOKS_BY_AUSTEN, completion_call
from tests.support.books.model_by_turn import ModelByTurn
from tests.support.books.solver_attempts import run_attempt


def attempt_to_insist(recorded: Sequence[TrialEvent] = ()) -> AttemptResult:
    """Play a trial whose model hands in the same answer three times, or resume it.

    No other part of the solver changes the answer before the gates judge it.
    """
    answer = [completion_call("OUTCOME_OK: 2")]
    model = ModelByTurn([[FIND_BOOKS_BY_AUSTEN], answer, answer, answer])
    return run_attempt(
        model,
        instruction='How many books are by Austen? Answer exactly in the format "%d".',
        parts=[Part.PREFLIGHT],
        recorded=recorded,
    )


@pytest.fixture(scope="module")
def trial() -> AttemptResult:
    """The trial without an interruption."""
    return attempt_to_insist()


def test_an_answer_is_accepted_the_third_time(trial: AttemptResult) -> None:
    accepted = [judged.accepted for judged in trial.judged_answers]

    assert accepted == [False, False, True]
    reason_for_no_answer = trial.reason
    assert reason_for_no_answer == ""
    answers_sent = trial.shelf.answers  # The shelf is the environment.
    assert answers_sent == ["OUTCOME_OK: 2"]


def test_only_the_third_time_counts_as_overridden(trial: AttemptResult) -> None:
    overridden_counts = [len(judged.overridden) for judged in trial.judged_answers]

    assert overridden_counts == [0, 0, 1]


def test_a_resumed_trial_remembers_how_often_an_answer_was_given(
    trial: AttemptResult,
) -> None:
    """The process is killed after each event in turn, until the answer is sent. The answer is then
    accepted in the same step as without an interruption."""
    position_of_sending = [type(event) for event in trial.events].index(AnswerSent)

    for event_count in range(1, position_of_sending):
        resumed = attempt_to_insist(recorded=trial.events[:event_count])

        last_step = resumed.steps[-1]
        (judged,) = last_step.verdicts
        assert judged.accepted, event_count
        assert len(judged.overridden) == 1, event_count
        assert last_step.step == trial.steps[-1].step, event_count
