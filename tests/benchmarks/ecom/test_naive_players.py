"""What knows next to nothing earns next to nothing."""

from __future__ import annotations

from statistics import mean

import pytest

from benchmarks.ecom.tasks.posing import pose_task, task_ids
from benchmarks.ecom.tasks.task import DENIED
from benchmarks.ecom.world.generator import WorldSettings
from tests.benchmarks.ecom.bad_habits import HABITS, trapped_grades
from tests.benchmarks.ecom.naive_players import BOUNDS, PLAYERS, score_of, words_alone

LIGHT = [pose_task(each, "naive") for each in task_ids()[::9]]
NEVER = [name for name, (_, most) in BOUNDS.items() if most == 0.0]


@pytest.mark.parametrize("name", NEVER)
def test_an_answer_without_anything_earns_nothing(name: str) -> None:
    assert {score_of(name, each) for each in LIGHT} == {0.0}


@pytest.mark.parametrize("name", sorted({*PLAYERS} - {*NEVER}))
def test_an_answer_out_of_the_air_earns_little(name: str) -> None:
    assert mean(score_of(name, each) for each in LIGHT) <= 0.45


def test_own_and_foreign_records_are_asked_for_in_the_same_sentences() -> None:
    outcomes, shares = words_alone(range(16))
    decided = {name: shares[name] for name, found in outcomes.items() if found == {DENIED}}
    assert {*decided} <= {"checkout-override"}
    assert sum(decided.values()) <= 0.02
    assert sum(shares.values()) == pytest.approx(0.37)


@pytest.mark.heavy
@pytest.mark.parametrize("name", BOUNDS)
def test_the_mean_over_the_shares_and_profiles_lies_within_its_bounds(name: str) -> None:
    least, most = BOUNDS[name]
    worlds = {f"share|{seed}": WorldSettings(profile=each) for seed, each in enumerate(("prod", "dev", "hard"))}
    posed = (pose_task(each, seed, settings) for seed, settings in worlds.items() for each in task_ids())
    assert least <= mean(score_of(name, task) for task in posed) <= most


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
