"""A second model, the reviewer, reads in an answer if a payment is paid or blocked.

If it is, its check by the bank cannot be restarted, and the answer becomes a refusal (UNSUPPORTED).
"""

from collections.abc import Mapping

import pytest

from controlplane.agent.exoskeleton import Completion
from controlplane.benchmarks.shop.payments.payment_review import review_payment
from controlplane.gates.submission import CLARIFICATION, OK, UNSUPPORTED


def verification_answer(message: str, outcome: str = CLARIFICATION) -> Completion:
    """Return an answer to a customer who asks to restart the check of the payment pay_7."""
    return Completion.model_validate(
        {
            "task_type": "verification",
            "outcome": outcome,
            "message": message,
            "records": ["/payments/pay_7.json"],
        }
    )


class TestReviewedAnswers:
    def test_a_question_about_a_blocked_payment_becomes_a_refusal(self) -> None:
        answer = verification_answer("Which card? It waits until 2031-04-12T08:00Z.")

        reviewed = review_payment(
            answer,
            texts={},
            ask_reviewer=lambda schema, text: {
                "paid": False,
                "blocked": True,
                "until": "2031-04-12T08:00Z",
            },
        )

        assert reviewed.outcome == UNSUPPORTED
        assert reviewed.message == (
            "Which card? It waits until 2031-04-12T08:00Z."
            " It is blocked until 2031-04-12T08:00Z."
        )

    def test_a_question_about_a_paid_payment_becomes_a_refusal(self) -> None:
        answer = verification_answer("Which card? pay_7 is paid.")

        reviewed = review_payment(
            answer,
            texts={},
            ask_reviewer=lambda schema, text: {
                "paid": True,
                "blocked": False,
                "until": "",
            },
        )

        assert reviewed.outcome == UNSUPPORTED
        assert reviewed.message == "Which card? pay_7 is paid."

    def test_a_time_that_the_reviewer_invents_is_replaced_by_that_of_the_record(
        self,
    ) -> None:
        answer = verification_answer("Which card?")

        reviewed = review_payment(
            answer,
            texts={"/payments/pay_7.json": '{"retry_at": "2031-04-12T08:00Z"}'},
            ask_reviewer=lambda schema, text: {
                "paid": False,
                "blocked": True,
                "until": "2031-04-21T21:00Z",
            },
        )

        assert reviewed.message == "Which card? It is blocked until 2031-04-12T08:00Z."

    def test_a_reason_that_the_reviewer_misses_counts(self) -> None:
        answer = verification_answer("The retry window is closed. Which card?")

        reviewed = review_payment(
            answer,
            texts={},
            ask_reviewer=lambda schema, text: {
                "paid": False,
                "blocked": False,
                "until": "",
            },
        )

        assert reviewed.outcome == UNSUPPORTED
        assert reviewed.message == "The retry window is closed. Which card?"

    def test_a_time_in_the_notes_of_the_model_is_added_to_the_message(self) -> None:
        """The notes are not a part of the message."""
        answer = verification_answer("Which card?").model_copy(
            update={"notes": "retry_at 2031-05-04T10:00:00Z"}
        )

        reviewed = review_payment(
            answer,
            texts={},
            ask_reviewer=lambda schema, text: {
                "paid": False,
                "blocked": True,
                "until": "2031-05-04T10:00:00Z",
            },
        )

        assert reviewed.outcome == UNSUPPORTED
        assert reviewed.message == (
            "Which card? It is blocked until 2031-05-04T10:00:00Z."
        )

    def test_a_time_that_the_reviewer_invents_is_not_named(self) -> None:
        """Neither the answer nor a file has a time."""
        answer = verification_answer("Which card?")

        reviewed = review_payment(
            answer,
            texts={},
            ask_reviewer=lambda schema, text: {
                "paid": False,
                "blocked": True,
                "until": "2099-01-01T00:00:00Z",
            },
        )

        assert reviewed.outcome == UNSUPPORTED
        assert reviewed.message == "Which card?"

    @pytest.mark.parametrize(
        "review",
        [
            pytest.param(
                {"paid": False, "blocked": False, "until": ""},
                id="neither paid nor blocked",
            ),
            pytest.param({}, id="the reviewer failed"),
        ],
    )
    def test_the_customer_is_asked_if_nothing_stops_the_payment(
        self, review: dict[str, object]
    ) -> None:
        answer = verification_answer("Which card?")

        reviewed = review_payment(
            answer, texts={}, ask_reviewer=lambda schema, text: review
        )

        assert reviewed.outcome == CLARIFICATION
        assert reviewed.message == "Which card?"


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(
            verification_answer("It is restarted.", outcome=OK),
            id="the check was restarted",
        ),
        pytest.param(
            Completion(
                task_type="checkout", outcome=CLARIFICATION, message="Which basket?"
            ),
            id="another kind of request",
        ),
    ],
)
def test_the_reviewer_is_not_asked_about_another_answer(answer: Completion) -> None:
    def refuse(schema: Mapping[str, object], text: str) -> dict[str, object]:
        raise AssertionError(text)

    assert review_payment(answer, texts={}, ask_reviewer=refuse) == answer
