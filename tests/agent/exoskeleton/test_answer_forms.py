"""How the second solver changes the message of its model before the answer is judged.

Functions of the benchmark put the message into its form. They may ask small models, one for each
role: the formatter (`format`), and the reviewer of drafts (`check_draft`).
"""

from controlplane.agent.events import Judged
from controlplane.agent.exoskeleton import Part
from controlplane.agent.model import ToolCall
from tests.support.books.library_calls import FIND_BOOKS_BY_AUSTEN, completion_call
from tests.support.books.model_by_turn import ModelByTurn
from tests.support.books.solver_attempts import run_attempt


def submit_by_solver(completion: ToolCall, small_models: dict[str, str]) -> Judged:
    """Play a trial whose model completes it like this, and return the answer that is submitted.

    `small_models` are the replies of small models by role, such as `{"format": "{...}"}`. A model
    that is not named fails.
    """
    model = ModelByTurn([[FIND_BOOKS_BY_AUSTEN], [completion]], small_models)
    trial = run_attempt(model, parts=[Part.PREFLIGHT, Part.FORMATTER])
    return trial.judged_answers[-1]


def test_the_formatter_s_message_is_submitted() -> None:
    answer = submit_by_solver(
        completion_call("emma and persuasion"),
        small_models={"format": '{"message": "emma, persuasion"}'},
    )

    assert answer.answer == "emma, persuasion"


def test_the_model_s_own_message_is_submitted_if_the_formatter_fails() -> None:
    answer = submit_by_solver(completion_call("emma and persuasion"), small_models={})

    assert answer.answer == "emma and persuasion"


def test_a_message_that_is_too_long_for_the_formatter_is_submitted_as_it_is() -> None:
    """A message of more than 8,000 characters is a table or a plan."""
    answer = submit_by_solver(
        completion_call("x" * 9_000), small_models={"format": '{"message": "x"}'}
    )

    assert answer.answer == "x" * 9_000


def test_a_question_to_the_user_is_submitted_as_it_is() -> None:
    question = completion_call("emma or persuasion?", "OUTCOME_NONE_CLARIFICATION")

    answer = submit_by_solver(
        question, small_models={"format": '{"message": "emma, persuasion"}'}
    )

    assert answer.answer == "emma or persuasion?"


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
