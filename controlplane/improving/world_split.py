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

import re2

from controlplane.benchmark import Description, TaskSelection
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import UsageError
from controlplane.gates.submission import encodable
from controlplane.improving.loop_record import Instance
from controlplane.lifecycle.named_operations import check_named_operations
from controlplane.lifecycle.run_resources import RunResources
from controlplane.lifecycle.run_spec import RunSpec

PARTS: Final = ("train", "check", "final")
"""The names of the three parts."""
DEFAULT_NUMBERS: Final = ("1-20", "101-140", "201-260")
"""The numbers of the worlds in each part, unless the user names others."""
DEFAULT_SPLIT: Final = "40/30/30"
"""The share of each part in the tasks, in per cent, if the benchmark ignores
numbers."""
MAX_NUMBERS: Final = 100_000
"""The most worlds in one part."""


@dataclass(frozen=True, slots=True)
class SplitRequest:
    """The user's options for the division."""

    tasks: tuple[str, ...] = ()
    """Tasks or families to play; empty for all."""
    parts: tuple[str, str, str] = ("", "", "")
    """Each part as numbers of worlds, such as `1-20`, or names of tasks; empty if it is
    not given."""
    split: str = ""
    """The share of each part in per cent, such as `50/25/25`; empty if it is not
    given."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class _KnownTasks:
    """The tasks of a benchmark, as far as they are known before a run."""

    description: Description
    selected: list[str]
    """The tasks that the user selected."""
    instructions: dict[str, str]
    """The instruction of each task with the run's seed; empty if the benchmark does not
    tell it."""
    constant_instructions: dict[str, str]
    """The instructions of those tasks whose instruction is the same in every world."""

    @property
    def ignores_numbers(self) -> bool:
        """True if a selected task is the same in every world, whatever the world's
        number."""
        return any(task in self.constant_instructions for task in self.selected)


def split_worlds(settings: RunSettings, request: SplitRequest) -> list[list[Instance]]:
    """Return the instances of the three parts: the worlds and tasks to play in each.

    The parts are, by what the user has named:

    - `--split 50/25/25`: shares of the tasks. This is also the default of a benchmark
      that ignores the numbers of worlds.
    - `--train 1-20 --check 30-40 --final 50-60`: numbers of worlds. This is the default
      of others.
    - `--train a,b --check c --final d,e`: tasks.

    Raises `UsageError` and `BenchmarkError`.
    """
    names_parts = any(request.parts)
    if request.split and names_parts:
        msg = "--split divides the tasks by itself: leave out --train, --check and --final"
        raise UsageError(msg)
    known = _known_tasks(settings, request)
    if not known.selected:
        msg = f"{known.description.name} lists no tasks, so no worlds can be set apart"
        raise UsageError(msg)

    if request.split or (known.ignores_numbers and not names_parts):
        return _parts_by_shares(known, request)

    ranges = [
        part or default
        for part, default in zip(request.parts, DEFAULT_NUMBERS, strict=True)
    ]
    # If only some parts are numbers, all are read as names of tasks. Then the message
    # says that no task has the name `1-20`.
    are_numbers = all(world_numbers(text) for text in ranges)
    if are_numbers:
        parts = [
            _with_tasks_in_turn(world_numbers(text), known.selected) for text in ranges
        ]
    else:
        parts = _parts_by_task_names(known, request)
    _refuse_shared_worlds(parts, known, uses_numbers=are_numbers)
    return parts


def _known_tasks(settings: RunSettings, request: SplitRequest) -> _KnownTasks:
    """Return the tasks of the benchmark."""
    with RunResources(RunSpec(settings), works=False) as resources:
        description = resources.describe()
        instructions_1 = _instructions_of(resources, seed=1)
        instructions_2 = _instructions_of(resources, seed=2)
        instructions = _instructions_of(resources, settings.seed)
        selected = _selected(description, request.tasks)
        check_named_operations(resources, selected)

    # Two seeds give two worlds. If a task has the same instruction in both, we assume
    # that it is the same in every world.
    constant_instructions = {}
    for task, instruction in instructions_1.items():
        if instruction and instruction == instructions_2[task]:
            constant_instructions[task] = instruction
    return _KnownTasks(description, selected, instructions, constant_instructions)


def _instructions_of(resources: RunResources, seed: int) -> dict[str, str]:
    """Return the instruction of each task under a seed, by the task's name."""
    tasks = resources.benchmark.describe(preview_seed=seed).tasks
    return {task.task_id: task.preview for task in tasks}


def _parts_by_task_names(
    known: _KnownTasks, request: SplitRequest
) -> list[list[Instance]]:
    """Return the parts of a user who names the tasks of each. All are played in world
    0.

    Raises `UsageError` if a part has no selected task.
    """
    parts = []
    for part in request.parts:
        tasks = _selected(known.description, part.split(",")) if part else []
        parts.append([(0, task) for task in tasks if task in known.selected])
    if not all(parts):
        msg = "name the tasks of all three parts: --train, --check and --final"
        raise UsageError(msg)
    return parts


def _selected(description: Description, names: Sequence[str]) -> list[str]:
    """Return the tasks with these names or families, or all tasks if `names` is empty.

    Raises `BenchmarkError`.
    """
    selection = TaskSelection(tuple(name.strip() for name in names))
    task_ids = selection.task_ids(description)
    return [task_try.task_id for task_try in selection.tries(task_ids)]


