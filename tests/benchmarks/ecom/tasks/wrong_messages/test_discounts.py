"""A discount was given, and the message must say how much, and on which basket.

"basket-0412 has 10% off now" is right if 10 percent, the largest possible discount, were given.
Each trial is the same request to the shop in a world of its own, with another basket.
"""

from tests.benchmarks.ecom.tasks.message_trials import score_of_message, trials_of


def test_a_percentage_without_its_basket_scores_nothing() -> None:
    for trial in trials_of("discount-grant: maximum"):
        assert score_of_message(trial, trial.details["percent"]) == 0.0


def test_a_percentage_that_nobody_gave_scores_nothing() -> None:
    """No basket of the shop gets so much."""
    for trial in trials_of("discount-grant: maximum"):
        message = f"{trial.basket.id} has 50 percent off now."
        assert score_of_message(trial, message) == 0.0


def test_a_message_with_a_larger_discount_than_was_given_scores_nothing() -> None:
    for trial in trials_of("discount-grant: maximum"):
        larger_percent = int(trial.details["percent"]) + 4
        message = f"{trial.basket.id} has {larger_percent}% off now."
        assert score_of_message(trial, message) == 0.0
