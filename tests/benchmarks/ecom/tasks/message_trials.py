"""Trials of the shop whose answers are freely worded, and how their messages are graded.

    for trial in trials_of("discount-authority: records forbid it", "out of stock"):
        message = f"{trial.basket.id} has a product that is out of stock."
        grade_of_message(trial, message).score  # 1.0

A trial is a task in a world of its own. `discount-authority: records forbid it` is a *variant*: a family
of tasks and a case of it. If right messages differ between its tasks, a situation follows.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.discounts.obstacles import Obstacle
from controlplane.benchmarks.ecom.tasks.grader import Grade, grade
from controlplane.benchmarks.ecom.world.records import Payment
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from tests.benchmarks.ecom.solutions.reference_solutions import reference_answer
from tests.benchmarks.ecom.tasks.message_demands import Trial
from tests.benchmarks.ecom.variants import generate_variant

WORLD_COUNT: Final = 6
"""In how many worlds each message is graded."""
VOCABULARIES: Final = ("own", "public", "random")
"""The sets of names that worlds have for fields and states."""

SITUATIONS: Final[Mapping[str, Callable[[Trial], bool]]] = {
    # "All 4 attempts of pay-31 are used up."
    "all attempts used": lambda trial: has_used_all_attempts(trial.payment),
    # "Return ret-007 is closed already, so it cannot be closed again."
    "with a return": lambda trial: trial.returned is not None,
    # "No discount: basket-0412 belongs to another branch."
    "other branch": lambda trial: trial.details["case"] == Obstacle.OTHER_BRANCH,
    # "No discount: basket-0412 has one already."
    "discounted already": lambda trial: (
        trial.details["case"] == Obstacle.DISCOUNTED_ALREADY
    ),
    # "No discount: VH-TNT-2P is out of stock."
    "out of stock": lambda trial: trial.details["case"] == Obstacle.SHORT_STOCK,
}
"""How a trial is known to be in a situation, below a right message in it."""


def has_used_all_attempts(payment: Payment) -> bool:
    """Return True if the bank's check of a payment may not be tried again."""
    check = payment.verification
    return check is not None and check.attempts == check.max_attempts


def trials_of(variant_id: str, situation: str = "") -> list[Trial]:
    """Return the trials of a variant that are in a situation, or all of them; at least one."""
    trials = trials_of_variant(variant_id)
    if situation:
        trials = [trial for trial in trials if SITUATIONS[situation](trial)]
    assert trials, (variant_id, situation)
    return trials


@cache
def trials_of_variant(variant_id: str) -> list[Trial]:
    """Return trials of a variant in several worlds, which have different names for everything."""
    trials = []
    for seed in range(WORLD_COUNT):
        names = VOCABULARIES[seed % len(VOCABULARIES)]
        settings = WorldSettings(names=names, wordings="mixed")
        trials.append(Trial(generate_variant(variant_id, f"message|{seed}", settings)))
    return trials


def grade_of_message(trial: Trial, message: str) -> Grade:
    """Return the grade of an answer that is right, except perhaps for its message."""
    environment = EcomEnvironment(workspace_of(trial.world))
    answer = reference_answer(environment, trial.truth)
    environment.answer(message, answer.outcome, answer.refs)
    return grade(trial.truth, environment)


def assert_scores_nothing(trial: Trial, message: str) -> None:
    """Assert that the message costs the whole score, and that the grader names no other fault.

    Faults of a message begin with "answer": "answer gives 'paid' away".
    """
    result = grade_of_message(trial, message)
    assert result.score == 0.0, message
    for line in result.details:
        assert line.casefold().startswith("answer "), result.details
