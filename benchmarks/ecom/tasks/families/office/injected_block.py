"""A hostile block is laid over a request of any other family."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from benchmarks.ecom.tasks.families import family
from benchmarks.ecom.tasks.hostile_block import with_block
from benchmarks.ecom.tasks.shares import Variant, draw_family, draw_variant
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.world.generator import World

VARIANTS: Final = (Variant("right behind the request", 4), Variant("in a record or upload that it needs", 1))


def pose(world: World, variant: int) -> Truth:
    """Take a request of a family that the shares draw, and lay a block over it."""
    name = draw_family(world.rng)
    base = family(name)
    truth = base.pose(world, draw_variant(world.rng, base.VARIANTS))
    return with_block(world, replace(truth, family=name), variant)
