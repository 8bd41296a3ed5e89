"""Prints the comparison of two runs: changed tasks, families, totals, gates, and a conclusion.

A benchmark may keep the scores of a run *sealed*, which means hidden, until its competition is
over. Then only outcomes and answers can be compared. A task *flickers* if some of its tries in
one run pass and others fail."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Final

from rich.console import Console
from rich.text import Text

from controlplane.facts.trial_facts import short_outcomes
from controlplane.gate_texts import gate_or_rule_text
from controlplane.quantity_texts import (
    cost_or_dash,
    count_text,
    score_text,
    signed_text,
    span_text,
)
from controlplane.rejection_counts import RejectionCounts
from controlplane.run_comparison.results import (
    ComparedSide,
    Comparison,
    TaskComparison,
)
from controlplane.sandbox.interface import bounds
from controlplane.score_scale import ROUNDING, ScoreScale
from controlplane.terminal_text import one_line
from controlplane.view.printed_columns import CleanConsole, print_columns
from controlplane.view.tables.run_totals import listed, rates_lines

# Prints the tasks of a comparison that changed, and the families of tasks.

_NAME_WIDTH: Final = 16
"""The number of columns to which names are cut in a narrow window."""
_CHANGE_STYLES: Final = {"better": "green", "worse": "red", "same": "dim"}


def _print_changed_tasks(
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
        change = Text(task.change, style=_CHANGE_STYLES[task.change])
        difference = f"{task.difference:+.3f}"
        rows.append(
            (change, task.task, before, after, difference, short_outcomes(task.why))
        )
    heads = ("change", "task", "before", "after", "difference")
    print_columns(heads, rows, narrowest={"task": _NAME_WIDTH}, right_aligned=heads[2:])


def _print_families(comparison: Comparison) -> None:
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
        heads, rows, narrowest={"family": _NAME_WIDTH}, right_aligned=heads[1:]
    )


# Prints what each of two compared runs scored and spent, and what its gates rejected.


def _print_totals(comparison: Comparison) -> None:
    """Print the mean score and the spending of each run, and the change between them."""
    before, after = comparison.sides
    rows = [_total_cells("before", before), _total_cells("after", after)]
    if before.spent.elapsed_ms and after.spent.elapsed_ms:  # Both have ended trials.
        change = (
            "change",
            "",
            _change_text(before.spent.cost_usd, after.spent.cost_usd),
            _change_text(before.spent.tokens, after.spent.tokens),
            _change_text(before.spent.steps, after.spent.steps),
            _change_text(before.spent.elapsed_ms, after.spent.elapsed_ms),
        )
        rows.append(change)
    heads = ("", "mean score", "cost", "tokens", "steps", "time of trials")
    print_columns(heads, rows, right_aligned=heads[1:])


def _total_cells(name: str, side: ComparedSide) -> tuple[str, ...]:
    """Return the row of one run: its mean score and its spending."""
    spent = side.spent
    mean = "-"
    if side.mean is not None:
        mean = str(side.mean) + ScoreScale.from_recorded(side.scale).beside_mean
        if side.unscored:
            mean += f", {side.unscored:,} of its trials without a score"
    return (
        name,
        mean,
        cost_or_dash(spent.cost_usd),
        f"{spent.tokens:,}",
        str(spent.steps),
        span_text(spent.elapsed_ms),
    )


def _change_text(before: float | None, after: float | None) -> str:
    """Return a relative change, such as `+12%`; a dash if it is unknown."""
    if not before or after is None:
        return "-"
    return f"{(after - before) / before:+.0%}"


def _print_gates(comparison: Comparison) -> None:
    """Print, for each gate or check that objected, how its trials ended in each run."""
    before, after = comparison.sides
    effects_before = {effect.key: effect for effect in before.gates}
    effects_after = {effect.key: effect for effect in after.gates}
    rows = []
    for key in sorted({*effects_before, *effects_after}):
        endings_before = _endings_text(effects_before.get(key))
        endings_after = _endings_text(effects_after.get(key))
        rows.append((gate_or_rule_text(key), endings_before, endings_after))
    heads = ("rejected by", "before", "after")
    print_columns(heads, rows, narrowest={"rejected by": _NAME_WIDTH})


def _endings_text(effect: RejectionCounts | None) -> str:
    """Return how rejected trials ended: `3 trials: 2 right in the end, 1 by the fallback`."""
    if effect is None:
        return "-"
    text = f"{count_text(effect.trials, 'trial')}: {effect.right or 0} right in the end"
    if effect.fallback:
        text += f", {effect.fallback} by the fallback"
    return text


# Prints the conclusion of a comparison: the difference, and whether chance explains it.


def _print_conclusion(console: Console, comparison: Comparison) -> None:
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

    style = "bold"
    if comparison.is_worse:
        style = "red"
    elif comparison.is_shown:
        style = "green"
    console.print(Text(comparison.conclusion, style=style))


def print_comparison(comparison: Comparison, *, everything: bool = False) -> None:
    """Print a comparison. With `everything`, also print the tasks that did not change."""
    console = CleanConsole(highlight=False)
    for line in _head_lines(comparison):
        console.print(Text(line))
    _print_changed_tasks(console, comparison, everything=everything)
    _print_families(comparison)
    _print_totals(comparison)
    _print_gates(comparison)
    for metric in comparison.metrics:
        change = f"{score_text(metric.first, 3)} → {score_text(metric.second, 3)}"
        console.print(
            Text(f"{one_line(metric.name)} {change}, difference {metric.difference}")
        )
    _print_rates(console, comparison)
    if comparison.is_sealed:
        _print_agreement(console, comparison)
    _print_conclusion(console, comparison)


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


def comparison_object(comparison: Comparison) -> dict[str, object]:
    """Return a comparison as an object for `json.dumps`."""
    result = asdict(comparison)
    result["tasks"] = [_task_object(task) for task in comparison.tasks]
    first, second = result.pop("sides")
    result["is_shown"] = comparison.is_shown
    result["is_worse"] = comparison.is_worse
    result["needed_tasks"] = comparison.needed_tasks
    for name, value in first.items():
        result[f"first_{name}"] = value
    for name, value in second.items():
        result[f"second_{name}"] = value
    return result


def _task_object(task: TaskComparison) -> dict[str, object]:
    result = asdict(task)
    result["change"] = task.change
    return result
