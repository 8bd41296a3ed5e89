"""A small model, the formatter, puts the message of the main model into its form.

Its reply replaces the message: `{"message": "emma, persuasion"}`. `submit_by_solver(completion,
small_models)` returns the answer that is submitted if the main model ends a trial with this completion,
and small models give these replies. A small model that is not named fails.
"""

from tests.agent.exoskeleton.answers.submitted_answers import submit_by_solver
from tests.support.books.library_calls import completion_call


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
