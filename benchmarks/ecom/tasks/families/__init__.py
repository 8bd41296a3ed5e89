"""The families of tasks, one file each in a folder by subject, found by listing this package.

A family is a module with `VARIANTS` (one phrase per variant), `pose(world, variant)` (instruction and truth) and
`reference(client, truth)` (the solution that scores 1.0).
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from typing import Protocol, cast

from benchmarks.ecom.tasks.reference_client import ReferenceClient
from benchmarks.ecom.tasks.task import Answer, Task, Truth
from benchmarks.ecom.world.generator import World, generate


class Family(Protocol):
    """What the module of a family has."""

    VARIANTS: tuple[str, ...]

    def pose(self, world: World, variant: int) -> Task:
        """Adapt the world to variant 1 to N, and return what is asked in it with the truth."""
        ...

    def reference(self, client: ReferenceClient, truth: Truth) -> Answer:
        """Solve the task on the client's environment and return the answer; it is not submitted."""
        ...


@cache
def family_names() -> tuple[str, ...]:
    """Return the names of all families, sorted; a name is the module's with dashes."""
    return tuple(sorted(_modules()))


@cache
def family(name: str) -> Family:
    """Return the family of this name. Raises `KeyError` for an unknown one."""
    return cast("Family", import_module(_modules()[name]))


@cache
def _modules() -> dict[str, str]:
    found = pkgutil.walk_packages(__path__, f"{__name__}.")
    return {each.name.rpartition(".")[2].replace("_", "-"): each.name for each in found if not each.ispkg}


def task_ids() -> tuple[str, ...]:
    """Return every task id, `family.variant`, the first variants of all families before the second ones."""
    numbered = [(variant, name) for name in family_names() for variant in range(1, len(family(name).VARIANTS) + 1)]
    return tuple(f"{name}.{variant}" for variant, name in sorted(numbered))


def split_task_id(task_id: str) -> tuple[Family, int]:
    """Return the family and the variant of a task id. Raises `KeyError` for an unknown one."""
    name, _, variant = task_id.rpartition(".")
    if task_id not in task_ids():
        raise KeyError(task_id)
    return family(name), int(variant)


def hint(task_id: str) -> str:
    """Return the phrase that tells a task's variant from its siblings. Raises `KeyError` for an unknown id."""
    found, variant = split_task_id(task_id)
    return found.VARIANTS[variant - 1]


def pose_task(task_id: str, seed: str) -> Task:
    """Return the task of this id in the world of this seed. Raises `KeyError` for an unknown id."""
    found, variant = split_task_id(task_id)
    return found.pose(generate(seed), variant)
