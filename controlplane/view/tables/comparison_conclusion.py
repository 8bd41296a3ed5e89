"""Prints the conclusion of a comparison: the difference, and whether chance explains it."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from controlplane.quantity_texts import score_text, signed_text
from controlplane.run_comparison.certainty import LEAST_CHANGED
from controlplane.run_comparison.results import Comparison


def print_conclusion(console: Console, comparison: Comparison) -> None:
    """Print the size of the difference, and whether chance explains it."""
    difference = comparison.difference
    if difference is None:
        if not comparison.is_sealed:
            console.print(Text("no task has a score in both runs", style="yellow"))
        return

    equal = len(comparison.tasks) - comparison.changed
    counts = (
        f"{len(comparison.better)} better, {len(comparison.worse)} worse, {equal} equal"
    )
    interval = (
        f"95 % CI [{score_text(difference.low, 3)}, {score_text(difference.high, 3)}]"
    )
    console.print(
        Text(f"{counts} · difference {signed_text(difference.mean, 3)}, {interval}")
    )

    if comparison.is_worse:
        console.print(Text("the second run is worse", style="red"))
    elif comparison.is_shown:  # Chance hardly explains it.
        console.print(Text("the second run is better", style="green"))
    else:
        console.print(Text(_not_shown_text(comparison), style="bold"))


def _not_shown_text(comparison: Comparison) -> str:
    """Return the conclusion that no difference is shown, and how many tasks might show one."""
    text = "no difference shown"
    if 0 < comparison.changed < LEAST_CHANGED:
        text += f"; fewer than {LEAST_CHANGED} tasks changed"
    if comparison.needed_tasks:
        text += f"; about {comparison.needed_tasks:,} tasks would be enough"
    return text
