"""Compares the runs of a sweep with its base, and finds the cheapest of the best."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from controlplane.comparison.compared_trials import ComparedRun
from controlplane.comparison.resampling import mean_interval
from controlplane.comparison.run_comparison import Comparison, compare_runs
from controlplane.journal.run_summary import total
from controlplane.view.display_text import cost_or_dash, cut_in_the_middle, one_line, span_text
from controlplane.view.report import WIDEST_LINE, print_lines

LABEL: Final = "run"
HEADS: Final = ("", LABEL, "score", "difference", "95 %", "p", "better/worse", "cost", "tokens", "time of trials")
LEAST_FIRST: Final = ("time of trials", "tokens", "p", "better/worse", "95 %", "")
"""The columns that a narrow window leaves out, one after the other."""
SHORTEST_LABEL: Final = 16
"""Columns of text that a label keeps, in a window however narrow."""


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
    print_lines(console, _table(_cells(rows), _width(console)))
    if any(each.is_cheapest_of_best for each in rows):
        console.print(Text("· no run is shown to be better   ★ the cheapest of these", style="dim"))
    if any(each.against_base.is_sealed for each in rows):
        console.print(Text("scores are sealed: runs can be compared by outcome alone, with compare", style="yellow"))


def _width(console: Console) -> int:
    return console.width if console.is_terminal or os.environ.get("COLUMNS") else WIDEST_LINE


def _table(cells: Sequence[Sequence[str]], width: int) -> Table:
    """Return the table in so many columns of text: labels are cut there, and what matters least is left out."""
    widths = {name: max(cell_len(row[at]) for row in (HEADS, *cells)) for at, name in enumerate(HEADS)}
    least = widths | {LABEL: min(widths[LABEL], SHORTEST_LABEL)}
    shown = [*HEADS]
    for name in LEAST_FIRST:
        if sum(least[each] for each in shown) + 2 * len(shown) <= width:
            break
        shown.remove(name)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in shown:
        if name == LABEL:
            table.add_column(name, min_width=least[name])  # rich narrows only columns that may wrap
        else:
            side: Literal["left", "right"] = "right" if name else "left"
            table.add_column(name, justify=side, no_wrap=True, min_width=widths[name])
    room = max(width - sum(widths[each] for each in shown if each != LABEL) - 2 * len(shown), least[LABEL])
    for row in cells:
        named = dict(zip(HEADS, row, strict=True))
        named[LABEL] = cut_in_the_middle(named[LABEL], room)
        table.add_row(*(Text(named[each], no_wrap=True, overflow="ellipsis") for each in shown))
    return table


def _cells(rows: Sequence[SweepRow]) -> list[list[str]]:
    """Return the texts of the table, a list a run, in the order of `HEADS`."""
    cells = []
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
        cells.append([*row, cost, f"{each.tokens:,}", elapsed])
    return cells


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
