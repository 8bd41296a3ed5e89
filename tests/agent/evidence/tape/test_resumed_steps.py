"""A resumed trial makes the calls of its step again, and comes to the same end.

The whole trial writes nine events into its journal:

    1  a read is refused: its path is too long       6  the model went on without the stopped call
    2  the mail is read                              7  the second payment is announced
    3  the user refuses the first payment            8  the second payment is made
    4  the first payment is stopped                  9  the step ends
    5  the user approves of the second payment

The process is killed after one of them. The next process *resumes* the trial from the events.
"""

import pytest

from tests.agent.evidence.tape.paying_trial import PayingTrial
from tests.agent.evidence.tape.paying_user import APPROVED_ACCOUNT


@pytest.mark.parametrize(
    ("recorded_count", "answered_questions", "paid_now"),
    [
        pytest.param(1, 0, [APPROVED_ACCOUNT], id="before the mail is read"),
        pytest.param(2, 0, [APPROVED_ACCOUNT], id="before the first question"),
        pytest.param(3, 1, [APPROVED_ACCOUNT], id="after the refusal"),
        pytest.param(4, 1, [APPROVED_ACCOUNT], id="after the first payment is stopped"),
        pytest.param(5, 2, [APPROVED_ACCOUNT], id="after the approval"),
        pytest.param(6, 2, [APPROVED_ACCOUNT], id="before the payment is announced"),
        # Seven events leave open whether the payment was made: see the next test.
        pytest.param(8, 2, [], id="after the payment is made"),
    ],
)
def test_a_trial_that_is_killed_and_resumed_comes_to_the_same_end(
    recorded_count: int, answered_questions: int, paid_now: list[str]
) -> None:
    """Neither a question nor a payment of the record comes a second time."""
    whole = PayingTrial().run()
    recorded = whole.events[:recorded_count]

    resumed = PayingTrial(recorded).run()

    assert resumed.results == whole.results
    assert resumed.paid == paid_now
    assert len(whole.questions) == 2
    assert resumed.questions == whole.questions[answered_questions:]
    # The events of both attempts together are those of one trial.
    types_of_both = [event.type for event in [*recorded, *resumed.events]]
    assert types_of_both == [event.type for event in whole.events]


def test_a_payment_that_was_under_way_is_neither_asked_about_nor_made_again() -> None:
    """The process is killed after the announcement, so the payment may have been made."""
    whole = PayingTrial().run()
    until_announcement = whole.events[:7]

    resumed = PayingTrial(until_announcement).run()

    assert resumed.questions == []
    assert resumed.paid == []
