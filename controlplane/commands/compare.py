"""`controlplane compare`: says whether two runs differ beyond chance."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import click
from rich.text import Text

from controlplane.commands.options import AS_JSON, JUNIT, RUNS_DIR, find_journal, show_status
from controlplane.comparison.run_comparison import (
    LEAST_CHANGED,
    Comparison,
    GateEffect,
    TaskComparison,
    compare_runs,
    compared_run,
)
from controlplane.errors import UsageError, invocation
from controlplane.terminal_text import say
from controlplane.view.display_text import cost_or_dash, count_text, gate_or_rule_text, one_line, span_text
from controlplane.view.report import (
    CleanConsole,
    listed,
    print_columns,
    print_next_commands,
    rates_lines,
    short_outcomes,
)


@click.command("compare")
@click.argument("first", metavar="RUN")
@click.argument("second", metavar="RUN")
@click.option("--all", "everything", is_flag=True, help="List every task, not only the changed ones.")
@click.option(
    "--fail-if-worse",
    is_flag=True,
    help="Exit code 1 if the second run is worse beyond chance, or lacks scores that the first run has.",
)
@JUNIT
@RUNS_DIR
@AS_JSON
def compare_command(
    first: str,
    second: str,
    *,
    everything: bool,
    fail_if_worse: bool,
    junit: str | None,
    runs_dir: str | None,
    as_json: bool,
) -> None:
    """Compare the second RUN with the first: better and worse tasks, the mean difference, cost, and the conclusion.

    Trials are paired by task and world. A difference is shown if at least 6 tasks changed and its 95 % interval, a
    paired bootstrap over tasks, excludes 0. RUN+RERUN replaces trials of a run by those of its rerun.
    """
    with show_status("reading the journals"):
        comparison = compare_runs(*(compared_run(_paths_of(name, runs_dir)) for name in (first, second)))
    if junit:
        from controlplane.view.run_results import cases_of_comparison, write_junit

        properties = {"before": comparison.first, "after": comparison.second}
        write_junit(Path(junit), "comparison", cases_of_comparison(comparison), **properties)
    if as_json:
        print(json.dumps(comparison_object(comparison)))
    else:
        print_comparison(comparison, everything=everything)
        if comparison.tasks and "+" not in first + second:
            where = ("--runs-dir", runs_dir) if runs_dir else ()
            report = invocation("report", first, second, *where, "-o", "comparison.html")
            print_next_commands(CleanConsole(highlight=False), [(report, "shows each trial beside the other")])
    if not fail_if_worse:
        return
    lost = () if comparison.is_sealed else comparison.lost_scores
    if lost:
        say(f"--fail-if-worse: without a score in the second run: {', '.join(lost[:6])}", err=True)
    elif not comparison.tasks:
        say("--fail-if-worse: no task has a score in both runs", err=True)
    if comparison.is_worse or lost or not comparison.tasks:
        raise SystemExit(1)


def comparison_object(comparison: Comparison) -> dict[str, object]:
    """Return a comparison as plain JSON types."""
    tasks = [{**dataclasses.asdict(task), "change": task.change} for task in comparison.tasks]
    own = {name: getattr(comparison, name) for name in ("is_shown", "is_worse", "needed_tasks")}
    whole = dataclasses.asdict(comparison)
    for which, side in zip(("first", "second"), whole.pop("sides"), strict=True):
        own |= {f"{which}_{name}": value for name, value in side.items()}
    return {**whole, "tasks": tasks, **own}


def _paths_of(name: str, runs_dir: str | None) -> list[Path]:
    """Return the journal that RUN names, or those of RUN+RERUN. Raises `UsageError`."""
    try:
        return [find_journal(name, runs_dir)]
    except UsageError:
        parts = name.split("+")
        if len(parts) == 1 or not all(parts):
            raise
    return [find_journal(part, runs_dir) for part in parts]


SHOWN_TASKS: Final = 20
"""Most tasks listed, unless all are shown."""


def print_comparison(comparison: Comparison, *, everything: bool = False) -> None:
    """Print the changed tasks, the size of the difference, costs, and whether chance explains it."""
    console = CleanConsole(highlight=False)
    pairs = f"{count_text(len(comparison.tasks), 'task')} paired by {comparison.pairing}"
    played = one_line(" · ".join(filter(None, comparison.played)))
    head = [f"{one_line(comparison.first)} → {one_line(comparison.second)}: {played}, {pairs}"]
    if comparison.settings:
        changes = (f"{setting.name} {setting.first!r} → {setting.second!r}" for setting in comparison.settings)
        head.append(f"settings {one_line(', '.join(changes))}")
    head += [f"noticed  {one_line(note)}" for note in comparison.notes]
    if comparison.unpaired:
        head.append(f"left out {listed(comparison.unpaired)}: in only one of the runs")
    if comparison.without_score and not comparison.is_sealed:
        head.append(f"left out {listed(comparison.without_score)}: without a score in one of the runs")
    for line in head:
        console.print(Text(line))
    changed = [*comparison.better, *comparison.worse]
    if everything:
        changed += [task for task in comparison.tasks if task.change == "same"]
    _print_tasks(changed if everything else changed[:SHOWN_TASKS], comparison)
    if not everything and len(changed) > SHOWN_TASKS:
        console.print(Text(f"{len(changed) - SHOWN_TASKS} more tasks: --all", style="dim"))
    _print_families(comparison)
    _print_totals(comparison)
    _print_gates(comparison)
    lines = [
        (f"{one_line(one.name)} {one.first:.3f} → {one.second:.3f}, difference {one.difference}", "")
        for one in comparison.metrics
    ]
    for name, side in zip(("before", "after"), comparison.sides, strict=True):
        lines += [(f"{name:6} {line}", "") for line in rates_lines(side.rates, side.flickers)]
    if comparison.is_sealed:
        agreement = comparison.agreement
        text = (
            f"scores are sealed: {agreement.same_outcome} of {count_text(agreement.pairs, 'pair')} have the same "
            f"outcome, {agreement.same_answer} also the same answer"
        )
        lines.append((text, "yellow"))
        if agreement.differing:
            lines.append((f"different outcomes: {listed(agreement.differing, 12)}", ""))
    for line, style in (*lines, *_verdict(comparison)):
        console.print(Text(line, style=style))


def _print_tasks(tasks: Iterable[TaskComparison], comparison: Comparison) -> None:
    repeated = any(task.tries > 1 for task in comparison.tasks)
    styles = {"better": "green", "worse": "red", "same": "dim"}
    rows = [
        (
            Text(task.change, style=styles[task.change]),
            task.task,
            *(str(one) if repeated else f"{one.mean:.2f}" for one in (task.first, task.second)),
            f"{task.difference:+.3f}",
            short_outcomes(task.why),
        )
        for task in tasks
    ]
    heads = ("change", "task", "before", "after", "difference")
    print_columns(heads, rows, least={"task": 16}, right=heads[2:])


def _print_families(comparison: Comparison) -> None:
    """Print the families that changed; nothing if each task is a family of its own."""
    if len(comparison.families) == len(comparison.tasks):
        return
    rows = [
        (one.name, one.tasks, f"{one.first:.2f}", f"{one.second:.2f}", f"{one.second - one.first:+.3f}")
        for one in comparison.families[:SHOWN_TASKS]
        if abs(one.second - one.first) > 1e-9
    ]
    heads = ("family", "tasks", "before", "after", "difference")
    print_columns(heads, rows, least={"family": 16}, right=heads[1:])


def _print_gates(comparison: Comparison) -> None:
    """Print, for all that rejected answers or held calls, how those trials ended in each run."""
    first, second = ({one.key: one for one in side.gates} for side in comparison.sides)
    rows = [
        (gate_or_rule_text(key), *(_ended(side[key]) if key in side else "-" for side in (first, second)))
        for key in sorted({*first, *second})
    ]
    print_columns(("rejected by", "before", "after"), rows, least={"rejected by": 16})


def _ended(effect: GateEffect) -> str:
    """Return how the rejected trials ended, such as `3 trials: 2 right in the end, 1 by the fallback`."""
    ends = [f"{effect.right or 0} right in the end"] + (
        [f"{effect.fallback} by the fallback"] if effect.fallback else []
    )
    return f"{count_text(effect.trials, 'trial')}: {', '.join(ends)}"


def _print_totals(comparison: Comparison) -> None:
    rows: list[tuple[object, ...]] = []
    for name, side in zip(("before", "after"), comparison.sides, strict=True):
        spent, mean = side.spent, "-" if side.mean is None else side.mean
        amount = f"{spent.tokens:,}", spent.steps, span_text(spent.elapsed_ms)
        rows.append((name, mean, cost_or_dash(spent.cost_usd), *amount))
    one, two = (side.spent for side in comparison.sides)
    if one.elapsed_ms and two.elapsed_ms:
        costs = "-" if not one.cost_usd or two.cost_usd is None else _change(one.cost_usd, two.cost_usd)
        amounts = ((one.tokens, two.tokens), (one.steps, two.steps), (one.elapsed_ms, two.elapsed_ms))
        rows.append(("change", "", costs, *(_change(before, after) for before, after in amounts)))
    heads = ("", "mean score", "cost", "tokens", "steps", "time of trials")
    print_columns(heads, rows, right=heads[1:])


def _change(before: float, after: float) -> str:
    return f"{(after - before) / before:+.0%}" if before else "-"


def _verdict(comparison: Comparison) -> list[tuple[str, str]]:
    if comparison.difference is None:
        return [] if comparison.is_sealed else [("no task has a score in both runs", "yellow")]
    changed = len(comparison.better) + len(comparison.worse)
    counts = f"{len(comparison.better)} better, {len(comparison.worse)} worse, {len(comparison.tasks) - changed} equal"
    mean = comparison.difference
    lines = [(f"{counts} · difference {mean.mean:+.3f}, 95 % CI [{mean.low:.3f}, {mean.high:.3f}]", "")]
    if comparison.is_shown:
        better = mean.mean > 0
        return [*lines, (f"the second run is {'better' if better else 'worse'}", "green" if better else "red")]
    few = "" if not 0 < changed < LEAST_CHANGED else f"; fewer than {LEAST_CHANGED} tasks changed"
    if needed := comparison.needed_tasks:
        few += f"; about {needed:,} tasks would be enough"
    return [*lines, (f"no difference shown{few}", "bold")]
