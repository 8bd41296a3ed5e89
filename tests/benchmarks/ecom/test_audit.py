"""What knows next to nothing, or is right but for one cheap fault, earns next to nothing."""

from statistics import mean

import pytest

from benchmarks.ecom import audit
from benchmarks.ecom.audit import BLIND, CHEAP, main, scores
from benchmarks.ecom.tasks.posing import pose_task, task_ids
from benchmarks.ecom.world.generator import WorldSettings
from tests.benchmarks.ecom.bad_habits import HABITS, trapped_grades

LIGHT = [pose_task(each, "naive") for each in task_ids()[::9]]


@pytest.mark.parametrize("name", BLIND)
def test_an_answer_out_of_the_air_earns_little(name: str) -> None:
    player, most = BLIND[name]
    assert mean(scores(player, LIGHT)) <= (0.45 if most else 0.0)


@pytest.mark.parametrize("name", CHEAP)
def test_a_cheap_fault_costs_the_whole_score_wherever_it_applies(name: str) -> None:
    tasks = [pose_task(each, f"cheap|{seed}") for seed in range(2) for each in task_ids()[3::4]]
    earned = [*scores(CHEAP[name], tasks)]
    assert earned
    assert {*earned} == {0.0}


def test_the_audit_prints_a_line_for_every_player_and_fails_if_one_earns_too_much(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(audit, "rule_based_score", lambda *_: 0.5)
    assert main(["--trials", "5"]) == 0
    printed = capsys.readouterr().out
    assert all(f"\n{name} " in printed for name in (*BLIND, *CHEAP, "rule-based player, known"))
    monkeypatch.setattr(audit, "CHEAP", {"right": audit.solved})
    assert main(["--trials", "5"]) == 1
    assert "TOO MUCH" in capsys.readouterr().out


@pytest.mark.heavy
@pytest.mark.parametrize("name", BLIND)
def test_the_mean_over_the_shares_and_profiles_lies_within_its_bounds(name: str) -> None:
    player, most = BLIND[name]
    worlds = {f"share|{seed}": WorldSettings(profile=each) for seed, each in enumerate(("prod", "dev", "hard"))}
    posed = [pose_task(each, seed, settings) for seed, settings in worlds.items() for each in task_ids()]
    assert mean(scores(player, posed)) <= most


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
