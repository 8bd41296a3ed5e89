"""Divides what an improvement loop plays into three parts that share no world.

The loop learns from trials in the first part (train). In the second (check) it decides
whether a change helps, and in the third (final) it measures the result. A *world* is the data
that a benchmark generates from a number, such as the books of one library. Parts are ranges of
these numbers; if a benchmark ignores the number, they are different tasks. An *instance*,
`(number, task)`, is one task in one world.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import UsageError
from controlplane.improving.loop_lines import Instance
from controlplane.improving.worlds.known_tasks import (
    KnownTasks,
    known_tasks,
    selected_tasks,
)
from controlplane.improving.worlds.shared_worlds import refuse_shared_worlds
from controlplane.improving.worlds.task_shares import split_tasks
from controlplane.improving.worlds.world_numbers import (
    with_tasks_in_turn,
    world_numbers,
)

DEFAULT_NUMBERS: Final = ("1-20", "101-140", "201-260")
"""The numbers of the worlds in each part, unless the user names others."""
DEFAULT_SPLIT: Final = "40/30/30"
"""The share of each part in the tasks, in per cent, if the benchmark ignores numbers."""


@dataclass(frozen=True, slots=True)
class SplitRequest:
    """The user's options for the division."""

    tasks: tuple[str, ...] = ()
    """Tasks or families to play; empty for all."""
    parts: tuple[str, str, str] = ("", "", "")
    """Each part as numbers of worlds (`1-20`) or names of tasks; empty if it is not given."""
    split: str = ""
    """The share of each part in per cent, such as `50/25/25`; empty if it is not given."""
    seed: int = 0


def split_worlds(settings: RunSettings, request: SplitRequest) -> list[list[Instance]]:
    """Return the instances of the three parts: the worlds and tasks to play in each.

    The parts are, by what the user has named:

    - `--split 50/25/25`: shares of the tasks. This is also the default of a benchmark
      that ignores the numbers of worlds.
    - `--train 1-20 --check 30-40 --final 50-60`: numbers of worlds. This is the default
      of the other benchmarks.
    - `--train a,b --check c --final d,e`: tasks.

    Raises `UsageError` and `BenchmarkError`.
    """
    names_parts = any(request.parts)
    if request.split and names_parts:
        msg = "--split divides the tasks by itself: leave out --train, --check and --final"
        raise UsageError(msg)
    known = known_tasks(settings, request.tasks)
    if not known.selected:
        msg = f"{known.description.name} lists no tasks, so no worlds can be set apart"
        raise UsageError(msg)
    if request.split or (known.ignores_numbers and not names_parts):
        return _parts_by_shares(known, request)

    number_ranges = _number_ranges(request)
    if number_ranges is None:
        parts = _parts_by_task_names(known, request)
    else:
        parts = [
            with_tasks_in_turn(numbers, known.selected) for numbers in number_ranges
        ]
    refuse_shared_worlds(parts, known, uses_numbers=number_ranges is not None)
    return parts


def _number_ranges(request: SplitRequest) -> list[list[int]] | None:
    """Return the numbers of the worlds in each part: `1-3` -> `[1, 2, 3]`.

    Returns None if the user names tasks instead. That is also so if only some parts are
    numbers: the error message then says that no task has the name `1-20`.
    """
    number_ranges = []
    for part, default in zip(request.parts, DEFAULT_NUMBERS, strict=True):
        numbers = world_numbers(part or default)
        if not numbers:  # The part is a list of tasks, such as `a,b`.
            return None
        number_ranges.append(numbers)
    return number_ranges


def _parts_by_task_names(
    known: KnownTasks, request: SplitRequest
) -> list[list[Instance]]:
    """Return the parts if the user names the tasks of each. All are played in world 0.

    Raises `UsageError` if a part has no selected task.
    """
    parts = []
    for part in request.parts:
        tasks = selected_tasks(known.description, part.split(",")) if part else []
        parts.append([(0, task) for task in tasks if task in known.selected])
    if not all(parts):
        msg = "name the tasks of all three parts: --train, --check and --final"
        raise UsageError(msg)
    return parts


def _without_repeats(tasks: Sequence[str], known: KnownTasks) -> list[str]:
    """Return the tasks in order, without those with the same instruction as an earlier one.

    A benchmark may list one task under two names. In different parts, they would be one world.
    """
    task_by_instruction: dict[str, str] = {}
    for task in tasks:
        task_by_instruction.setdefault(known.key_of(task), task)
    return list(task_by_instruction.values())


def _parts_by_shares(known: KnownTasks, request: SplitRequest) -> list[list[Instance]]:
    """Divide the tasks into the three parts. All are played in world 0.

    A user who selects some tasks, without --split, wants to learn from them. So they
    are the first part, and each of the other two parts gets half of the remaining
    tasks. With --split, or if less than two tasks remain, the selected tasks are
    divided by shares such as 40/30/30.
    """
    all_tasks = selected_tasks(known.description, ())
    tasks = _without_repeats([*known.selected, *all_tasks], known)
    selected = [task for task in tasks if task in known.selected]
    other_tasks = [task for task in tasks if task not in known.selected]
    if request.split or len(other_tasks) < 2:
        groups = split_tasks(selected, request.split or DEFAULT_SPLIT, request.seed)
    else:
        random.Random(request.seed).shuffle(other_tasks)
        groups = [selected, other_tasks[::2], other_tasks[1::2]]
    return [[(0, task) for task in group] for group in groups]
