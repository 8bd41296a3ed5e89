"""The answer to a request for a payment or a discount is refined before it is submitted.

The main model has a draft, and has noted what it found out. A small model, the reviewer of drafts
(`check_draft`), reads the notes. `submit_by_solver(completion, small_models)` returns the answer that is
submitted if these are the draft and the replies of small models; one that is not named fails.
"""

from tests.agent.exoskeleton.answers.submitted_answers import submit_by_solver
from tests.support.books.library_calls import completion_call


def test_a_question_about_a_payment_becomes_a_refusal_if_the_reviewer_says_so() -> None:
    """The reviewer reads in the model's notes until when the payment is blocked."""
    question = completion_call(
        "Is pay-7 meant?",
        "OUTCOME_NONE_CLARIFICATION",
        task_type="verification",
        notes="retry_at 2031-05-04T10:00:00Z",
    )

    answer = submit_by_solver(
        question,
        small_models={
            "check_draft": '{"paid": false, "blocked": true, "until": "2031-05-04T10:00:00Z"}'
        },
    )

    assert answer.outcome == "OUTCOME_NONE_UNSUPPORTED"
    assert answer.answer == "Is pay-7 meant? It is blocked until 2031-05-04T10:00:00Z."


def test_the_customer_is_asked_about_a_payment_if_the_reviewer_fails() -> None:
    question = completion_call(
        "Is pay-7 meant?", "OUTCOME_NONE_CLARIFICATION", task_type="verification"
    )

    answer = submit_by_solver(question, small_models={})

    assert answer.outcome == "OUTCOME_NONE_CLARIFICATION"
    assert answer.answer == "Is pay-7 meant?"


def test_a_refused_discount_names_the_largest_one_that_the_notes_have() -> None:
    """The model notes what it finds out. The note with the maximum is put behind its message."""
    refusal = completion_call(
        "That is not possible.",
        "OUTCOME_NONE_UNSUPPORTED",
        task_type="discount",
        notes=["basket-1 is open", "the maximum is 15 %"],
    )

    answer = submit_by_solver(refusal, small_models={})

    assert answer.answer == "That is not possible. the maximum is 15 %"
