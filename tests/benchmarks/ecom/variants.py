"""Variants of families by names of their own: `family#K` is the K-th one, where `family.N` may be any."""

from itertools import count

from benchmarks.ecom.ecom_benchmark import TrialId
from benchmarks.ecom.tasks.posing import FAMILIES, Draw, drawn, pose
from benchmarks.ecom.tasks.task import Task
from benchmarks.ecom.world.generator import DEFAULTS, WorldSettings


def variant_ids() -> tuple[str, ...]:
    """Return the names of all variants: the first ones of all families, then the second ones, and so on."""
    numbered = [(number, name) for name, family in FAMILIES.items() for number in range(1, len(family.weights) + 1)]
    return tuple(f"{name}#{number}" for number, name in sorted(numbered))


def draw_of(variant_id: str) -> Draw:
    """Return the draw that gives this variant, without a hostile block."""
    name, _, number = variant_id.partition("#")
    return Draw(name, int(number))


def pose_variant(variant_id: str, seed: str, settings: WorldSettings = DEFAULTS) -> Task:
    """Return a task of this variant in the world of a seed."""
    return pose(draw_of(variant_id), seed, settings)


def first_task(variant_id: str, seed: int = 0) -> str:
    """Return the first task of the family whose first try in a run of this seed draws the variant, without a block."""
    wanted = draw_of(variant_id)
    for number in count(1):
        task_id = f"{wanted.family}.{number}"
        if drawn(task_id, TrialId(task_id, 0, seed, "", "").world_seed) == wanted:
            return task_id
    raise AssertionError
