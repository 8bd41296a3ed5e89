"""A check of the request may add a sentence to the request, which the model reads.

A benchmark may declare checks, functions that look at a request before the main model. A small model,
the classifier, has described the request: `{"who": "Austen"}`. The check `newest` then adds "The newest is
of Austen." to the request. It fails for a request with the word "unreadable".
"""

import pytest

from tests.agent.exoskeleton.request_checks.checked_attempt import attempt_with_checks
from tests.support.books.attempt_result import AttemptResult


def request_to_model(trial: AttemptResult) -> str:
    """Return the request as the main model reads it, before its call and the result of the call."""
    *_first_messages, request, _call, _result = trial.last_request
    return request["content"]


def test_a_sentence_of_a_check_is_added_to_the_request() -> None:
    trial = attempt_with_checks(
        "a readable question", classification='{"change": false, "who": "Austen"}'
    )

    assert "The newest is of Austen." in request_to_model(trial)


@pytest.mark.parametrize(
    ("instruction", "classification"),
    [
        pytest.param("a readable question", "", id="the classifier's reply is empty"),
        pytest.param(
            "an unreadable question",
            '{"change": false, "who": "Austen"}',
            id="the check fails",
        ),
    ],
)
def test_a_check_that_adds_nothing_leaves_the_request_to_the_model(
    instruction: str, classification: str
) -> None:
    """The model answers the request as it is."""
    trial = attempt_with_checks(instruction, classification)

    assert "The newest" not in request_to_model(trial)
    assert trial.reason == ""  # The trial has an answer,
    assert trial.shelf.answers == ["emma and persuasion"]  # that of the model.
