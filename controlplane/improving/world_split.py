"""Divides the worlds of a benchmark into three parts, of which no two share a world.

An improvement loop learns from the trials of the first part, decides on the second whether a change
helps, and proves it on the third. Most benchmarks make a new world for each number; then the parts
are ranges of numbers. If the number changes nothing, they are different tasks.
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
from controlplane.lifecycle.run_resources import RunResources, RunSpec

PARTS: Final = ("train", "check", "final")
"""The parts to learn from, to decide on and to prove on."""
DEFAULT_NUMBERS: Final = ("1-20", "101-140", "201-260")
"""The numbers of the worlds of the three parts, unless the user names others."""
DEFAULT_SPLIT: Final = "40/30/30"
"""The shares of the three parts, in per cent, where the number of a world changes nothing."""
MAX_NUMBERS: Final = 100_000
"""More worlds than this in one part are a mistake."""


@dataclass(frozen=True, slots=True)
class SplitRequest:
    """How the user wants the worlds to be divided."""

    tasks: tuple[str, ...] = ()
    """Tasks or families to play; empty for all."""
    parts: tuple[str, str, str] = ("", "", "")
    """For each part, numbers of worlds or names of tasks; empty where nothing was said."""
    split: str = ""
    """The shares of the three parts in per cent, such as 50/25/25; empty if none were given."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class _KnownTasks:
    """What a benchmark tells of its tasks before a run."""

    description: Description
    selected: list[str]
    """The tasks that the user selected."""
    texts: dict[str, str]
    """The instruction of each task in the worlds of the run's seed; empty if it is not told."""
    fixed_texts: dict[str, str]
    """The instructions of those tasks which ask the same in every world."""


def split_worlds(settings: RunSettings, request: SplitRequest) -> list[list[Instance]]:
    """Return the instances of the three parts. Raises `UsageError` and `BenchmarkError`."""
    names_parts = any(request.parts)
    if request.split and names_parts:
        msg = "--split divides the tasks by itself: leave out --train, --check and --final"
        raise UsageError(msg)
    known = _known_tasks(settings, request)
    if not known.selected:
        msg = f"{known.description.name} lists no tasks, so no worlds can be set apart"
        raise UsageError(msg)

    numbers_change_nothing = any(task in known.fixed_texts for task in known.selected)
    if request.split or (numbers_change_nothing and not names_parts):
        all_tasks = _selected(known.description, ())
        candidates = _without_repeats([*known.selected, *all_tasks], known.texts)
        return _split_tasks_of(candidates, known.selected, request)

    numbers = _numbers_of_parts(request)
    worlds: list[list[Instance]] = []
    if numbers is not None:
        for part_numbers in numbers:
            worlds.append(_one_task_a_world(part_numbers, known.selected))
    else:
        for part in request.parts:
            part_tasks = _selected(known.description, part.split(",")) if part else []
            worlds.append([(0, task) for task in part_tasks if task in known.selected])
    if not all(worlds):
        msg = "name the tasks of all three parts: --train, --check and --final"
        raise UsageError(msg)
    _refuse_shared_worlds(worlds, known, uses_numbers=numbers is not None)
    return worlds


def _known_tasks(settings: RunSettings, request: SplitRequest) -> _KnownTasks:
    """Return what the benchmark tells of its tasks.

    A task whose instruction is the same for two seeds is taken to ask the same in every world.
    """
    with RunResources(RunSpec(settings), works=False) as resources:
        description = resources.describe()
        texts_of_seed_1 = _texts_of(resources, seed=1)
        texts_of_seed_2 = _texts_of(resources, seed=2)
        texts = _texts_of(resources, settings.seed)
        selected = _selected(description, request.tasks)
        check_named_operations(resources, selected)
    fixed_texts = {}
    for task, text in texts_of_seed_1.items():
        if text and text == texts_of_seed_2[task]:
            fixed_texts[task] = text
    return _KnownTasks(description, selected, texts, fixed_texts)


def _texts_of(resources: RunResources, seed: int) -> dict[str, str]:
    """Return the instruction of each task in the worlds of a seed, by the task's name."""
    tasks = resources.benchmark.describe(preview_seed=seed).tasks
    return {task.task_id: task.preview for task in tasks}


def _numbers_of_parts(request: SplitRequest) -> list[list[int]] | None:
    """Return the numbers of the worlds of each part; None if the user names tasks instead."""
    numbers_of_parts = []
    for part, default in zip(request.parts, DEFAULT_NUMBERS, strict=True):
        numbers_of_parts.append(world_numbers(part or default))
    return numbers_of_parts if all(numbers_of_parts) else None


