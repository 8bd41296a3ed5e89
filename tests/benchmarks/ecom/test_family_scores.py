"""Right answers to the shop's tasks score 1, and typical mistakes less.

A family generates tasks of one kind, such as the checkout of a basket, each with its truth: what the
right answer is. A variant is one case of a family: `basket-checkout: one line is short`.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from tests.benchmarks.ecom.mistakes.all_mistakes import all_mistakes
from tests.benchmarks.ecom.solutions.reference_solutions import reference_of
from tests.benchmarks.ecom.solutions.wrong_solutions import answer_with
from tests.benchmarks.ecom.variant_ids import variant_ids
from tests.benchmarks.ecom.variants import generate_variant


@pytest.fixture(scope="module", params=variant_ids())
def task(request: pytest.FixtureRequest) -> Task:
    """A task of each variant in turn."""
    return generate_variant(request.param, seed="0")


def test_a_right_answer_scores_one(task: Task) -> None:
    shop = EcomEnvironment(workspace_of(task.world))

    answer_with(reference_of(task.truth.family), shop, task.truth)

    reference_grade = grade(task.truth, shop)
    assert reference_grade.score == 1.0, (task.instruction, reference_grade.details)
    # The details are faults; those of a plan of deliveries say how good it is.
    if not task.truth.measure:
        assert not reference_grade.details


def test_every_mistake_scores_less_and_is_explained(task: Task) -> None:
    """A mistake is a wrong answer, such as one that cites too little or changes too much. Every
    variant allows at least six."""
    workspace = workspace_of(task.world)

    mistakes_by_name = all_mistakes(task.truth)

    assert len(mistakes_by_name) >= 6, mistakes_by_name.keys()
    for name, mistake in mistakes_by_name.items():
        shop = EcomEnvironment(workspace)
        answer_with(mistake, shop, task.truth)
        mistake_grade = grade(task.truth, shop)
        assert mistake_grade.score < 1.0, (name, shop.submission)
        assert mistake_grade.details, name
