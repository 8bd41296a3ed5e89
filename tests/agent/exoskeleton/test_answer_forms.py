"""How the second solver changes the answer of its model before the gates judge it.

The model's message is a *draft*. Small models and rules of a benchmark bring it into the form that
the benchmark expects: the formatter makes "emma, persuasion" of "emma and persuasion", and a draft
that asks a question may become an answer. What the draft says must stay the same.
"""

import json

import pytest

from controlplane.agent.events import Judged
from controlplane.agent.exoskeleton import Part
from controlplane.agent.model import ToolCall
from tests.support.books.library_calls import FIND_BOOKS_BY_AUSTEN, completion_call
from tests.support.books.model_by_turn import ModelByTurn
from tests.support.books.solver_attempts import run_attempt


def judged_answer_of(
    completion: ToolCall, other_models: dict[str, str] | None = None
) -> Judged:
    """Return the answer that the gates judge if the model hands in this completion.

    `other_models` are the replies of small models, by their roles: `{"format": "{...}"}`. A model
    that is not named fails.
    """
    model = ModelByTurn([[FIND_BOOKS_BY_AUSTEN], [completion]], other_models or {})
    trial = run_attempt(model, parts=[Part.PREFLIGHT, Part.FORMATTER])
    return trial.judged_answers[-1]


def completion_with_message(message: str, outcome: str = "OUTCOME_OK") -> ToolCall:
    """Return a completion with this message, which cites one book."""
    citation = {"path": "/books/emma.txt", "reason": "says by Austen"}
    return completion_call(message, outcome, records=[citation])


class TestFormatter:
    """A small model, the formatter, puts a message into the form that was asked for.

    "emma and persuasion" becomes "emma, persuasion". `judged_answer_of` returns the answer that the
    gates, which are checks of answers, judge afterwards.
    """

    @pytest.mark.parametrize(
        ("message", "formatter_message", "submitted"),
        [
            pytest.param(
                "emma and persuasion",
                "emma, persuasion",
                "emma, persuasion",
                id="another form",
            ),
            pytest.param("emma", "OUTCOME_OK: emma", "emma", id="an outcome is added"),
            pytest.param(
                "there are 2", "there are 3", "there are 2", id="a number is changed"
            ),
            pytest.param("yes, emma", "no", "yes, emma", id="the meaning is changed"),
            pytest.param(
                "x" * 9_000, "7", "x" * 9_000, id="too long for the formatter"
            ),
        ],
    )
    def test_the_formatter_changes_the_form_alone(
        self, message: str, formatter_message: str, submitted: str
    ) -> None:
        """If the formatter changes numbers or words, the model's own message is submitted."""
        formatter_reply = json.dumps({"message": formatter_message})

        judged = judged_answer_of(
            completion_with_message(message), other_models={"format": formatter_reply}
        )

        assert judged.answer == submitted

    def test_the_model_s_own_message_is_submitted_if_the_formatter_fails(self) -> None:
        judged = judged_answer_of(completion_with_message("emma"), other_models={})

        assert judged.answer == "emma"

    def test_a_question_to_the_user_is_not_formatted(self) -> None:
        """The formatter could turn a question into an answer."""
        question = completion_with_message(
            "Which one, emma or persuasion?", outcome="OUTCOME_NONE_CLARIFICATION"
        )

        judged = judged_answer_of(
            question, other_models={"format": json.dumps({"message": "emma"})}
        )

        assert judged.answer == "Which one, emma or persuasion?"


def answer_after_review(review: dict[str, object]) -> Judged:
    """Return the answer that becomes of a question about a payment, if this is the review.

    The model has noted that the payment may be tried again from 10 o'clock on.
    """
    draft = completion_call(
        message="Is pay-7 meant?",
        outcome="OUTCOME_NONE_CLARIFICATION",
        task_type="verification",  # the type of task to which this rule applies
        notes="retry_at 2031-05-04T10:00:00Z",
    )
    return judged_answer_of(draft, other_models={"check_draft": json.dumps(review)})


class TestQuestionsAboutPayments:
    """A question to the customer becomes a refusal if nothing can be done.

    A customer wants a payment to be tried again. This cannot be done (UNSUPPORTED) if it is paid,
    or blocked. Models often ask the customer instead (CLARIFICATION). So another model, the
    reviewer, reads the draft and the model's notes:

        draft     "Is pay-7 meant?", CLARIFICATION
        review    {"paid": true, "blocked": false, "until": ""}
        answer    "Is pay-7 meant?", UNSUPPORTED
    """

    def test_nobody_is_asked_about_a_payment_that_is_paid_already(self) -> None:
        """The outcome says that the request cannot be met. The message stays as it was."""
        judged = answer_after_review({"paid": True, "blocked": False, "until": ""})

        assert judged.outcome == "OUTCOME_NONE_UNSUPPORTED"
        assert judged.answer == "Is pay-7 meant?"

    def test_the_answer_says_until_when_a_payment_is_blocked(self) -> None:
        """The model has noted this time, so the sentence is put behind its message."""
        judged = answer_after_review(
            {"paid": False, "blocked": True, "until": "2031-05-04T10:00:00Z"}
        )

        assert judged.outcome == "OUTCOME_NONE_UNSUPPORTED"
        assert judged.answer == (
            "Is pay-7 meant? It is blocked until 2031-05-04T10:00:00Z."
        )

    def test_the_answer_does_not_name_a_time_that_the_reviewer_made_up(self) -> None:
        """The model's notes do not have this time."""
        judged = answer_after_review(
            {"paid": False, "blocked": True, "until": "2099-01-01T00:00:00Z"}
        )

        assert judged.outcome == "OUTCOME_NONE_UNSUPPORTED"
        assert judged.answer == "Is pay-7 meant?"

    @pytest.mark.parametrize(
        "review",
        [
            pytest.param(
                {"paid": False, "blocked": False, "until": ""},
                id="neither paid nor blocked",
            ),
            pytest.param({}, id="no review"),
        ],
    )
    def test_the_customer_is_asked_if_nothing_stops_the_payment(
        self, review: dict[str, object]
    ) -> None:
        judged = answer_after_review(review)

        assert judged.outcome == "OUTCOME_NONE_CLARIFICATION"
        assert judged.answer == "Is pay-7 meant?"


class TestRefusedDiscounts:
    """A refusal of a discount says how large it may be, if the model has noted that."""

    def test_a_refused_discount_names_the_largest_one_that_the_notes_have(self) -> None:
        """The model notes what it finds out. The note with the maximum is put behind its
        message."""
        refusal = completion_call(
            message="That is not possible.",
            outcome="OUTCOME_NONE_UNSUPPORTED",
            task_type="discount",
            notes=["basket-1 is open", "the maximum is 15 %"],
        )

        judged = judged_answer_of(refusal)

        assert judged.answer == "That is not possible. the maximum is 15 %"
