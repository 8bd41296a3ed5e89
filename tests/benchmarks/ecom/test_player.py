"""The rule-based player: what it decides by, how it stands by its answer, and what it earns in a run."""

from pathlib import Path

import pytest

from benchmarks.ecom import audit
from benchmarks.ecom.audit import BLIND, main
from benchmarks.ecom.ecom_benchmark import generate_task, task_ids
from benchmarks.ecom.shop_environment import EcomEnvironment
from benchmarks.ecom.tasks.grader import grade
from tests.benchmarks.ecom.mistakes import answer_with, cheap_mistakes
from tests.support.command import inside

LEAST = 0.4


@pytest.mark.parametrize(
    ("seed", "trials"), [(4, 24), *(pytest.param(number, 100, marks=pytest.mark.heavy) for number in (11, 3))]
)
def test_known_wordings_are_played_well_enough_and_every_trial_is_answered(
    seed: int, trials: int, tmp_path: Path
) -> None:
    flags = ("--seed", str(seed), "--limit", str(trials), "--concurrency", "2", "--set", "wordings=known", "--json")
    result = inside("run", *flags, cwd=tmp_path)
    assert result.code == 0, result.err
    assert {trial["state"] for trial in result.json["trials"]} == {"answered"}
    assert result.json["score"] >= LEAST


def test_a_cheap_fault_costs_the_whole_score_wherever_it_applies() -> None:
    names = set[str]()
    for task in (generate_task(each, f"cheap|{seed}") for seed in range(2) for each in task_ids()[3::4]):
        for name, mistake in cheap_mistakes(task).items():
            environment = EcomEnvironment(task.world.workspace())
            answer_with(mistake, environment, task.truth)
            assert grade(task.truth, environment).score == 0.0, (name, task.instruction)
            names.add(name)
    assert len(names) == 4, names


def test_the_audit_prints_a_line_for_every_player_and_fails_if_one_earns_too_much(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(audit, "rule_based_score", lambda *_: 0.5)
    assert main(["--trials", "8"]) == 0
    printed = capsys.readouterr().out
    assert all(f"\n{name} " in printed for name in (*BLIND, "rule-based player, known"))
    monkeypatch.setattr(audit, "BLIND", {"no": (BLIND["no"][0], -1.0)})
    assert main(["--trials", "8"]) == 1
    assert "TOO MUCH" in capsys.readouterr().out
