"""The world's traps bite: one bad habit costs the whole score wherever its trap stands."""

from __future__ import annotations

import pytest

from tests.benchmarks.ecom.bad_habits import HABITS, trapped_grades


def check(name: str, tries: int, least: int) -> None:
    grades = trapped_grades(name, tries)
    assert len(grades) >= least, f"the trap for {name} stands nowhere"
    for task_id, result in grades:
        assert result.score == 0.0, (name, task_id)
        assert result.details, (name, task_id)


@pytest.mark.parametrize("name", HABITS)
def test_a_bad_habit_scores_nothing_where_its_trap_stands(name: str) -> None:
    check(name, 8, 1)


@pytest.mark.heavy
@pytest.mark.parametrize("name", HABITS)
def test_a_bad_habit_scores_nothing_in_many_worlds(name: str) -> None:
    check(name, 40, 5)
