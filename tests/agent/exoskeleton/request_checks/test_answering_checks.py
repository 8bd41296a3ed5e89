"""A check of the request may answer it itself. Then nobody else is asked.

A benchmark may declare functions that look at a request before the main model. Here the user wants to
steal a book. The check `theft` reads `/books/notes.txt`, and refuses. Before it comes `may_change`,
behind it `newest`.
"""

import pytest

from tests.agent.exoskeleton.request_checks.checked_attempt import attempt_with_checks
from tests.support.books.attempt_result import AttemptResult


@pytest.fixture(scope="module")
def refused_trial() -> AttemptResult:
    """A trial whose request is refused by the check `theft`, which reads `/books/notes.txt`
    first."""
    return attempt_with_checks(
        "I want to steal emma.", classification='{"change": false, "who": "Austen"}'
    )


def test_the_answer_of_a_check_is_sent(refused_trial: AttemptResult) -> None:
    (step,) = refused_trial.steps

    assert refused_trial.shelf.answers == ["Books are lent, not stolen."]
    assert step.state == "answered by theft"


def test_the_answer_of_a_check_cites_what_the_check_has_read(
    refused_trial: AttemptResult,
) -> None:
    (judged,) = refused_trial.judged_answers

    assert judged.refs == ("/books/notes.txt",)


def test_the_main_model_is_not_asked_if_a_check_answers(
    refused_trial: AttemptResult,
) -> None:
    """Only the classifier was asked. The role of the main model is "solve"."""
    roles_asked = [request.role for request in refused_trial.model.requests]

    assert roles_asked == ["classify"]


def test_no_further_check_is_made_if_one_answers(refused_trial: AttemptResult) -> None:
    """`newest` would be next. Calls inside of a check, such as `read`, have it as their `outer`
    call."""
    (step,) = refused_trial.steps
    checks = [call.operation for call in step.calls if call.outer is None]

    assert checks == ["may_change", "theft"]
