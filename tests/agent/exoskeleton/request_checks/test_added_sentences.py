"""A check of the request may add a sentence to it, which the model reads.

A benchmark may declare functions that look at a request before the main model. The check `newest`
adds "The newest is of Austen." if a small model, the classifier, has said that this author is meant:
`{"who": "Austen"}`.
"""

import pytest

from tests.agent.exoskeleton.request_checks.checked_attempt import attempt_with_checks


def test_a_sentence_of_a_check_is_added_to_the_request() -> None:
    trial = attempt_with_checks(
        "a readable question", classification='{"change": false, "who": "Austen"}'
    )

    *_first_messages, request, _call, _result = trial.last_request
    assert "The newest is of Austen." in request["content"]


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
def test_a_check_that_knows_nothing_leaves_the_request_to_the_model(
    instruction: str, classification: str
) -> None:
    """The check `newest` names no author, since it fails, or nobody has told it one."""
    trial = attempt_with_checks(instruction, classification)

    *_first_messages, request, _call, _result = trial.last_request
    assert "The newest" not in request["content"]
    assert trial.shelf.answers == ["emma and persuasion"]
