"""A message must state the fact on which an answer depends, not everything that it may be.

A request to the shop is refused because the limit of 3 attempts is used up. The message
"The limit is 2, 3, 4, 5 or 6 attempts" scores nothing. `trials_of(...)` are tasks of one kind,
each in a world of its own, and `score_of_message` grades an answer that has this message.
"""

from tests.benchmarks.ecom.tasks.message_trials import score_of_message, trials_of


def test_a_message_without_words_scores_nothing() -> None:
    """A basket cannot be checked out, and the answer must say what is missing."""
    for trial in trials_of("basket-checkout: one line is short"):
        assert score_of_message(trial, ".") == 0.0


def test_a_message_with_every_limit_does_not_state_the_limit() -> None:
    """A payment's verification may not be restarted, as all attempts are used up."""
    for trial in trials_of("verification-restart: spent or paid", "all attempts used"):
        message = "The limit is 2, 3, 4, 5 or 6 attempts."
        assert score_of_message(trial, message) == 0.0


def test_a_message_with_every_maximum_does_not_state_the_maximum() -> None:
    """A discount is too large for its basket. The answer must say how large it may be."""
    for trial in trials_of("discount-limit: too much for a small basket"):
        message = "The maximum is 3, 4, 5, 6, 7, 9, 10, 11, 12 or 15 percent."
        assert score_of_message(trial, message) == 0.0


def test_a_message_with_the_demanded_status_does_not_state_the_actual_one() -> None:
    """A refund is refused because of the status of its return, which must be told."""
    for trial in trials_of("refund-closure: status forbids it", "with a return"):
        demanded_status = trial.state_words["refund_pending"]
        message = (
            f"The return is not in status {demanded_status}, so it cannot be closed."
        )
        assert score_of_message(trial, message) == 0.0
