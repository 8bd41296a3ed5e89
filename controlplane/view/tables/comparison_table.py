"""Prints the comparison of two runs: changed tasks, families, totals, gates, and a conclusion.

A benchmark may keep the scores of a run *sealed*, which means hidden, until its competition is
over. Then only outcomes and answers can be compared. A task *flickers* if some of its tries in
one run pass and others fail.
"""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from controlplane.quantity_texts import count_text, score_text
from controlplane.run_comparison.results import Comparison
from controlplane.terminal_text import one_line
from controlplane.view.clean_console import CleanConsole
from controlplane.view.tables.compared_sides_table import print_gates, print_totals
from controlplane.view.tables.compared_tasks_table import (
    print_changed_tasks,
    print_families,
)
from controlplane.view.tables.comparison_conclusion import print_conclusion
from controlplane.view.tables.rate_lines import listed, rates_lines


def print_comparison(comparison: Comparison, *, everything: bool = False) -> None:
    """Print a comparison. With `everything`, also print the tasks that did not change."""
    console = CleanConsole(highlight=False)
    for line in _head_lines(comparison):
        console.print(Text(line))
    print_changed_tasks(console, comparison, everything=everything)
    print_families(comparison)
    print_totals(comparison)
    print_gates(comparison)
    for metric in comparison.metrics:
        change = f"{score_text(metric.first, 3)} → {score_text(metric.second, 3)}"
        console.print(
            Text(f"{one_line(metric.name)} {change}, difference {metric.difference}")
        )
    _print_rates(console, comparison)
    if comparison.is_sealed:
        _print_agreement(console, comparison)
    print_conclusion(console, comparison)


def _head_lines(comparison: Comparison) -> list[str]:
    """Return lines on what is compared and what is left out."""
    names = f"{one_line(comparison.first)} → {one_line(comparison.second)}"
    played = one_line(" · ".join(name for name in comparison.played if name))
    pairs = (
        f"{count_text(len(comparison.tasks), 'task')} paired by {comparison.pairing}"
    )
    lines = [f"{names}: {played}, {pairs}"]
    if comparison.settings:
        changes = []
        for setting in comparison.settings:
            changes.append(f"{setting.name} {setting.first!r} → {setting.second!r}")
        lines.append(f"settings {one_line(', '.join(changes))}")
    for note in comparison.notes:
        lines.append(f"noticed  {one_line(note)}")
    if comparison.unpaired:
        lines.append(f"left out {listed(comparison.unpaired)}: in only one of the runs")
    if comparison.counted_as_0:
        tasks = listed(comparison.counted_as_0)
        lines.append(f"counted as 0 {tasks}: without a score in one of the runs")
    if comparison.left_out and not comparison.is_sealed:
        tasks = listed(comparison.left_out)
        lines.append(f"left out {tasks}: without a score in one of the runs")
    return lines


def _print_rates(console: Console, comparison: Comparison) -> None:
    before, after = comparison.sides
    for name, side in (("before", before), ("after", after)):
        for line in rates_lines(side.rates, side.flickers):
            console.print(Text(f"{name:6} {line}"))


def _print_agreement(console: Console, comparison: Comparison) -> None:
    """Print how often both runs have the same outcomes, while the benchmark hides the scores."""
    agreement = comparison.agreement
    text = (
        f"scores are sealed: {agreement.same_outcome} of {count_text(agreement.pairs, 'pair')} "
        f"have the same outcome, {agreement.same_answer} also the same answer"
    )
    console.print(Text(text, style="yellow"))
    if agreement.differing:
        tasks = listed(agreement.differing, max_names=12)
        console.print(Text(f"different outcomes: {tasks}"))
