"""Trials of the shop whose answers are freely worded, and how their messages are graded.

    for trial in trials_of("discount-authority: records forbid it", "out of stock"):
        message = f"{trial.basket.id} has a product that is out of stock."
        score_of_message(trial, message)  # 1.0

A trial is a task in a world of its own. `discount-authority: records forbid it` is a *variant*: a family
of tasks and a case of it. If right messages differ between its tasks, a situation follows.
"""

from functools import cache
from typing import Final

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.world.names import WorldSettings
from tests.benchmarks.ecom.solutions.reference_solutions import reference_answer
from tests.benchmarks.ecom.tasks.message_demands import Trial
from tests.benchmarks.ecom.tasks.message_situations import is_in_situation
from tests.benchmarks.ecom.variants import generate_variant

VOCABULARIES: Final = ("own", "public", "random", "own", "public", "random")
"""The sets of names that the worlds have for fields and states. Each message is graded in six."""


def trials_of(variant_id: str, situation: str = "") -> list[Trial]:
    """Return the trials of a variant that are in a situation, or all of them; at least one."""
    trials = trials_of_variant(variant_id)
    if situation:
        trials = [trial for trial in trials if is_in_situation(trial, situation)]
    assert trials, (variant_id, situation)
    return trials


@cache
def trials_of_variant(variant_id: str) -> list[Trial]:
    """Return trials of a variant in several worlds, which have different names for everything."""
    trials = []
    for seed, names in enumerate(VOCABULARIES):
        settings = WorldSettings(names=names, wordings="mixed")
        trials.append(Trial(generate_variant(variant_id, f"message|{seed}", settings)))
    return trials


def score_of_message(trial: Trial, message: str) -> float:
    """Return the score of an answer that is right, except perhaps for its message.

    Raises `AssertionError` if the grader names another fault. Faults of a message begin with
    "answer": "answer gives 'paid' away".
    """
    environment = EcomEnvironment(trial.workspace)
    answer = reference_answer(environment, trial.truth)
    environment.answer(message, answer.outcome, answer.refs)
    result = grade(trial.truth, environment)
    for fault in result.details:
        assert fault.casefold().startswith("answer "), (message, result.details)
    return result.score
