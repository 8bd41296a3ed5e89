"""Two runs are compared, and a difference is "shown" if chance would rarely give it.

Ten tasks are played by both runs. Enough of them have to change, and the 95 % interval of the mean
difference has to leave out 0:

    before  t0: 0.0  t1: 0.0  t2: 0.0 ...
    after   t0: 1.0  t1: 0.0  t2: 0.0 ...     one task is better, which is not shown
"""

from pathlib import Path

import pytest

from tests.controlplane.comparison.compared_runs import compared
from tests.controlplane.comparison.scores_of_ten import scores_of_ten


@pytest.mark.parametrize(
    ("better", "is_shown"),
    [
        pytest.param(0, False, id="no task is better"),
        # By chance, five tasks all change in the same direction in 2 of 32 cases, ...
        pytest.param(5, False, id="five tasks are better"),
        # ... and six in 2 of 64 cases, which is less than 5 %.
        pytest.param(6, True, id="six tasks are better"),
        pytest.param(10, True, id="all tasks are better"),
    ],
)
def test_a_difference_is_shown_if_chance_rarely_gives_it(
    better: int, is_shown: bool, tmp_path: Path
) -> None:
    """In the first run, all ten tasks fail."""
    comparison = compared(
        tmp_path,
        scores_of_ten(better=0, scores=[1.0]),
        scores_of_ten(better=better, scores=[1.0]),
    )

    assert comparison.is_shown == is_shown
    assert not comparison.is_worse
    assert len(comparison.better) == better
    assert comparison.difference is not None
    assert comparison.difference.mean == pytest.approx(better / 10)


@pytest.mark.parametrize(
    ("better", "scores", "needed_tasks"),
    [
        pytest.param(3, [1.0, 1.0, 1.0, 1.0], 20, id="3 of 10 tasks are better"),
        pytest.param(3, [1.0, 0.0], 20, id="3 of 10 are better in half of their tries"),
        pytest.param(10, [1.0] * 10, None, id="the difference is shown already"),
    ],
)
def test_a_comparison_says_how_many_tasks_would_show_the_difference(
    better: int, scores: list[float], needed_tasks: int | None, tmp_path: Path
) -> None:
    """A difference is shown if six tasks or more are better. If 3 of 10 are, 6 of 20 would
    be."""
    comparison = compared(
        tmp_path,
        scores_of_ten(better=0, scores=scores),
        scores_of_ten(better=better, scores=scores),
    )

    assert comparison.needed_tasks == needed_tasks
