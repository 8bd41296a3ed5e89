"""All wrong answers for a task: the common ones, and those of its family from the module of its group."""

from __future__ import annotations

from benchmarks.ecom.tasks.families import split_task_id
from benchmarks.ecom.tasks.task import Truth
from tests.benchmarks.ecom.mistakes import baskets, money, office, products
from tests.benchmarks.ecom.mistakes.common_mistakes import Solution, common_mistakes

GROUPS = (baskets, money, office, products)


def all_mistakes(task_id: str, truth: Truth) -> dict[str, Solution]:
    """Return every wrong answer for a posed task by name. Raises `KeyError` for an unknown id."""
    family, _ = split_task_id(task_id)
    own = f"{task_id.rpartition('.')[0].replace('-', '_')}_mistakes"
    (found,) = (vars(group)[own] for group in GROUPS if own in vars(group))
    return {**common_mistakes(family.reference, truth), **found(truth)}
