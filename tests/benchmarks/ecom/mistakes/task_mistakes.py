"""All wrong answers for a task: the common ones, and those of its family from the module of its group."""

from __future__ import annotations

from benchmarks.ecom.solutions.reference_solutions import reference_of
from benchmarks.ecom.tasks.task import Truth
from tests.benchmarks.ecom.mistakes import baskets, money, office, operations, products
from tests.benchmarks.ecom.mistakes.common_mistakes import Solution, common_mistakes

GROUPS = (baskets, money, office, operations, products)


def all_mistakes(truth: Truth) -> dict[str, Solution]:
    """Return every wrong answer for a posed task by name."""
    own = f"{truth.family.replace('-', '_')}_mistakes"
    (found,) = (vars(group)[own] for group in GROUPS if own in vars(group))
    return {**common_mistakes(reference_of(truth.family), truth), **found(truth)}
