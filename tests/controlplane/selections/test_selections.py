"""`run --limit 2 --repeats 3` takes the first two tasks of a benchmark, and each of them three times.

The product selects tasks and repeats, so that this means the same for every benchmark. Here the
benchmark lists the tasks a.1, b.1, a.2 and c.
"""

import pytest

from controlplane import TaskSelection, TaskTry


def counted_tries(tries: tuple[TaskTry, ...]) -> dict[str, int]:
    """Return how often each task is tried: `{"a.1": 2, "b.1": 2}`."""
    counts: dict[str, int] = {}
    for task_try in tries:
        counts[task_try.task_id] = counts.get(task_try.task_id, 0) + 1
    return counts


@pytest.mark.parametrize(
    ("limit", "repeats", "expected_tries"),
    [
        pytest.param(1, 1, {"a.1": 1}, id="one task once"),
        pytest.param(2, 3, {"a.1": 3, "b.1": 3}, id="two tasks three times"),
        pytest.param(3, 2, {"a.1": 2, "b.1": 2, "a.2": 2}, id="three tasks twice"),
        pytest.param(
            9, 2, {"a.1": 2, "b.1": 2, "a.2": 2, "c": 2}, id="limit above all tasks"
        ),
        pytest.param(None, 2, {"a.1": 2, "b.1": 2, "a.2": 2, "c": 2}, id="no limit"),
    ],
)
def test_a_limit_counts_tasks_and_each_is_repeated(
    limit: int | None, repeats: int, expected_tries: dict[str, int]
) -> None:
    """The limit takes the first tasks. It does not count their repeats."""
    tries = TaskSelection(limit=limit, repeats=repeats).tries(
        ["a.1", "b.1", "a.2", "c"]
    )

    assert counted_tries(tries) == expected_tries


def test_repeats_of_a_task_are_numbered_and_in_the_same_world() -> None:
    """A world is the generated content of a task, such as a phone book with other names. A run
    may play a task in several worlds; repeats play it several times in one."""
    tries = TaskSelection(limit=1, repeats=3).tries(["a.1", "b.1", "a.2", "c"])

    repeat_numbers = [task_try.copy for task_try in tries]
    world_numbers = [task_try.number for task_try in tries]
    assert repeat_numbers == [0, 1, 2]
    assert world_numbers == [0, 0, 0]
