"""What the journal records of the steps of a trial, and of its answer.

A step is a reply of the model with the calls of tools in it. In this trial, the model reads and finds
books, replies once without a call, and hands in two answers. The *gates*, which are checks of
answers, reject the first one, since it cites a missing file.
"""

from controlplane.agent.events import AnswerSent
from tests.support.books.attempt_result import AttemptResult


def test_the_answer_that_the_gates_accept_is_sent(trial: AttemptResult) -> None:
    """The model's message was "emma and persuasion". The formatter has changed its form."""
    assert trial.reason == ""  # The trial has an answer.
    assert trial.shelf.answers == ["emma, persuasion"]


def test_the_answer_cites_the_books_of_the_completion(trial: AttemptResult) -> None:
    (answer,) = [event for event in trial.events if isinstance(event, AnswerSent)]

    assert answer.refs == ("/books/emma.txt", "/books/persuasion.txt")


def test_a_step_records_each_answer_that_the_gates_judged(trial: AttemptResult) -> None:
    judged_counts = [len(step.verdicts) for step in trial.steps]

    assert judged_counts == [
        0,  # The library checks the request.
        0,  # The model reads a book, and finds books.
        0,  # The model replies without a call.
        1,  # The model hands in an answer that cites a missing file.
        1,  # The model hands in the right answer.
    ]


def test_the_step_before_the_model_does_not_count_towards_the_limit(
    trial: AttemptResult,
) -> None:
    """The number of steps of a trial is limited. A `refunded` step does not count."""
    first_step, *model_steps = trial.steps

    assert first_step.refunded
    for step in model_steps:
        assert not step.refunded
