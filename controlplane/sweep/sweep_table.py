"""Compares the runs of a sweep with its base, and finds the cheapest of the best."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from controlplane.comparison.compared_trials import ComparedRun
from controlplane.comparison.resampling import mean_interval
from controlplane.comparison.run_comparison import Comparison, compare_runs
from controlplane.journal.spent import total
from controlplane.view.display_text import cost_or_dash, one_line, span_text
from controlplane.view.report import print_lines


@dataclass(frozen=True, slots=True)
class SweepRow:
    """One run of a sweep beside the base."""

    label: str
    run: ComparedRun
    against_base: Comparison
    """The base is the first of it."""
    is_among_best: bool = False
    """No run is shown to be better."""
    is_cheapest_of_best: bool = False

    @property
    def mean(self) -> float | None:
        """Its mean score over tasks."""
        means = [sum(each) / len(each) for each in self.run.scores_by_task.values()]
        found = mean_interval(means)
        return None if found is None else found.mean

    @property
    def cost_usd(self) -> float | None:
        """What all of its trials cost; None if that is unknown."""
        return total(each.summary.spent for each in self.run.trials).cost_usd

    @property
    def tokens(self) -> int:
        """What all of its trials took."""
        return sum(each.summary.tokens for each in self.run.trials)


def sweep_rows(runs: Mapping[str, ComparedRun]) -> list[SweepRow]:
    """Return a row for each run by its label, the base first, with the best marked."""
    (_, base), *_ = runs.items()
    rows = [SweepRow(label, run, compare_runs(base, run)) for label, run in runs.items()]
    scored = [each for each in rows if each.mean is not None]
    if not scored:
        return rows
    top = max(scored, key=lambda each: each.mean or 0.0)
    best = [each for each in scored if each is top or not compare_runs(top.run, each.run).is_worse]
    # Runs of unknown cost are told apart by their tokens.
    cheapest = min(best, key=lambda each: (*_price(each), each.tokens, -(each.mean or 0.0)))
    return [
        SweepRow(each.label, each.run, each.against_base, any(each is one for one in best), each is cheapest)
        for each in rows
    ]


def _price(row: SweepRow) -> tuple[bool, float]:
    return row.cost_usd is None, row.cost_usd or 0.0


def print_rows(rows: Sequence[SweepRow]) -> None:
    """Print the table of a sweep."""
    console = Console(highlight=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("", "run", "score", "difference", "95 %", "p", "better/worse", "cost", "tokens", "time of trials"):
        table.add_column(name, justify="left" if name in ("", "run") else "right", no_wrap=True)
    for at, each in enumerate(rows):
        found = each.against_base
        mark = "★" if each.is_cheapest_of_best else "·" if each.is_among_best else ""
        mean = "-" if each.mean is None else f"{each.mean:.3f}"
        row = [mark, one_line(each.label), mean, "", "", "", ""]
        if at and found.difference is not None:
            span = f"{found.difference.low:+.3f} … {found.difference.high:+.3f}"
            changes = f"{len(found.better)}/{len(found.worse)}"
            row[3:] = [f"{found.difference.mean:+.3f}", span, f"{found.p_value:.3g}", changes]
        cost = cost_or_dash(each.cost_usd)
        elapsed = span_text(sum(trial.summary.elapsed_ms for trial in each.run.trials))
        table.add_row(*(Text(cell) for cell in (*row, cost, f"{each.tokens:,}", elapsed)))
    print_lines(console, table)
    if any(each.is_cheapest_of_best for each in rows):
        console.print(Text("· no run is shown to be better   ★ the cheapest of these", style="dim"))
    if any(each.against_base.is_sealed for each in rows):
        console.print(Text("scores are sealed: runs can be compared by outcome alone, with compare", style="yellow"))


def rows_json(rows: Sequence[SweepRow], *, finished: bool) -> str:
    """Return the table as JSON text."""
    told = []
    for each in rows:
        found = each.against_base
        told.append(
            {
                "label": each.label,
                "journal": str(each.run.paths[0]),
                "mean_score": each.mean,
                "difference": None if found.difference is None else found.difference.mean,
                "low": None if found.difference is None else found.difference.low,
                "high": None if found.difference is None else found.difference.high,
                "p_value": found.p_value,
                "better": [task.task for task in found.better],
                "worse": [task.task for task in found.worse],
                "cost_usd": each.cost_usd,
                "tokens": each.tokens,
                "is_among_best": each.is_among_best,
                "is_cheapest_of_best": each.is_cheapest_of_best,
            }
        )
    return json.dumps({"finished": finished, "runs": told})
