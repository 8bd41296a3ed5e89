"""Every family: the reference scores 1.0, wrong answers are marked down, and worlds follow from their seeds."""

import pytest

from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.tasks.grader import grade
from tests.benchmarks.ecom.mistakes import all_mistakes, answer_with
from tests.benchmarks.ecom.reference_solutions import reference_of
from tests.benchmarks.ecom.variants import pose_variant, variant_ids


def check_task(variant_id: str, seed: str) -> None:
    task = pose_variant(variant_id, seed)
    workspace = task.world.workspace()
    environment = EcomEnvironment(workspace)
    answer_with(reference_of(task.truth.family), environment, task.truth)
    best = grade(task.truth, environment)
    assert best.score >= task.truth.reachable, (variant_id, seed, task.instruction, best.details)
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


@pytest.mark.heavy
@pytest.mark.parametrize("variant_id", variant_ids())
def test_the_reference_scores_one_over_many_worlds(variant_id: str) -> None:
    for number in range(200):
        check_task(variant_id, f"many|{number}")


@pytest.mark.parametrize("variant_id", variant_ids()[::3])
def test_a_seed_gives_the_same_task_and_another_seed_another_world(variant_id: str) -> None:
    first, again, other = (pose_variant(variant_id, seed) for seed in ("a", "a", "b"))
    assert first.instruction == again.instruction
    assert first.truth == again.truth
    assert dict(first.world.workspace().files) == dict(again.world.workspace().files)
    assert dict(first.world.workspace().files) != dict(other.world.workspace().files)
