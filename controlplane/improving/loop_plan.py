"""The plan of a loop of `improve`: its budget, the worlds of its runs, and how it begins."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import re2

from controlplane.agent.limits.spending import PRICE_REMEDY, UNPRICED
from controlplane.benchmark import BenchmarkError, Description
from controlplane.configuration.model_settings import Use
from controlplane.configuration.named_modules import as_command_error
from controlplane.configuration.run_settings import RunSettings, settings_with
from controlplane.configuration.setting_sources import Resolved
from controlplane.errors import BudgetExhausted, UsageError
from controlplane.gates.text_folding import encodable
from controlplane.improving.loop_record import (
    Instance,
    LoopOpened,
    LoopRecord,
    edited_files,
)
from controlplane.journal.journal_files import new_run_id
from controlplane.journal.totals.trial_summary import Spent
from controlplane.lifecycle.resources.offered_operations import check_named_operations
from controlplane.lifecycle.resources.run_resources import RunResources, open_resources
from controlplane.lifecycle.resources.run_solver import RunSpec
from controlplane.task_selection import TaskSelection

# What an improvement loop may spend.

_LIMITS: Final = tuple(
    name for name in settings_with(Use.SPENDING) if name != "trial_cost"
)
"""The settings that limit a loop. They can be changed when it is resumed."""


class LoopBudget:
    """The limits of a loop, which cover its runs and its proposals together.

    They are the settings `run_cost`, `run_tokens` and `run_time`, which for a single run would
    limit only that.
    """

    def __init__(self, record: LoopRecord, settings: RunSettings) -> None:
        self._record = record
        self._settings = settings
        self._began = time.monotonic()

    def spent(self) -> Spent:
        """Return the cost and the tokens of all runs and proposals."""
        spent = self._record.journals.spent()
        for proposal in self._record.proposals:
            spent.tokens += proposal.tokens
            if proposal.cost_usd is None:
                spent.unpriced += 1
            else:
                spent.known_usd += proposal.cost_usd
        return spent

    def remaining(self, reserve: float = 0.0) -> dict[str, float]:
        """Return what is left of each limit, by the name of its setting.

        `reserve` keeps something back for later, as a multiple of what was spent so far.
        For example, if the limit is 100, 40 are spent, and the reserve is 0.5, then 20
        are kept back and 40 are left.

        Raises `BudgetExhausted` if the cost is limited but unknown.
        """
        spent = self.spent()
        if self._settings.run_cost is not None and spent.cost_usd is None:
            msg = f"{UNPRICED}, so --run-cost cannot be kept; {PRICE_REMEDY}"
            raise BudgetExhausted(msg)
        amounts = {
            "run_cost": spent.cost_usd or 0.0,
            "run_tokens": spent.tokens,
            "run_time": time.monotonic() - self._began,
        }
        remaining = {}
        for name, amount in amounts.items():
            limit = getattr(self._settings, name)
            if limit is not None:
                remaining[name] = limit - amount - amount * reserve
        return remaining

    def is_used_up(self, reserve: float = 0.0) -> bool:
        """Return True if nothing is left of at least one limit.

        `reserve` is kept back, as in `remaining`.
        """
        return any(amount <= 0 for amount in self.remaining(reserve).values())


# The worlds in which a loop plays, in three parts: train, check and final.

# The tasks of a benchmark, as far as an improvement loop knows them before its runs.
#
# A world is the environment of a task under one seed. Worlds are numbered.


@dataclass(frozen=True, slots=True)
class _KnownTasks:
    """The tasks of a benchmark, with what their instructions tell before a run."""

    description: Description
    selected: list[str]
    """The tasks that the user selected."""
    instructions: dict[str, str]
    """The instruction of each task under the run's seed; an empty text if it is not known."""
    constant: frozenset[str]
    """The tasks whose instruction does not depend on the number of the world."""

    @property
    def ignores_numbers(self) -> bool:
        """True if a selected task is the same in every world, whatever the world's number."""
        return any(task in self.constant for task in self.selected)

    def key_of(self, task: str) -> str:
        """Return a key that tasks with the same instruction share: the instruction, or the id."""
        return self.instructions.get(task) or task


