"""The fallback: what is sent if a trial ends and the gates have accepted none of its answers.

It is the last submission that can be sent at all: "41" was rejected, "42" was rejected, the time is up
-> "42" is sent. Each submission here cites a file that was not read, so it is rejected.
"""

import pytest

from controlplane.agent.gated_exit import fallback_answer
from tests.agent.gated_exit.fallback.trial_without_answer import TrialWithoutAnswer


def test_the_fallback_is_the_last_submission() -> None:
    trial = TrialWithoutAnswer()
    trial.submit_in_vain("41")
    trial.submit_in_vain("42")

    sent = fallback_answer(trial.gated_exit, "the time is up")

    assert sent.fallback
    assert sent.message == "42"
    assert sent.outcome == "OUTCOME_OK"


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        pytest.param("  ", "OUTCOME_OK", id="a blank answer"),
        pytest.param("43", "OUTCOME_FINE", id="an outcome that does not exist"),
        pytest.param("43", "OUTCOME_ERR_INTERNAL", id="the script gives up"),
    ],
)
def test_a_submission_that_cannot_be_sent_is_not_the_fallback(
    answer: str, outcome: str
) -> None:
    """The one before it is sent."""
    trial = TrialWithoutAnswer()
    trial.submit_in_vain("42")
    trial.submit_in_vain(answer, outcome)

    sent = fallback_answer(trial.gated_exit, "the time is up")

    assert sent.message == "42"
    assert sent.outcome == "OUTCOME_OK"


def test_several_submissions_that_cannot_be_sent_are_passed_over() -> None:
    trial = TrialWithoutAnswer()
    trial.submit_in_vain("41")
    trial.submit_in_vain("42")
    trial.submit_in_vain("  ")
    trial.submit_in_vain("42", "OUTCOME_FINE")
    trial.submit_in_vain("42", "OUTCOME_ERR_INTERNAL")

    sent = fallback_answer(trial.gated_exit, "the time is up")

    assert sent.message == "42"
    assert sent.outcome == "OUTCOME_OK"
