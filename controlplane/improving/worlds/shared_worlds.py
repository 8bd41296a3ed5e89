"""Refuses parts of worlds that share a world.

A result in a world proves nothing if the loop has learned from that world before.
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
    part_of: dict[int | str, str] = {}
    """The first part with each world."""
    for part, instances in zip(PARTS, parts, strict=True):
        for number, task in instances:
            ignores_number = task in known.constant
            world: int | str = number
            if ignores_number or not uses_numbers:
                # The task has one world, which tasks with the same instruction share.
                world = known.key_of(task)
            if world not in part_of:
                part_of[world] = part
            elif part_of[world] != part:
                msg = (
                    f"--{part_of[world]} and --{part} share {world}: "
                    "a result on them proves nothing"
                )
                if ignores_number:
                    msg += "; numbers change nothing here: name tasks, or --split them"
                raise UsageError(msg)
