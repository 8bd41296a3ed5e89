"""The families of tasks: one module each, in a folder per subject, found by walking this package.

A family has `VARIANTS`, its cases with their weights, and `pose(world, variant)`, which adapts a world to a
task and returns its truth.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from typing import Protocol, cast

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.world.generator import World


class Family(Protocol):
    """The interface of a family's module."""

    __name__: str
    """Its dotted name, of which the last two parts name the solution."""
    VARIANTS: tuple[Variant, ...]

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
