"""Divides the worlds of a benchmark into three parts that share no world.

An improvement loop learns from trials in the first part (train). In the second (check)
it decides whether a change helps, and in the third (final) it measures the result. Most
benchmarks generate a new world for each number, so the parts are ranges of numbers. If
a benchmark ignores the number, the parts are different tasks.
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

    numbers = _numbers_of_parts(request)
    if numbers is None:
        parts = _parts_by_task_names(known, request)
    else:
        parts = [with_tasks_in_turn(part, known.selected) for part in numbers]
    refuse_shared_worlds(parts, known, uses_numbers=numbers is not None)
    return parts


def _numbers_of_parts(request: SplitRequest) -> list[list[int]] | None:
    """Return the numbers of the worlds in each part; None if the user names tasks.

    If only some parts are numbers, all are read as names of tasks. The error message
    then says that no task has the name `1-20`.
    """
    numbers = []
    for part, default in zip(request.parts, DEFAULT_NUMBERS, strict=True):
        numbers.append(world_numbers(part or default))
    names_tasks = not all(numbers)  # A part with names has no numbers.
    return None if names_tasks else numbers


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
    """Return the tasks in order, without those with the same instruction as an earlier one."""
    first: dict[str, str] = {}
    for task in tasks:
        first.setdefault(known.key_of(task), task)
    return list(first.values())


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
