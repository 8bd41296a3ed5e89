"""Prints the tasks of a comparison that changed, and the families of tasks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rich.console import Console
from rich.text import Text

from controlplane.run_comparison.certainty import ROUNDING
from controlplane.run_comparison.results import Comparison
from controlplane.run_comparison.task_results import TaskComparison
from controlplane.sandbox.interface import bounds
from controlplane.view.printed_columns import print_columns
from controlplane.view.tables.trial_table import short_outcomes

NAME_WIDTH: Final = 16
"""The number of columns to which names are cut in a narrow window."""
CHANGE_STYLES: Final = {"better": "green", "worse": "red", "same": "dim"}


def print_changed_tasks(
    console: Console, comparison: Comparison, *, everything: bool
) -> None:
    """Print the tasks with a better or worse score. With `everything`, also print the others."""
    changed = [*comparison.better, *comparison.worse]
    if everything:
        same = [task for task in comparison.tasks if task.change == "same"]
        _print_tasks(changed + same, comparison)
        return
    _print_tasks(changed[: bounds.SHOWN_ROWS], comparison)
    left_out = len(changed) - bounds.SHOWN_ROWS
    if left_out > 0:
        console.print(Text(f"{left_out} more tasks: --all", style="dim"))


def _print_tasks(tasks: Iterable[TaskComparison], comparison: Comparison) -> None:
    """Print tasks with their means, each with a note on what went wrong below its row.

    If tries are repeated, each mean has its interval over the tries: `0.500 [0.095, 0.905]`.
    """
    has_repeats = any(task.tries > 1 for task in comparison.tasks)
    rows = []
    for task in tasks:
        before = f"{task.first.mean:.2f}"
        after = f"{task.second.mean:.2f}"
        if has_repeats:
            before = str(task.first)
            after = str(task.second)
        change = Text(task.change, style=CHANGE_STYLES[task.change])
        difference = f"{task.difference:+.3f}"
        rows.append(
            (change, task.task, before, after, difference, short_outcomes(task.why))
        )
    heads = ("change", "task", "before", "after", "difference")
    print_columns(heads, rows, narrowest={"task": NAME_WIDTH}, right_aligned=heads[2:])


def print_families(comparison: Comparison) -> None:
    """Print the families that changed. Print nothing if no family has several tasks."""
    if len(comparison.families) == len(comparison.tasks):
        return
    rows = []
    for family in comparison.families[: bounds.SHOWN_ROWS]:
        if abs(family.difference) > ROUNDING:
            before = f"{family.first:.2f}"
            after = f"{family.second:.2f}"
            rows.append(
                (family.name, family.tasks, before, after, f"{family.difference:+.3f}")
            )
    heads = ("family", "tasks", "before", "after", "difference")
    print_columns(
        heads, rows, narrowest={"family": NAME_WIDTH}, right_aligned=heads[1:]
    )
