"""Divides the worlds of a benchmark into three parts that share no world.

An improvement loop learns from the trials of the first part (train), uses the second to decide
whether a change helps (check), and measures the result on the third (final). Most benchmarks
generate a new world for each number; then the parts are ranges of numbers. If a benchmark ignores
the number, the parts are different tasks.
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
"""The names of the three parts."""
DEFAULT_NUMBERS: Final = ("1-20", "101-140", "201-260")
"""The numbers of the worlds in each part, unless the user names others."""
DEFAULT_SPLIT: Final = "40/30/30"
"""The share of each part in the tasks, in per cent, if the benchmark ignores numbers."""
MAX_NUMBERS: Final = 100_000
"""The most worlds in one part."""


@dataclass(frozen=True, slots=True)
class SplitRequest:
    """The user's options for the division."""

    tasks: tuple[str, ...] = ()
    """Tasks or families to play; empty for all."""
    parts: tuple[str, str, str] = ("", "", "")
    """Each part as numbers of worlds, such as `1-20`, or names of tasks; empty if it is not
    given."""
    split: str = ""
    """The share of each part in per cent, such as `50/25/25`; empty if it is not given."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class _KnownTasks:
    """The tasks of a benchmark, as far as they are known before a run."""

    description: Description
    selected: list[str]
    """The tasks that the user selected."""
    texts: dict[str, str]
    """The instruction of each task under the run's seed; empty if the benchmark does not tell
    it."""
    fixed_texts: dict[str, str]
    """The instructions of the tasks whose instruction is the same in every world."""


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
    """Return the tasks of the benchmark.

    If a task has the same instruction under two seeds, it is assumed to be the same in every world.
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
    """Return the instruction of each task under a seed, by the task's name."""
    tasks = resources.benchmark.describe(preview_seed=seed).tasks
    return {task.task_id: task.preview for task in tasks}


def _numbers_of_parts(request: SplitRequest) -> list[list[int]] | None:
    """Return the numbers of the worlds of each part; None if the user names tasks instead."""
    numbers_of_parts = []
    for part, default in zip(request.parts, DEFAULT_NUMBERS, strict=True):
        numbers_of_parts.append(world_numbers(part or default))
    return numbers_of_parts if all(numbers_of_parts) else None


def _selected(description: Description, names: Sequence[str]) -> list[str]:
    """Return the tasks with these names or families, or all tasks if `names` is empty.

    Raises `BenchmarkError`.
    """
    selection = TaskSelection(tuple(name.strip() for name in names))
    task_ids = selection.task_ids(description)
    return [task_try.task_id for task_try in selection.tries(task_ids)]


def _without_repeats(tasks: Sequence[str], texts: dict[str, str]) -> list[str]:
    """Return the tasks in order, without those that repeat the instruction of an earlier task."""
    first_of_text: dict[str, str] = {}
    for task in tasks:
        text = texts.get(task) or task
        first_of_text.setdefault(text, task)
    return list(first_of_text.values())


def _split_tasks_of(
    candidates: Sequence[str], selected: Sequence[str], request: SplitRequest
) -> list[list[Instance]]:
    """Divide the tasks of a benchmark that ignores numbers into the three parts.

    If the user gave --split, or there are fewer than two other tasks, the selected tasks are
    divided by shares. Otherwise they are the first part, and the other tasks are divided equally
    between the second and the third part.
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
    """Return the tasks, shuffled by the seed, in three parts.

    `split` gives the share of each part in per cent: `50/25/25`. Raises `UsageError`.
    """
    shares = [int(share) if share.isdecimal() else 0 for share in split[:20].split("/")]
    shuffled = random.Random(seed).sample(list(tasks), len(tasks))
    # Round the ends and not the sizes of the parts, so that no task is lost.
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
    """Return the numbers in a text such as `1-20,25`, each once; none if the text names tasks.

    Raises `UsageError` for a range of too many numbers.
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
    """Return an instance (number and task) for each number, with the tasks in turn.

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

    Worlds are identified by the task's instruction if it is always the same, otherwise by their
    number. Without numbers, the instruction or else the name of the task identifies them.
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
