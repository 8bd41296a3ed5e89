"""The families of tasks: one module each, in a folder per subject, found by walking this package.

A family has `VARIANTS` (one phrase per variant), and `pose(world, variant)`, which adapts a world to a
task and returns its truth.
"""

from __future__ import annotations

import pkgutil
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Protocol, cast

from benchmarks.ecom.tasks.task import Task, Truth
from benchmarks.ecom.world.generator import DEFAULTS, World, generate
from benchmarks.ecom.world.profiles import WorldSettings


class Family(Protocol):
    """The interface of a family's module."""

    __name__: str
    """Its dotted name, of which the last two parts name the solution."""
    VARIANTS: tuple[str, ...]

    def pose(self, world: World, variant: int) -> Truth:
        """Adapt the world to a variant, counted from 1, and return the truth of the task in it."""
        ...


@cache
def family_names() -> tuple[str, ...]:
    """Return the names of all families, sorted: the module names with dashes."""
    return tuple(sorted(_modules()))


@cache
def family(name: str) -> Family:
    """Return the family of this name. Raises `KeyError` if it is unknown."""
    return cast("Family", import_module(_modules()[name]))


@cache
def _modules() -> dict[str, str]:
    found = pkgutil.walk_packages(__path__, f"{__name__}.")
    return {each.name.rpartition(".")[2].replace("_", "-"): each.name for each in found if not each.ispkg}


def task_ids() -> tuple[str, ...]:
    """Return all task ids, `family.variant`: the first variants of all families, then the second ones, and so on."""
    numbered = [(variant, name) for name in family_names() for variant in range(1, len(family(name).VARIANTS) + 1)]
    return tuple(f"{name}.{variant}" for variant, name in sorted(numbered))


def split_task_id(task_id: str) -> tuple[Family, int]:
    """Return the family and the variant of a task id. Raises `KeyError` if it is unknown."""
    name, _, variant = task_id.rpartition(".")
    if task_id not in task_ids():
        raise KeyError(task_id)
    return family(name), int(variant)


def hint(task_id: str) -> str:
    """Return the phrase that describes a task's variant. Raises `KeyError` for an unknown id."""
    found, variant = split_task_id(task_id)
    return found.VARIANTS[variant - 1]


def pose_task(task_id: str, seed: str, settings: WorldSettings = DEFAULTS) -> Task:
    """Return a task in the world of a seed. Raises `KeyError` for an unknown id."""
    found, variant = split_task_id(task_id)
    world = generate(seed, settings)
    return Task(world, replace(found.pose(world, variant), names=world.names.records))