def _selected(description: Description, names: Sequence[str]) -> list[str]:
    """Return the tasks with these names or families, all without names. Raises `BenchmarkError`."""
    selection = TaskSelection(tuple(name.strip() for name in names))
    task_ids = selection.task_ids(description)
    return [task_try.task_id for task_try in selection.tries(task_ids)]


def _without_repeats(tasks: Sequence[str], texts: dict[str, str]) -> list[str]:
    """Return the tasks in order; of those with the same instruction, the first."""
    first_of_text: dict[str, str] = {}
    for task in tasks:
        text = texts.get(task) or task
        first_of_text.setdefault(text, task)
    return list(first_of_text.values())


def _split_tasks_of(
    candidates: Sequence[str], selected: Sequence[str], request: SplitRequest
) -> list[list[Instance]]:
    """Divide tasks where the number of a world changes nothing.

    With --split, or if too few other tasks are left, the selected tasks are divided by shares. Else
    the loop learns from them, and half of the others each are there to decide and to prove.
    """
    selected_tasks = [task for task in candidates if task in selected]
    other_tasks = [task for task in candidates if task not in selected]
    if request.split or len(other_tasks) < 2:
        groups = split_tasks(selected_tasks, request.split or DEFAULT_SPLIT, request.seed)
    else:
        random.Random(request.seed).shuffle(other_tasks)
        groups = [selected_tasks, other_tasks[::2], other_tasks[1::2]]
    return [[(0, task) for task in group] for group in groups]


def split_tasks(tasks: Sequence[str], split: str, seed: int) -> list[list[str]]:
    """Return the tasks in three parts of these shares in per cent, shuffled by the seed.

    `split` is, for example, `50/25/25`. Raises `UsageError`.
    """
    shares = [int(share) if share.isdecimal() else 0 for share in split[:20].split("/")]
    shuffled = random.Random(seed).sample(list(tasks), len(tasks))
    # Each part begins where the one before ends, so that every task is in one of them.
    parts = []
    start = 0
    for count in range(1, len(shares) + 1):
        end = round(len(shuffled) * sum(shares[:count]) / 100)
        parts.append(shuffled[start:end])
        start = end
    if len(shares) != len(PARTS) or sum(shares) != 100 or not all(parts):
        msg = (
            f"{len(shuffled)} tasks cannot be split {split}: name three shares such as 50/25/25; "
            "no part may be empty"
        )
        raise UsageError(msg)
    return parts


def world_numbers(text: str) -> list[int]:
    """Return the numbers in a text such as `1-20,25`, each once; none if it names tasks.

    Raises `UsageError` for a range of too many.
    """
    is_numbers = re2.fullmatch(r"\d{1,9}(-\d{1,9})?(,\d{1,9}(-\d{1,9})?)*", encodable(text))
    if not is_numbers:
        return []
    numbers: dict[int, None] = {}
    for span in text.split(","):
        first, _, last = span.partition("-")
        span_numbers = range(int(first), int(last or first) + 1)
        if len(span_numbers) > MAX_NUMBERS:
            msg = f"{text}: a part has at most {MAX_NUMBERS:,} worlds"
            raise UsageError(msg)
        numbers.update(dict.fromkeys(span_numbers))
    return list(numbers)


def _one_task_a_world(numbers: Sequence[int], tasks: Sequence[str]) -> list[Instance]:
    """Return an instance for each number: the tasks take turns.

    `[1, 2, 3]`, `["a", "b"]` -> `[(1, "a"), (2, "b"), (3, "a")]`
    """
    instances = []
    for place, number in enumerate(numbers):
        instances.append((number, tasks[place % len(tasks)]))
    return instances


def _refuse_shared_worlds(
    worlds: Sequence[Sequence[Instance]], known: _KnownTasks, *, uses_numbers: bool
) -> None:
    """Raise `UsageError` if two parts share a world.

    Worlds are told apart by what is asked, where that is known, else by their number or the task's
    name.
    """
    part_of_world: dict[int | str, str] = {}
    for part, instances in zip(PARTS, worlds, strict=True):
        for number, task in instances:
            world: int | str
            if task in known.fixed_texts:
                world = known.fixed_texts[task]
            elif uses_numbers:
                world = number
            else:
                world = known.texts.get(task) or task
            other_part = part_of_world.setdefault(world, part)
            if other_part != part:
                msg = f"--{other_part} and --{part} share {world}: a result on them proves nothing"
                if task in known.fixed_texts:
                    msg += "; numbers change nothing here: name tasks, or --split them"
                raise UsageError(msg)
