"""An answer that the gates accept is sent to the environment of the trial, and another one is not.

The gates are checks of answers: gate 6 rejects the outcome "OUTCOME_FINE", since there is no such
outcome. `gated_exit.submit` judges an answer, and sends it if it is accepted.
"""

from controlplane.agent.events import SubmissionJudged, TrialEvent
from controlplane.gates.submission import Submission
from tests.agent.gated_exit.sending.trial_exits import (
    ACCEPTABLE,
    exit_of,
    willing_environment,
)


def test_an_accepted_answer_is_sent() -> None:
    environment = willing_environment()
    gated_exit = exit_of(environment, [])

    judgement = gated_exit.submit(ACCEPTABLE)

    assert judgement.accepted
    assert environment.answers == [("42", "OUTCOME_OK")]


def test_a_rejected_answer_is_not_sent() -> None:
    """The journal records only that it was judged."""
    environment = willing_environment()
    events: list[TrialEvent] = []
    gated_exit = exit_of(environment, events)

    judgement = gated_exit.submit(Submission(answer="42", outcome="OUTCOME_FINE"))

    assert not judgement.accepted
    assert [type(event) for event in events] == [SubmissionJudged]
    assert environment.answers == []


def test_another_answer_may_follow_a_rejected_one() -> None:
    environment = willing_environment()
    gated_exit = exit_of(environment, [])
    gated_exit.submit(Submission(answer="42", outcome="OUTCOME_FINE"))
    assert not gated_exit.outlet.is_closed

    gated_exit.submit(ACCEPTABLE)

    assert environment.answers == [("42", "OUTCOME_OK")]
