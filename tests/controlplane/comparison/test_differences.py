"""Two runs are compared, and a difference is "shown" if chance would rarely give it.

Both runs play the tasks t0 to t9. All fail in the first run, and some are better in the second:

    first run   t0: 0.0  t1: 0.0  t2: 0.0 ...
    second run  t0: 1.0  t1: 0.0  t2: 0.0 ...     one task is better, which is not shown

If chance decides, five tasks change in the same direction in 2 of 32 cases, which is too often. Six
do so in 2 of 64 cases, which is less than 5 %.
"""

from pathlib import Path

import pytest

from tests.controlplane.comparison.compared_runs import compared
from tests.controlplane.comparison.scores_of_ten import scores_of_ten


@pytest.mark.parametrize(
    ("better", "is_shown"),
    [
        pytest.param(0, False, id="no task is better"),
        pytest.param(5, False, id="five tasks are better"),
        pytest.param(6, True, id="six tasks are better"),
        pytest.param(10, True, id="all tasks are better"),
    ],
)
def test_a_difference_is_shown_if_chance_rarely_gives_it(
    better: int, is_shown: bool, tmp_path: Path
) -> None:
    comparison = compared(
        tmp_path,
        scores_of_ten(better=0, tries=[1.0]),
        scores_of_ten(better=better, tries=[1.0]),
    )

    assert comparison.is_shown == is_shown
    assert not comparison.is_worse
    assert len(comparison.better) == better
    assert comparison.difference is not None
    assert comparison.difference.mean == pytest.approx(better / 10)


@pytest.mark.parametrize(
    ("better", "tries", "needed_tasks"),
    [
        pytest.param(3, [1.0, 1.0, 1.0, 1.0], 20, id="3 of 10 tasks are better"),
        pytest.param(3, [1.0, 0.0], 20, id="3 of 10 are better in half of their tries"),
        pytest.param(10, [1.0] * 10, None, id="the difference is shown already"),
    ],
)
def test_a_comparison_says_how_many_tasks_would_show_the_difference(
    better: int, tries: list[float], needed_tasks: int | None, tmp_path: Path
) -> None:
    """3 of 10 better tasks are too few. Among 20 tasks, as many of ten would make six.

    How much better a task is does not matter. `tries` are the scores of a better task.
    """
    comparison = compared(
        tmp_path,
        scores_of_ten(better=0, tries=tries),
        scores_of_ten(better=better, tries=tries),
    )

    assert comparison.needed_tasks == needed_tasks
