"""A question "Which basket?" must not list baskets that the request cannot mean.

A customer asks to check out "my basket", and has several active ones. The right answer asks which is
meant. Other baskets of the customer are checked out or abandoned. A question that offers these as well is wrong,
so the grader gives the answer no score.
"""

from tests.benchmarks.ecom.tasks.message_trials import score_of_message, trials_of


def test_a_question_with_every_own_basket_scores_nothing() -> None:
    for trial in trials_of("unnamed-basket: several are active"):
        active_baskets = trial.required_words  # ("basket-0412", "basket-0415")
        ended_baskets = trial.secret_texts
        message = f"Which? {', '.join([*active_baskets, *ended_baskets])}"
        assert score_of_message(trial, message) == 0.0, message
