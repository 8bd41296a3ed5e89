"""The result of a loop of `improve` has both scores, and the interval of their difference.

    0.50 → 1.00 on 2 unseen tasks (+0.50, 95 % CI [0.01, 0.93]), tokens -12 %

The hints before the loop and the best candidate play the same final tasks.
"""

from controlplane.improving.loop import difference_interval, result_text
from controlplane.journal.totals.spending_totals import Spent
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.score_statistics import Interval


def trial_with(*, score: float, tokens: int) -> TrialSummary:
    """Return an answered trial with this score and these tokens."""
    return TrialSummary(
        "t",
        "a.1",
        score=score,
        state="answered",
        steps_done=3,
        spent=Spent(tokens=tokens, known_usd=0.5),
    )


def test_a_result_has_both_means_the_interval_and_the_change_of_tokens() -> None:
    """The original solves one of two tasks, and the candidate both, with fewer tokens."""
    trials_before = [
        trial_with(score=0.0, tokens=100),
        trial_with(score=1.0, tokens=100),
    ]
    trials_after = [
        trial_with(score=1.0, tokens=88),
        trial_with(score=1.0, tokens=88),
    ]
    difference = Interval(mean=0.5, low=0.01, high=0.93)

    text = result_text(trials_before, trials_after, difference)

    assert text == (
        "0.50 → 1.00 on 2 unseen tasks (+0.50, 95 % CI [0.01, 0.93]), tokens -12 %"
    )


def test_few_tasks_that_all_improve_leave_a_wide_interval() -> None:
    """All of six differences are 1, so that they do not vary. The true mean may be far less."""
    interval = difference_interval([1.0] * 6)

    assert interval.mean == 1.0
    assert 0 < interval.low < 0.5
