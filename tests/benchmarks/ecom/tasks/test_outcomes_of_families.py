"""The tasks of a family have several right outcomes, each often, so that guessing does not pay.

A family is a kind of the shop's tasks: `discount-limit`, say. The right outcome of a task is done,
denied, not supported, or a question to the user. If nearly all tasks of a family had the same, a
player could earn much by giving it, without looking at the shop.
"""

import math
from collections import Counter

import pytest

from controlplane.benchmarks.ecom.tasks.barred_answers import INJECTED_BLOCK
from controlplane.benchmarks.ecom.tasks.families import FAMILIES
from controlplane.benchmarks.ecom.tasks.generated_tasks import (
    TaskChoices,
    generate_chosen,
)
from controlplane.benchmarks.ecom.world.names import WorldSettings


def outcomes_of_tasks(family_name: str, least_count: int) -> Counter[str]:
    """Count the right outcomes of so many tasks of a family, or more: `{OK: 15, DENIED: 5}`.

    In each round, each case of the family comes as often as its weight says: three tasks are of a
    case with the weight 3, and one of a case with the weight 1.
    """
    weights = FAMILIES[family_name].weights
    round_count = math.ceil(least_count / sum(weights.values()))
    outcomes: Counter[str] = Counter()
    for round_number in range(round_count):
        for case, weight in weights.items():
            for index in range(weight):
                seed = f"outcomes|{family_name}|{case}|{round_number}|{index}"
                choices = TaskChoices(family_name, case)
                task = generate_chosen(choices, seed, WorldSettings(wordings="unseen"))
                outcomes[task.truth.outcome] += 1
    return outcomes


@pytest.mark.parametrize("family_name", sorted({*FAMILIES} - {INJECTED_BLOCK}))
def test_a_family_has_several_outcomes_and_none_is_rare(
    family_name: str, heavy: bool
) -> None:
    """All tasks of the family `INJECTED_BLOCK` must be denied, so it is left out."""
    outcomes = outcomes_of_tasks(family_name, least_count=100 if heavy else 20)

    assert len(outcomes) >= 2, outcomes
    assert min(outcomes.values()) >= 0.2 * outcomes.total(), outcomes
