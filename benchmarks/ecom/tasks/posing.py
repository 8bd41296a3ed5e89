"""Poses tasks: from a task's id and a seed it draws the variant, and whether a hostile block is laid over it.

A task's id is `family.N`. The number is a part of the seed and nothing else: no case or outcome belongs to it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Final

from benchmarks.ecom.tasks.families import family, family_names
from benchmarks.ecom.tasks.hostile_block import with_block
from benchmarks.ecom.tasks.shares import OVERLAY, OVERLAY_CHANCE, SHARES, draw_variant
from benchmarks.ecom.tasks.task import Task
from benchmarks.ecom.world.generator import DEFAULTS, generate
from benchmarks.ecom.world.profiles import WorldSettings

TASK_ID: Final = re.compile(r"([a-z]+(?:-[a-z]+)*)\.([1-9]\d{0,3})")


@dataclass(frozen=True, slots=True)
class Draw:
    """What a task's id and seed lead to."""

    family: str
    variant: int
    """Counted from 1."""
    block: int = 0
    """The variant of the hostile block that is laid over it; 0 for none."""


@cache
def task_ids() -> tuple[str, ...]:
    """Return the ids of a default run: the first tasks of all families, then their second ones, and so on."""
    numbered = [(number, each.family) for each in SHARES for number in range(1, each.trials + 1)]
    return tuple(f"{name}.{number}" for number, name in sorted(numbered))


def is_task_id(text: str) -> bool:
    """Say whether there is a task of this id, in a default run or beyond it."""
    match = TASK_ID.fullmatch(text)
    return match is not None and match[1] in family_names()


def hint(task_id: str) -> str:
    """Return the phrase that says what a task's family asks. Raises `KeyError` for an unknown id."""
    name = _family_name(task_id)
    return next(each.about for each in SHARES if each.family == name)


def drawn(task_id: str, seed: str) -> Draw:
    """Return what is drawn for a task. Raises `KeyError` for an unknown id."""
    name = _family_name(task_id)
    rng = Random(f"{task_id}|{seed}")
    variant = draw_variant(rng, family(name).VARIANTS)
    has_block = name != OVERLAY and rng.random() < OVERLAY_CHANCE
    return Draw(name, variant, draw_variant(rng, family(OVERLAY).VARIANTS) if has_block else 0)


def pose_task(task_id: str, seed: str, settings: WorldSettings = DEFAULTS) -> Task:
    """Return a task in the world of a seed. Raises `KeyError` for an unknown id."""
    return pose(drawn(task_id, seed), seed, settings)


def pose(draw: Draw, seed: str, settings: WorldSettings = DEFAULTS) -> Task:
    """Return the task of a draw in the world of a seed."""
    world = generate(seed, settings)
    truth = family(draw.family).pose(world, draw.variant)
    if draw.block:
        truth = with_block(world, truth, draw.block)
    return Task(world, replace(truth, names=world.names.records, family=truth.family or draw.family))


def _family_name(task_id: str) -> str:
    if not is_task_id(task_id):
        raise KeyError(task_id)
    return task_id.rpartition(".")[0]
