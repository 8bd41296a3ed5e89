"""The three parts of a loop's worlds: to learn from, to decide on, to prove on. No world is in two of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
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


def split_worlds(settings: RunSettings, request: SplitRequest) -> list[list[Instance]]:
    """Return the instances of the three parts. Raises `UsageError` and `BenchmarkError`."""
    names_parts = any(request.parts)
    if request.split and names_parts:
        msg = "--split divides the tasks by itself: leave out --train, --check and --final"
        raise UsageError(msg)

    with RunResources(RunSpec(settings), works=False) as resources:
        description = resources.describe()
        texts = []
        for seed in (1, 2, settings.seed):
            tasks = resources.benchmark.describe(preview_seed=seed).tasks
            texts.append({task.task_id: task.preview for task in tasks})
        wanted = _selected(description, request.tasks)
        check_named_operations(resources, wanted)
    texts_of_seed_1, texts_of_seed_2, own_texts = texts
    fixed_texts = {}
    for task, text in texts_of_seed_1.items():
        if text and text == texts_of_seed_2[task]:
            fixed_texts[task] = text

    if not wanted:
        msg = f"{description.name} lists no tasks, so no worlds can be set apart"
        raise UsageError(msg)
    numbers_change_nothing = not fixed_texts.keys().isdisjoint(wanted)
    if request.split or (not names_parts and numbers_change_nothing):
        candidates = _without_repeats([*wanted, *_selected(description, ())], own_texts)
        return _split_tasks_of(candidates, wanted, request)

    numbers = []
    for part, default in zip(request.parts, DEFAULT_NUMBERS, strict=True):
        numbers.append(world_numbers(part or default))
    uses_numbers = all(numbers)
    worlds: list[list[Instance]] = []
    if uses_numbers:
        for part_numbers in numbers:
            worlds.append(_one_task_a_world(part_numbers, wanted))
    else:
        for part in request.parts:
            chosen = _selected(description, part.split(",")) if part else []
            worlds.append([(0, task) for task in chosen if task in wanted])
    if not all(worlds):
        msg = "name the tasks of all three parts: --train, --check and --final"
        raise UsageError(msg)
    _refuse_shared_worlds(worlds, fixed_texts, own_texts, uses_numbers=uses_numbers)
    return worlds


def _selected(description: Description, names: Sequence[str]) -> list[str]:
    """Return the tasks with these names or families, all without names. Raises `BenchmarkError`."""
    selection = TaskSelection(tuple(name.strip() for name in names))
    task_ids = selection.task_ids(description)
    return [task_try.task_id for task_try in selection.tries(task_ids)]


def _without_repeats(tasks: Sequence[str], texts: dict[str, str]) -> list[str]:
    """Return the tasks in order, the first of those that ask the same."""
    first_of_text: dict[str, str] = {}
    for task in tasks:
        text = texts.get(task) or task
        first_of_text.setdefault(text, task)
    return list(first_of_text.values())


def _split_tasks_of(
    candidates: Sequence[str], wanted: Sequence[str], request: SplitRequest
) -> list[list[Instance]]:
    """Divide tasks where the number of a world changes nothing.

    With --split, or if too few other tasks are left, the wanted tasks are divided by shares. Else
    they are those to learn from, and the others decide and prove.
    """
    named = [task for task in candidates if task in wanted]
    others = [task for task in candidates if task not in wanted]
    if request.split or len(others) < 2:
        groups = split_tasks(named, request.split or DEFAULT_SPLIT, request.seed)
    else:
        random.Random(request.seed).shuffle(others)
        groups = [named, others[::2], others[1::2]]
    return [[(0, task) for task in group] for group in groups]


def split_tasks(tasks: Sequence[str], split: str, seed: int) -> list[list[str]]:
    """Return the tasks in three parts of these shares in per cent, shuffled by the seed. Raises
    `UsageError`."""
    shares = [int(share) if share.isdecimal() else 0 for share in split[:20].split("/")]
    order = random.Random(seed).sample(list(tasks), len(tasks))
    ends = []
    for count in range(len(shares) + 1):
        ends.append(round(len(order) * sum(shares[:count]) / 100))
    parts = [order[start:end] for start, end in pairwise(ends)]
    if len(shares) != len(PARTS) or sum(shares) != 100 or not all(parts):
        msg = (
            f"{len(order)} tasks cannot be split {split}: name three shares such as 50/25/25; "
            "no part may be empty"
        )
        raise UsageError(msg)
    return parts


def world_numbers(text: str) -> list[int]:
    """Return the numbers in a text such as `1-20,25`, each once; none if it names tasks. Raises
    `UsageError` for a range of too many."""
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
    """Return an instance for each number: the tasks take turns."""
    instances = []
    for place, number in enumerate(numbers):
        instances.append((number, tasks[place % len(tasks)]))
    return instances


def _refuse_shared_worlds(
    worlds: Sequence[Sequence[Instance]],
    fixed_texts: dict[str, str],
    own_texts: dict[str, str],
    *,
    uses_numbers: bool,
) -> None:
    """Raise `UsageError` if two parts share a world. Worlds are told apart by what is asked, where
    that is known, else by their number or the task's name."""
    part_of_world: dict[int | str, str] = {}
    for part, instances in zip(PARTS, worlds, strict=True):
        for number, task in instances:
            world: int | str
            if task in fixed_texts:
                world = fixed_texts[task]
            elif uses_numbers:
                world = number
            else:
                world = own_texts.get(task) or task
            other_part = part_of_world.setdefault(world, part)
            if other_part != part:
                msg = f"--{other_part} and --{part} share {world}: a result on them proves nothing"
                if task in fixed_texts:
                    msg += "; numbers change nothing here: name tasks, or --split them"
                raise UsageError(msg)