def _known_tasks(settings: RunSettings, tasks: Sequence[str]) -> _KnownTasks:
    """Return the tasks of the benchmark. `tasks` are those that the user selected."""
    # `plays_trials=False`: the benchmark only describes its tasks, and no trial is played.
    with open_resources(RunSpec(settings), plays_trials=False) as resources:
        # Wrong names are found first: a benchmark may need seconds to generate instructions.
        description = resources.describe()
        selected = _selected_tasks(description, tasks)
        check_named_operations(resources, selected)
        instructions = _instructions_of(resources, settings.seed)
        other_instructions = _instructions_of(resources, settings.seed + 1)

    # Two seeds give two worlds. If a task has the same instruction in both, we assume
    # that it is the same in every world.
    constant = {
        task
        for task, instruction in instructions.items()
        if instruction and instruction == other_instructions[task]
    }
    return _KnownTasks(description, selected, instructions, frozenset(constant))


def _instructions_of(resources: RunResources, seed: int) -> dict[str, str]:
    """Return the instruction of each task under a seed, by the task's name."""
    tasks = resources.benchmark.describe(preview_seed=seed).tasks
    return {task.task_id: task.preview for task in tasks}


def _selected_tasks(description: Description, names: Sequence[str]) -> list[str]:
    """Return the tasks with these names or families, or all tasks if `names` is empty.

    Raises `BenchmarkError`.
    """
    selection = TaskSelection(tuple(name.strip() for name in names))
    # The selection plays each task once, so each try is one task.
    task_ids = selection.task_ids(description)
    return [task_try.task_id for task_try in selection.tries(task_ids)]


# Refuses parts of worlds that share a world.
#
# An improvement loop learns from trials of the part `train`, and is measured on those of `check`
# and `final`. A result proves nothing if the loop has seen the same world before. A world is a
# task with the data of a certain number: number 7 may have other files and names than number 8.

_PARTS: Final = ("train", "check", "final")
"""The names of the three parts."""


def _refuse_shared_worlds(
    parts: Sequence[Sequence[Instance]], known: _KnownTasks, *, uses_numbers: bool
) -> None:
    """Raise `UsageError` if two of the three parts share a world.

    `uses_numbers`: True if the parts are numbers of worlds; False if they are tasks.
    """
    part_by_world: dict[int | str, str] = {}
    """The first part with each world, by its number or its instruction."""
    for part, instances in zip(_PARTS, parts, strict=True):
        for instance in instances:
            number, task = instance
            # All tasks with the number 7 share data. Of parts of tasks, two that ask the same are one
            # world, and so is a task that is the same under every number.
            world: int | str = known.key_of(task)
            if uses_numbers and task not in known.constant:
                world = number
            first_part = part_by_world.setdefault(world, part)
            if first_part == part:
                continue
            msg = (
                f"--{first_part} and --{part} share {world}: "
                "a result on them proves nothing"
            )
            if task in known.constant:
                msg += "; numbers change nothing here: name tasks, or --split them"
            raise UsageError(msg)


# Divides tasks by shares such as `50/25/25`, in per cent.

_SHARES: Final = re2.compile(r"(\d{1,3})/(\d{1,3})/(\d{1,3})")
"""Three shares in per cent: `50/25/25`."""


def split_tasks(tasks: Sequence[str], split: str, seed: int) -> list[list[str]]:
    """Return the tasks, shuffled by the seed, in three parts.

    `split` gives the share of each part in per cent: `50/25/25`. Raises `UsageError`.
    """
    match = _SHARES.fullmatch(encodable(split))
    shares = []  # a text of another form is refused below, as one whose shares do not add up
    if match:
        shares = [int(share) for share in match.groups()]
    shuffled = random.Random(seed).sample(list(tasks), len(tasks))
    # Each end is rounded, not each size: rounded sizes may not add up to all tasks.
    parts = []
    start = 0
    for share_to_end in itertools.accumulate(shares):
        end = round(len(shuffled) * share_to_end / 100)
        parts.append(shuffled[start:end])
        start = end
    if sum(shares) != 100 or not all(parts):
        msg = (
            f"{len(shuffled)} tasks cannot be split {split}: name three shares such as 50/25/25; "
            "no part may be empty"
        )
        raise UsageError(msg)
    return parts


