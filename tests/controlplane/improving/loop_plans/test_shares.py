"""`improve --split 50/25/25`: a half of the tasks trains, a quarter checks, and a quarter proves.

`split_tasks(tasks, "50/25/25", seed=1)` returns the three parts; the seed decides which task goes where.
"""

import pytest

from controlplane.errors import UsageError
from controlplane.improving.worlds import split_tasks

EIGHT_TASKS = ["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"]


def test_tasks_are_split_by_shares() -> None:
    """Of eight tasks, four train, two check, and two prove."""
    train, check, final = split_tasks(EIGHT_TASKS, "50/25/25", seed=1)

    assert len(train) == 4
    assert len(check) == 2
    assert len(final) == 2
    assert sorted([*train, *check, *final]) == EIGHT_TASKS


@pytest.mark.parametrize(
    "shares",
    [
        pytest.param("50/25/20", id="less than 100 in all"),
        pytest.param("99/1/0", id="an empty part"),
        pytest.param("50/50", id="two parts"),
        pytest.param("a/b/c", id="no numbers"),
    ],
)
def test_shares_that_do_not_divide_all_tasks_are_refused(shares: str) -> None:
    """Right shares are three percentages above 0 that make 100."""
    with pytest.raises(UsageError, match="cannot be split"):
        split_tasks(EIGHT_TASKS, shares, seed=1)
