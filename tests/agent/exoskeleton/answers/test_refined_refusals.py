"""An answer about a payment or a discount is refined before it is submitted.

The main model hands in a draft, with its notes and the type of the request: `verification` for a payment,
`discount` for a discount. A *reviewer* (`check_draft`), which is a small model, reads both.
`submit_by_solver(draft, small_models)` returns the answer that is submitted. A small model that has no
reply in `small_models` fails.
"""

from tests.agent.exoskeleton.answers.submitted_answers import submit_by_solver
from tests.support.books.library_calls import completion_call


def test_a_question_about_a_payment_becomes_a_refusal_if_the_reviewer_says_so() -> None:
    """The reviewer finds in the notes until when the payment is blocked."""
    draft = completion_call(
        "Is pay-7 meant?",
        "OUTCOME_NONE_CLARIFICATION",
        task_type="verification",
        notes="retry_at 2031-05-04T10:00:00Z",
    )

    answer = submit_by_solver(
        draft,
        small_models={
            "check_draft": '{"paid": false, "blocked": true, "until": "2031-05-04T10:00:00Z"}'
        },
    )

    assert answer.outcome == "OUTCOME_NONE_UNSUPPORTED"
    assert answer.answer == "Is pay-7 meant? It is blocked until 2031-05-04T10:00:00Z."


def test_a_question_about_a_payment_is_not_changed_if_the_reviewer_fails() -> None:
    draft = completion_call(
        "Is pay-7 meant?", "OUTCOME_NONE_CLARIFICATION", task_type="verification"
    )

    no_reviewer: dict[str, str] = {}
    answer = submit_by_solver(draft, no_reviewer)

    assert answer.outcome == "OUTCOME_NONE_CLARIFICATION"
    assert answer.answer == "Is pay-7 meant?"


def test_a_refused_discount_names_the_largest_one_that_the_notes_have() -> None:
    """No reviewer is needed: the note with the maximum is put behind the message as it is."""
    draft = completion_call(
        "That is not possible.",
        "OUTCOME_NONE_UNSUPPORTED",
        task_type="discount",
        notes=["basket-1 is open", "the maximum is 15 %"],
    )

    answer = submit_by_solver(draft, small_models={})

    assert answer.answer == "That is not possible. the maximum is 15 %"