# Worlds that are named by numbers: `1-20,25`.
#
# A benchmark generates the data of a task from a number, so each number gives another world.

_MAX_NUMBERS: Final = 100_000
"""The most worlds in one part."""
_NUMBERS: Final = re2.compile(r"\d{1,9}(-\d{1,9})?(,\d{1,9}(-\d{1,9})?)*")
"""Numbers of worlds: `1-20,25`."""


def _world_numbers(text: str) -> list[int]:
    """Return the numbers in a text such as `1-20,25`, each once.

    The same options may name tasks: for `orders.3,returns`, there are no numbers. Raises `UsageError` for a range of too many numbers.
    """
    if not _NUMBERS.fullmatch(encodable(text)):
        return []
    numbers: list[int] = []
    for range_text in text.split(","):
        first, _, last = range_text.partition("-")
        span = range(int(first), int(last or first) + 1)
        if len(span) > _MAX_NUMBERS:
            msg = f"{text}: a part has at most {_MAX_NUMBERS:,} worlds"
            raise UsageError(msg)
        numbers += span
    return list(dict.fromkeys(numbers))


# Divides what an improvement loop plays into three parts that share no world.
#
# The loop learns from trials in the first part (train). In the second (check) it decides
# whether a change helps, and in the third (final) it measures the result. A *world* is the data
# that a benchmark generates from a number, such as the books of one library. Parts are ranges of
# these numbers; if a benchmark ignores the number, they are different tasks. An *instance*,
# `(number, task)`, is one task in one world.

_DEFAULT_NUMBERS: Final = ("1-20", "101-140", "201-260")
"""The numbers of the worlds in each part, unless the user names others."""
_DEFAULT_SPLIT: Final = "40/30/30"
"""The share of each part in the tasks, in per cent, if the benchmark ignores numbers."""


@dataclass(frozen=True, slots=True)
class LoopOptions:
    """The options of a new loop, besides the settings of its runs."""

    proposer: str
    """A model's name, or `command:` and a program."""
    edits: tuple[str, ...]
    """The files that may change; empty for prompt texts and hints."""
    tasks: tuple[str, ...]
    """Tasks or families to play; empty for all."""
    parts: tuple[str, str, str]
    """Each part as numbers of worlds (`1-20`) or names of tasks; empty if it is not given."""
    split: str
    """The share of each part in per cent, such as `50/25/25`; empty if it is not given."""
    proposals: int
    """The largest number of proposals."""
    batch: int
    """The number of trials that a proposer sees before it proposes a change."""
    seed: int


def _split_worlds(settings: RunSettings, options: LoopOptions) -> list[list[Instance]]:
    """Return the instances of the three parts: the worlds and tasks to play in each.

    The parts are, by what the user has named:

    - `--split 50/25/25`: shares of the tasks. This is also the default of a benchmark
      that ignores the numbers of worlds.
    - `--train 1-20 --check 30-40 --final 50-60`: numbers of worlds. This is the default
      of the other benchmarks.
    - `--train a,b --check c --final d,e`: tasks.

    Raises `UsageError` and `BenchmarkError`.
    """
    names_parts = any(options.parts)
    if options.split and names_parts:
        msg = "--split divides the tasks by itself: leave out --train, --check and --final"
        raise UsageError(msg)
    known = _known_tasks(settings, options.tasks)
    if not known.selected:
        msg = f"{known.description.name} lists no tasks, so no worlds can be set apart"
        raise UsageError(msg)
    if options.split or (known.ignores_numbers and not names_parts):
        return _parts_by_shares(known, options)

    number_ranges = _number_ranges(options)
    if number_ranges is None:
        # The parts if the user names the tasks of each. All are played in world 0.
        parts = []
        for part in options.parts:
            tasks = _selected_tasks(known.description, part.split(",")) if part else []
            parts.append([(0, task) for task in tasks if task in known.selected])
        if not all(parts):
            msg = "name the tasks of all three parts: --train, --check and --final"
            raise UsageError(msg)
    else:
        # Each world has one task. After the last task, the first one follows.
        parts = [
            list(zip(numbers, itertools.cycle(known.selected), strict=False))
            for numbers in number_ranges
        ]
    _refuse_shared_worlds(parts, known, uses_numbers=number_ranges is not None)
    return parts


