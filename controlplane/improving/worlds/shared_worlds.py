"""Refuses parts of worlds that share a world.

An improvement loop learns from trials of the part `train`, and is measured on those of `check`
and `final`. A result proves nothing if the loop has seen the same world before. A world is a
task with the data of a certain number: number 7 may have other files and names than number 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controlplane.errors import UsageError
from controlplane.improving.loop_lines import Instance
from controlplane.improving.worlds.known_tasks import KnownTasks

PARTS: Final = ("train", "check", "final")
"""The names of the three parts."""


def refuse_shared_worlds(
    parts: Sequence[Sequence[Instance]], known: KnownTasks, *, uses_numbers: bool
) -> None:
    """Raise `UsageError` if two of the three parts share a world.

    `uses_numbers`: True if the parts are numbers of worlds; False if they are tasks.
    """
    part_by_world: dict[int | str, str] = {}
    """The first part with each world, by `_world_of`."""
    for part, instances in zip(PARTS, parts, strict=True):
        for instance in instances:
            world = _world_of(instance, known, uses_numbers=uses_numbers)
            first_part = part_by_world.setdefault(world, part)
            if first_part == part:
                continue
            msg = (
                f"--{first_part} and --{part} share {world}: "
                "a result on them proves nothing"
            )
            _number, task = instance
            if task in known.constant:
                msg += "; numbers change nothing here: name tasks, or --split them"
            raise UsageError(msg)


def _world_of(
    instance: Instance, known: KnownTasks, *, uses_numbers: bool
) -> int | str:
    """Return what identifies the world of an instance, for a comparison of parts.

    - Parts of numbers: the number. All tasks with the number 7 share data, so `(7, "count")`
      and `(7, "list")` are in one world.
    - Parts of tasks: the task's instruction, because two tasks that ask the same are one.
    - A task that is the same under every number: its instruction, too.
    """
    number, task = instance
    if uses_numbers and task not in known.constant:
        return number
    return known.key_of(task)
