"""Every family: the reference scores 1.0, wrong answers are marked down, and worlds follow from their seeds."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.ecom.ecom_benchmark import FAMILIES, task_ids
from benchmarks.ecom.shop_environment import EcomEnvironment
from benchmarks.ecom.tasks.grader import grade
from benchmarks.ecom.world.generator import PLAYED, WorldSettings
from tests.benchmarks.ecom.mistakes import all_mistakes, answer_with
from tests.benchmarks.ecom.reference_solutions import (
    generate_variant,
    reference_of,
    reference_script,
    scripted_replies,
    task_of,
    variant_ids,
)
from tests.support.command import inside


def check_task(variant_id: str, seed: str) -> None:
    task = generate_variant(variant_id, seed)
    workspace = task.world.workspace()
    environment = EcomEnvironment(workspace)
    answer_with(reference_of(task.truth.family), environment, task.truth)
    best = grade(task.truth, environment)
    assert best.score == 1.0, (variant_id, seed, task.instruction, best.details)
    assert task.truth.measure or not best.details
    mistakes = all_mistakes(task.truth)
    assert len(mistakes) >= 6, mistakes.keys()
    for name, mistake in mistakes.items():
        environment = EcomEnvironment(workspace)
        answer_with(mistake, environment, task.truth)
        result = grade(task.truth, environment)
        assert result.score < best.score, (variant_id, seed, name, environment.submission)
        assert result.details, (variant_id, seed, name)


@pytest.mark.parametrize("variant_id", variant_ids())
def test_the_reference_scores_one_and_every_mistake_less(variant_id: str) -> None:
    check_task(variant_id, "0")


def check(task_names: Iterable[str], seed: int, wordings: str, folder: Path) -> None:
    """Play the references of tasks in one run, and expect that each scores what can be reached."""
    script, settings = folder / "references.toml", WorldSettings(wordings=wordings)
    named = [f"{task_id}-r0-s{seed}-prod-00000000" for task_id in task_names]
    asked = {task_of(trial, settings).instruction: trial for trial in reversed(named)}
    trials = sorted(asked.values())  # A reply is chosen by the request; two worlds may be asked the same.
    tasks = [trial.partition("-r0-")[0] for trial in trials]
    script.write_text(scripted_replies(trials, settings), encoding="utf-8")
    flags = ("--model", f"scripted:{script}", "--seed", str(seed), "--set", f"wordings={wordings}")
    ran = inside("run", *tasks, *flags, "--json", cwd=folder)
    assert ran.code == 0, ran.err
    assert [one for one in ran.json["trials"] if one["score"] < 1.0] == []


def test_a_run_of_reference_scripts_scores_one_through_sandbox_and_gates(tmp_path: Path, heavy: bool) -> None:
    check(task_ids() if heavy else task_ids()[: len(FAMILIES) : 3], 1, "known", tmp_path)


def test_a_script_that_claims_a_change_and_makes_none_is_sent_back(tmp_path: Path) -> None:
    instruction, code = reference_script("basket-checkout.1-r0-s3-prod-00000000")
    assert instruction
    kept = [line for line in code.splitlines() if not line.startswith("harness.exec(path='/bin/checkout'")]
    script = tmp_path / "claim.toml"
    script.write_text(f"[[reply]]\ncode = '''\n{chr(10).join(kept)}\n'''\n", encoding="utf-8")
    ran = inside("run", "basket-checkout.1", "--model", f"scripted:{script}", "--seed", "3", "--json", cwd=tmp_path)
    assert ran.code == 0
    assert ran.json["rejections"]
    assert ran.json["score"] == 0.0


def test_a_script_is_told_how_a_file_goes_on_that_a_read_cuts(tmp_path: Path) -> None:
    world = task_of("staff-count.1-r0-s3-hard-00000000", replace(PLAYED, profile="hard")).world
    path = world.path(next(iter(world.stores.values())))
    script = tmp_path / "cut.toml"
    script.write_text(f"[[reply]]\ncode = '''\nprint(harness.read({path!r}).truncated)\n'''\n", encoding="utf-8")
    flags = ("--model", f"scripted:{script}", "--seed", "3", "--set", "profile=hard", "--json")
    assert inside("run", "staff-count.1", *flags, cwd=tmp_path).code == 0
    (journal,) = (tmp_path / "runs").glob("*.jsonl")
    assert f"{path} goes on: harness.tools.read_all(path) gives the rest." in journal.read_text(encoding="utf-8")