def _number_ranges(options: LoopOptions) -> list[list[int]] | None:
    """Return the numbers of the worlds in each part: `1-3` -> `[1, 2, 3]`.

    Returns None if the user names tasks instead. That is also so if only some parts are
    numbers: the error message then says that no task has the name `1-20`.
    """
    number_ranges = []
    for part, default in zip(options.parts, _DEFAULT_NUMBERS, strict=True):
        numbers = _world_numbers(part or default)
        if not numbers:  # The part is a list of tasks, such as `a,b`.
            return None
        number_ranges.append(numbers)
    return number_ranges


def _without_repeats(tasks: Sequence[str], known: _KnownTasks) -> list[str]:
    """Return the tasks in order, without those with the same instruction as an earlier one.

    A benchmark may list one task under two names. In different parts, they would be one world.
    """
    task_by_instruction: dict[str, str] = {}
    for task in tasks:
        task_by_instruction.setdefault(known.key_of(task), task)
    return list(task_by_instruction.values())


def _parts_by_shares(known: _KnownTasks, options: LoopOptions) -> list[list[Instance]]:
    """Divide the tasks into the three parts. All are played in world 0.

    A user who selects some tasks, without --split, wants to learn from them. So they
    are the first part, and each of the other two parts gets half of the remaining
    tasks. With --split, or if less than two tasks remain, the selected tasks are
    divided by shares such as 40/30/30.
    """
    all_tasks = _selected_tasks(known.description, ())
    tasks = _without_repeats([*known.selected, *all_tasks], known)
    selected = [task for task in tasks if task in known.selected]
    other_tasks = [task for task in tasks if task not in known.selected]
    if options.split or len(other_tasks) < 2:
        groups = split_tasks(selected, options.split or _DEFAULT_SPLIT, options.seed)
    else:
        random.Random(options.seed).shuffle(other_tasks)
        groups = [selected, other_tasks[::2], other_tasks[1::2]]
    return [[(0, task) for task in group] for group in groups]


# The plan of a new improvement loop, and the settings with which a loop goes on.


def plan_loop(options: LoopOptions, resolved: Resolved) -> LoopOpened:
    """Return the plan of a new loop. Raises `UsageError`."""
    files = edited_files(options.edits, resolved.settings)
    try:
        train, check, final = _split_worlds(resolved.settings, options)
    except BenchmarkError as error:
        raise as_command_error(error) from error
    return LoopOpened(
        loop=new_run_id("improve"),
        settings=resolved.settings.model_dump(mode="json"),
        sources=dict(resolved.sources),
        origins=dict(files.origins),
        texts=dict(files.texts),
        proposer=options.proposer,
        train=tuple(train),
        check=tuple(check),
        final=tuple(final),
        proposals=options.proposals,
        batch=options.batch,
        seed=options.seed,
    )


def continued_settings(record: LoopRecord, changes: Mapping[str, Any]) -> RunSettings:
    """Return the settings with which a loop continues: its own ones, with new limits.

    Raises `UsageError` for any other change.
    """
    for name in changes:
        if name not in _LIMITS:
            msg = (
                f"--{name.replace('_', '-')}: a loop goes on with its own settings; "
                "only its limits can change"
            )
            raise UsageError(msg)
    return RunSettings.model_validate(record.plan.settings | dict(changes))
