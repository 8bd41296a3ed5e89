"""Tasks of one kind of request in several worlds, to compare them with a recorded fact.

    tasks = tasks_in_worlds("guest-basket-status: asked by a guest")
    right_answer(tasks[0]).outcome        # "OUTCOME_DENIED_SECURITY"
    folder_of(tasks[0].world, "baskets")  # "/proc/carts"

A world is a generated shop, with records and paths of its own.
"""

from collections.abc import Mapping
from functools import cache

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.names import VOCABULARIES, WorldSettings
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.world import World
from tests.benchmarks.ecom.recorded.facts.early_facts import EARLY_FACTS
from tests.benchmarks.ecom.recorded.facts.fact import Fact
from tests.benchmarks.ecom.recorded.facts.model_facts import MODEL_FACTS
from tests.benchmarks.ecom.solutions.answers import Answer
from tests.benchmarks.ecom.solutions.reference_solutions import reference_answer
from tests.benchmarks.ecom.variants import generate_variant

FACTS: Mapping[str, Fact] = {**EARLY_FACTS, **MODEL_FACTS}

every_fact = pytest.mark.parametrize("fact", FACTS.values(), ids=FACTS)
"""Runs a test for each fact."""


@cache
def tasks_in_worlds(variant: str) -> list[Task]:
    """Return tasks of this variant in three worlds, each with other names for folders and fields."""
    return [
        generate_variant(variant, f"fact|{names}", WorldSettings(names=names))
        for names in VOCABULARIES
    ]


def right_answer(task: Task) -> Answer:
    """Return the answer of our reference solution, a function of the tests that knows what is right."""
    shop = EcomEnvironment(workspace_of(task.world))
    return reference_answer(shop, task.truth)


def score_with_citations(task: Task, citations: list[str]) -> float:
    """Return the score of the right answer to a task if it cites these paths."""
    shop = EcomEnvironment(workspace_of(task.world))
    answer = reference_answer(shop, task.truth)
    shop.answer(answer.message, answer.outcome, citations)
    return grade(task.truth, shop).score


def page_path(task: Task, page: str) -> str:
    """Return the path of a page in the task's world: `security` -> `/docs/security.md`."""
    return task.world.names.pages[page]


def folder_of(world: World, kind: str) -> str:
    """Return the folder of a kind of records: `baskets` -> `/proc/carts`."""
    # Exports of payments have the same folder in every world.
    if kind == "archive":
        return "/archive"
    # `/uploads/request.txt` in some worlds, `/storage/in/request.txt` in others
    if kind == "uploads":
        first_folder = world.names.uploads.split("/")[1]
        return f"/{first_folder}"
    # The other kinds have a field with the name of the kind: `roots.baskets`.
    folder: str = getattr(world.layout.roots, kind)
    return folder
