"""What the journal of a trial says about its answer: whether work is left, and which step sent it."""

import pytest

from controlplane.agent.events import (
    AnswerDone,
    AnswerSent,
    CallFailure,
    StepDone,
    TrialEvent,
)
from controlplane.agent.record.recorded_answer import is_solved, step_of_answer
from tests.support.journals.read_events import trial_records_of

IN_STEP = AnswerSent(
    trial_id="t-1", step=3, message="17", outcome="OUTCOME_OK", refs=()
)
LATE = IN_STEP.model_copy(update={"late": True})
TAKEN = AnswerDone(trial_id="t-1", step=3)
HAD_IT_BEFORE = AnswerDone(
    trial_id="t-1", step=3, error=CallFailure(code="already_exists", message="again")
)
BUSY = AnswerDone(
    trial_id="t-1", step=3, error=CallFailure(code="unavailable", message="busy")
)
STEP_DONE = StepDone(trial_id="t-1", step=3, used_ms=7.0)


@pytest.mark.parametrize(
    ("events", "has_no_work_left", "step"),
    [
        pytest.param([STEP_DONE], False, None, id="no answer"),
        pytest.param([IN_STEP], False, 3, id="killed while it was sent"),
        pytest.param([IN_STEP, TAKEN], False, 3, id="killed in its step"),
        pytest.param([IN_STEP, TAKEN, STEP_DONE], True, 3, id="killed after its step"),
        pytest.param([IN_STEP, BUSY, STEP_DONE], True, 3, id="not taken yet"),
        pytest.param([IN_STEP, TAKEN, STEP_DONE, LATE], True, 3, id="sent again"),
        pytest.param(
            [IN_STEP, HAD_IT_BEFORE, STEP_DONE, LATE],
            True,
            3,
            id="taken although its result was lost, and sent again",
        ),
        pytest.param([STEP_DONE, LATE], True, None, id="after all steps"),
    ],
)
def test_the_record_says_if_work_is_left_and_which_step_sent_the_answer(
    events: list[TrialEvent], has_no_work_left: bool, step: int | None
) -> None:
    record = trial_records_of(events)["t-1"]

    assert is_solved(record) is has_no_work_left
    assert step_of_answer(record) == step
