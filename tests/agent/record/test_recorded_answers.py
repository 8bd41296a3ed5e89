"""What the journal of a trial says about its answer: whether it solves the trial, and which step sent it.

A process may be killed at any time. The next one goes on unless the trial `is_solved`: a step has sent
an answer and is done, or an answer was sent *late*, after all steps. Whether the environment took the
answer does not matter here: sending an answer again needs no solver.
"""

import pytest

from controlplane.agent.events import (
    AnswerDone,
    AnswerSent,
    CallFailure,
    StepDone,
    TrialEvent,
)
from controlplane.agent.record.recorded_start import is_solved, step_of_answer
from tests.support.journals.trial_records import trial_records_of

SENT_IN_STEP_3 = AnswerSent(
    trial_id="t-1", step=3, message="17", outcome="OUTCOME_OK", refs=()
)
SENT_LATE = SENT_IN_STEP_3.model_copy(update={"late": True})
"""Sent after all steps. The number of the last step, 3, says nothing then."""

TAKEN = AnswerDone(trial_id="t-1", step=3)
TAKEN_BEFORE = AnswerDone(
    trial_id="t-1", step=3, error=CallFailure(code="already_exists", message="again")
)
NOT_TAKEN = AnswerDone(
    trial_id="t-1", step=3, error=CallFailure(code="unavailable", message="busy")
)
STEP_3_DONE = StepDone(trial_id="t-1", step=3, used_ms=7.0)


@pytest.mark.parametrize(
    ("events", "solved", "step"),
    [
        pytest.param([STEP_3_DONE], False, None, id="no answer"),
        # Step 3 sends the answer, and the process is killed before the step is done.
        pytest.param([SENT_IN_STEP_3], False, 3, id="killed while sending"),
        pytest.param([SENT_IN_STEP_3, TAKEN], False, 3, id="killed after sending"),
        # Step 3 sends the answer and is done.
        pytest.param([SENT_IN_STEP_3, TAKEN, STEP_3_DONE], True, 3, id="taken"),
        pytest.param([SENT_IN_STEP_3, NOT_TAKEN, STEP_3_DONE], True, 3, id="not taken"),
        # The next process sends it again, since the environment may have lost it.
        pytest.param(
            [SENT_IN_STEP_3, TAKEN, STEP_3_DONE, SENT_LATE],
            True,
            3,
            id="taken, and sent again",
        ),
        pytest.param(
            [SENT_IN_STEP_3, TAKEN_BEFORE, STEP_3_DONE, SENT_LATE],
            True,
            3,
            id="taken before, and sent again",
        ),
        # No step has sent the answer.
        pytest.param([STEP_3_DONE, SENT_LATE], True, None, id="only sent late"),
    ],
)
def test_the_record_says_if_a_trial_is_solved_and_which_step_sent_the_answer(
    events: list[TrialEvent], solved: bool, step: int | None
) -> None:
    record = trial_records_of(events)["t-1"]

    assert is_solved(record) is solved
    assert step_of_answer(record) == step
