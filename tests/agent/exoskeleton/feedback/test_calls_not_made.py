"""Calls behind the one that ends a trial, and more than 32 calls in a reply of a model, are not made.

`feedback_on(calls)` is what the model is told in a trial whose first reply makes these calls.
"""

from tests.agent.exoskeleton.feedback.first_feedback import feedback_on
from tests.support.books.library_calls import FIND_BOOKS_BY_AUSTEN, completion_call


def test_a_call_behind_a_completion_is_not_made() -> None:
    """The completion ends the step. It cites a missing file, so it does not end the trial."""
    rejected_completion = completion_call(
        records=[{"path": "/books/none.txt", "reason": "it says by nobody"}]
    )

    feedback = feedback_on([rejected_completion, FIND_BOOKS_BY_AUSTEN])

    assert "not run: it stands behind a completion" in feedback


def test_calls_beyond_the_most_calls_of_a_reply_are_not_made() -> None:
    feedback = feedback_on([FIND_BOOKS_BY_AUSTEN] * 33)

    assert "not run: a reply makes at most 32 calls" in feedback
