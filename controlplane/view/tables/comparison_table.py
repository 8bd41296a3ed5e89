"""Prints the comparison of two runs: changed tasks, families, totals, gates, and a conclusion.

A benchmark may keep the scores of a run *sealed*, which means hidden, until its competition is
over. Then only outcomes and answers can be compared. A task *flickers* if some of its tries in
one run pass and others fail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Final

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
from controlplane.run_comparison.results import (
    ComparedSide,
    Comparison,
    TaskComparison,
)
from controlplane.sandbox.interface import bounds
from controlplane.score_scale import ROUNDING, ScoreScale
from controlplane.terminal_text import one_line
from controlplane.view.printed_columns import CleanConsole, print_columns
from controlplane.view.tables.run_table import listed, rates_lines

_NAME_WIDTH: Final = 16
"""The number of columns to which names are cut in a narrow window."""
_CHANGE_STYLES: Final = {"better": "green", "worse": "red", "same": "dim"}


def print_comparison(comparison: Comparison, *, everything: bool = False) -> None:
    """Print a comparison. With `everything`, also print the tasks that did not change."""
    console = CleanConsole(highlight=False)
    for line in _head_lines(comparison):
        console.print(Text(line))

    # 1. The tasks that changed, and their families.
    tasks = [*comparison.better, *comparison.worse]
    left_out = 0
    if everything:
        tasks += [task for task in comparison.tasks if task.change == "same"]
    else:
        left_out = len(tasks) - bounds.SHOWN_ROWS
        tasks = tasks[: bounds.SHOWN_ROWS]
    _print_tasks(tasks, comparison)
    if left_out > 0:
        console.print(Text(f"{left_out} more tasks: --all", style="dim"))
    _print_families(comparison)

    # 2. What each run scored and spent, and what its gates rejected.
    before, after = comparison.sides
    _print_totals(before, after)
    _print_gates(before, after)
    for metric in comparison.metrics:
        change = f"{score_text(metric.first, 3)} → {score_text(metric.second, 3)}"
        text = f"{one_line(metric.name)} {change}, difference {metric.difference}"
        console.print(Text(text))
    for name, side in (("before", before), ("after", after)):
        for line in rates_lines(side.rates, side.flickers):
            console.print(Text(f"{name:6} {line}"))

    # 3. The difference, and whether chance explains it.
    for conclusion in _conclusion_texts(comparison):
        console.print(conclusion)


def _head_lines(comparison: Comparison) -> list[str]:
    """Return lines on what is compared and what is left out."""
    names = f"{one_line(comparison.first)} → {one_line(comparison.second)}"
    played = one_line(" · ".join(name for name in comparison.played if name))
    tasks = count_text(len(comparison.tasks), "task")
    lines = [f"{names}: {played}, {tasks} paired by {comparison.pairing}"]
    if comparison.settings:
        changes = [
            f"{setting.name} {setting.first!r} → {setting.second!r}"
            for setting in comparison.settings
        ]
        lines.append(f"settings {one_line(', '.join(changes))}")
    lines += [f"noticed  {one_line(note)}" for note in comparison.notes]
    without = "without a score in one of the runs"
    left_out = () if comparison.is_sealed else comparison.left_out
    for label, left_tasks, reason in (
        ("left out", comparison.unpaired, "in only one of the runs"),
        ("counted as 0", comparison.counted_as_0, without),
        ("left out", left_out, without),
    ):
        if left_tasks:
            lines.append(f"{label} {listed(left_tasks)}: {reason}")
    return lines


def _print_tasks(tasks: Iterable[TaskComparison], comparison: Comparison) -> None:
    """Print tasks with their means, each with a note on what went wrong below its row.

    If tries are repeated, each mean has its interval over the tries: `0.500 [0.095, 0.905]`.
    """
    has_repeats = any(task.tries > 1 for task in comparison.tasks)
    rows = []
    for task in tasks:
        change = Text(task.change, style=_CHANGE_STYLES[task.change])
        means = [
            str(mean) if has_repeats else f"{mean.mean:.2f}"
            for mean in (task.first, task.second)
        ]
        difference = f"{task.difference:+.3f}"
        rows.append((change, task.task, *means, difference, short_outcomes(task.why)))
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
            difference = f"{family.difference:+.3f}"
            rows.append((family.name, family.tasks, before, after, difference))
    heads = ("family", "tasks", "before", "after", "difference")
    narrowest = {"family": _NAME_WIDTH}
    print_columns(heads, rows, narrowest=narrowest, right_aligned=heads[1:])


def _print_totals(before: ComparedSide, after: ComparedSide) -> None:
    """Print the mean score and the spending of each run, and the change between them."""
    rows: list[tuple[object, ...]] = []
    for name, side in (("before", before), ("after", after)):
        spent = side.spent
        mean = "-"
        if side.mean is not None:
            mean = str(side.mean) + ScoreScale.from_recorded(side.scale).beside_mean
            if side.unscored:
                mean += f", {side.unscored:,} of its trials without a score"
        cost = cost_or_dash(spent.cost_usd)
        time = span_text(spent.elapsed_ms)
        rows.append((name, mean, cost, f"{spent.tokens:,}", spent.steps, time))
    first, second = before.spent, after.spent
    if first.elapsed_ms and second.elapsed_ms:  # Both have ended trials.
        changes = (
            _change_text(first.cost_usd, second.cost_usd),
            _change_text(first.tokens, second.tokens),
            _change_text(first.steps, second.steps),
            _change_text(first.elapsed_ms, second.elapsed_ms),
        )
        rows.append(("change", "", *changes))
    heads = ("", "mean score", "cost", "tokens", "steps", "time of trials")
    print_columns(heads, rows, right_aligned=heads[1:])


def _change_text(before: float | None, after: float | None) -> str:
    """Return a relative change, such as `+12%`; a dash if it is unknown."""
    if not before or after is None:
        return "-"
    return f"{(after - before) / before:+.0%}"


def _print_gates(before: ComparedSide, after: ComparedSide) -> None:
    """Print, for each gate or check that objected, how its trials ended in each run.

    `3 trials: 2 right in the end, 1 by the fallback`
    """
    endings: dict[str, list[str]] = {}
    for place, side in enumerate((before, after)):
        for effect in side.gates:
            trials = count_text(effect.trials, "trial")
            text = f"{trials}: {effect.right or 0} right in the end"
            if effect.fallback:
                text += f", {effect.fallback} by the fallback"
            endings.setdefault(effect.key, ["-", "-"])[place] = text
    rows = [(gate_or_rule_text(key), *endings[key]) for key in sorted(endings)]
    heads = ("rejected by", "before", "after")
    print_columns(heads, rows, narrowest={"rejected by": _NAME_WIDTH})


def _conclusion_texts(comparison: Comparison) -> Iterator[Text]:
    """Yield the size of the difference, and whether chance explains it.

    While the benchmark hides the scores, how often both runs have the same outcomes comes first.
    """
    if comparison.is_sealed:
        agreement = comparison.agreement
        pairs = count_text(agreement.pairs, "pair")
        text = (
            f"scores are sealed: {agreement.same_outcome} of {pairs} have the same "
            f"outcome, {agreement.same_answer} also the same answer"
        )
        yield Text(text, style="yellow")
        if agreement.differing:
            tasks = listed(agreement.differing, max_names=12)
            yield Text(f"different outcomes: {tasks}")
    difference = comparison.difference
    if difference is not None:
        equal = len(comparison.tasks) - comparison.changed
        better, worse = len(comparison.better), len(comparison.worse)
        low, high = score_text(difference.low, 3), score_text(difference.high, 3)
        yield Text(
            f"{better} better, {worse} worse, {equal} equal · difference "
            f"{signed_text(difference.mean, 3)}, 95 % CI [{low}, {high}]"
        )
        style = "green" if comparison.is_shown else "bold"
        if comparison.is_worse:
            style = "red"
        yield Text(comparison.conclusion, style=style)
    elif not comparison.is_sealed:
        yield Text("no task has a score in both runs", style="yellow")


def comparison_object(comparison: Comparison) -> dict[str, object]:
    """Return a comparison as an object for `json.dumps`."""
    result = asdict(comparison)
    for task, fields in zip(comparison.tasks, result["tasks"], strict=True):
        fields["change"] = task.change
    for name in ("is_shown", "is_worse", "needed_tasks"):
        result[name] = getattr(comparison, name)
    for place, side in zip(("first", "second"), result.pop("sides"), strict=True):
        for name, value in side.items():
            result[f"{place}_{name}"] = value
    return result
