"""What the journal records of the steps of a trial, and of its answer.

The fixture `trial` is a trial of five steps, in which the model calls tools:

    1    the library checks the request, before the model is asked
    2    the model reads a book, and finds two books
    3    the model replies without a call
    4    the model hands in an answer that cites a missing file: the gates reject it
    5    the model hands in "emma and persuasion": the gates, which are checks of answers, accept it
"""

from controlplane.agent.events import AnswerSent
from tests.support.books.attempt_result import AttemptResult


def test_the_answer_that_the_gates_accept_is_sent(trial: AttemptResult) -> None:
    """A small model, the formatter, has put the answer of step 5 into its form."""
    assert trial.reason == ""  # The trial has an answer.
    assert trial.shelf.answers == ["emma, persuasion"]


def test_the_sent_answer_has_the_citations_of_step_5(trial: AttemptResult) -> None:
    (answer,) = [event for event in trial.events if isinstance(event, AnswerSent)]

    assert answer.refs == ("/books/emma.txt", "/books/persuasion.txt")


def test_a_step_records_each_answer_that_the_gates_judged(trial: AttemptResult) -> None:
    judged_counts = [len(step.verdicts) for step in trial.steps]

    assert judged_counts == [0, 0, 0, 1, 1]


def test_the_step_before_the_model_does_not_count_towards_the_limit(
    trial: AttemptResult,
) -> None:
    """The number of steps of a trial is limited. A step that is `refunded` does not count."""
    first_step, *model_steps = trial.steps

    assert first_step.refunded
    for step in model_steps:
        assert not step.refunded