def _without_repeats(tasks: Sequence[str], instructions: dict[str, str]) -> list[str]:
    """Return the tasks in order, without those that repeat the instruction of an
    earlier task."""
    first_task: dict[str, str] = {}
    for task in tasks:
        instruction = (
            instructions.get(task) or task
        )  # without an instruction, the task's name
        first_task.setdefault(instruction, task)
    return list(first_task.values())


def _parts_by_shares(known: _KnownTasks, request: SplitRequest) -> list[list[Instance]]:
    """Divide the tasks into the three parts. All are played in world 0.

    A user who selects some tasks, without --split, wants to learn from them. So they
    are the first part, and each of the other two parts gets half of the remaining
    tasks. With --split, or if less than two tasks remain, the selected tasks are
    divided by shares such as 40/30/30.
    """
    all_tasks = _selected(known.description, ())
    tasks = _without_repeats([*known.selected, *all_tasks], known.instructions)
    selected_tasks = [task for task in tasks if task in known.selected]
    other_tasks = [task for task in tasks if task not in known.selected]
    if request.split or len(other_tasks) < 2:
        groups = split_tasks(
            selected_tasks, request.split or DEFAULT_SPLIT, request.seed
        )
    else:
        random.Random(request.seed).shuffle(other_tasks)
        groups = [selected_tasks, other_tasks[::2], other_tasks[1::2]]
    return [[(0, task) for task in group] for group in groups]


_SHARES: Final = re2.compile(r"(\d{1,3})/(\d{1,3})/(\d{1,3})")
"""Three shares in per cent: `50/25/25`."""


def split_tasks(tasks: Sequence[str], split: str, seed: int) -> list[list[str]]:
    """Return the tasks, shuffled by the seed, in three parts.

    `split` gives the share of each part in per cent: `50/25/25`. Raises `UsageError`.
    """
    match = _SHARES.fullmatch(encodable(split))
    shares = [int(share) for share in match.groups()] if match else []
    shuffled = random.Random(seed).sample(list(tasks), len(tasks))
    # Round the ends and not the sizes of the parts, so that no task is lost.
    parts = []
    start = 0
    share_up_to_end = 0
    for share in shares:
        share_up_to_end += share
        end = round(len(shuffled) * share_up_to_end / 100)
        parts.append(shuffled[start:end])
        start = end
    if sum(shares) != 100 or not all(parts):
        msg = (
            f"{len(shuffled)} tasks cannot be split {split}: name three shares such as 50/25/25; "
            "no part may be empty"
        )
        raise UsageError(msg)
    return parts


def world_numbers(text: str) -> list[int]:
    """Return the numbers in a text such as `1-20,25`, each once; none if the text names
    tasks.

    Raises `UsageError` for a range of too many numbers.
    """
    is_numbers = re2.fullmatch(
        r"\d{1,9}(-\d{1,9})?(,\d{1,9}(-\d{1,9})?)*", encodable(text)
    )
    if not is_numbers:
        return []
    numbers: dict[int, None] = {}  # the numbers as keys, in order and each once
    for span in text.split(","):
        first, _, last = span.partition("-")
        span_numbers = range(int(first), int(last or first) + 1)
        if len(span_numbers) > MAX_NUMBERS:
            msg = f"{text}: a part has at most {MAX_NUMBERS:,} worlds"
            raise UsageError(msg)
        numbers.update(dict.fromkeys(span_numbers))
    return list(numbers)


def _with_tasks_in_turn(numbers: Sequence[int], tasks: Sequence[str]) -> list[Instance]:
    """Return an instance for each number of a world, with the tasks in turn.

    `[1, 2, 3]`, `["a", "b"]` -> `[(1, "a"), (2, "b"), (3, "a")]`
    """
    instances = []
    for place, number in enumerate(numbers):
        instances.append((number, tasks[place % len(tasks)]))
    return instances


def _refuse_shared_worlds(
    parts: Sequence[Sequence[Instance]], known: _KnownTasks, *, uses_numbers: bool
) -> None:
    """Raise `UsageError` if two parts share a world.

    `uses_numbers`: True if the parts are numbers of worlds; False if they are tasks.
    """
    part_of_world: dict[int | str, str] = {}
    for part, instances in zip(PARTS, parts, strict=True):
        for instance in instances:
            world = _world_of(instance, known, uses_numbers=uses_numbers)
            first_part = part_of_world.setdefault(
                world, part
            )  # the first part with this world
            if first_part != part:
                msg = f"--{first_part} and --{part} share {world}: a result on them proves nothing"
                _, task = instance
                if task in known.constant_instructions:
                    msg += "; numbers change nothing here: name tasks, or --split them"
                raise UsageError(msg)


def _world_of(
    instance: Instance, known: _KnownTasks, *, uses_numbers: bool
) -> int | str:
    """Return a key for the world that an instance is played in. Equal keys mean the
    same world.

    A task that ignores numbers has one world, and its instruction is the key. Else the
    key is the number or, if the parts are tasks, the task's instruction.
    """
    number, task = instance
    if task in known.constant_instructions:
        return known.constant_instructions[task]
    if uses_numbers:
        return number
    return (
        known.instructions.get(task) or task
    )  # without an instruction, the task's name
