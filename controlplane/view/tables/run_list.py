"""Prints the list of journals in a folder."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.text import Text

from controlplane.facts.run_facts import DAMAGED, NO_JOURNAL, RunFacts
from controlplane.program_invocation import invocation
from controlplane.quantity_texts import age_text, cost_or_dash, score_style, score_text
from controlplane.terminal_text import one_line
from controlplane.view.printed_columns import CleanConsole, print_columns
from controlplane.view.tables.run_table import NextCommand, print_next_commands

_START_CHARS: Final = len("20261120-071410")
"""The length of the start time with which a journal's id begins."""
_HEADS: Final = ("run", "benchmark", "model", "trials", "score", "cost", "age", "ended")
_NARROWEST: Final = {"run": _START_CHARS, "benchmark": 1, "model": 1}
"""The columns that are cut on a narrow terminal, with the fewest characters that they keep."""
_ENDED_STYLES: Final = {
    "finished": "green",
    "running": "cyan",
    DAMAGED: "red",
    NO_JOURNAL: "red",
}
_UNKNOWN_CELL: Final = Text("-", style="dim")


def print_runs(runs: Sequence[RunFacts], folder: Path, older: int) -> None:
    """Print the table of runs. `older` is the number of older runs, which are not in it."""
    console = CleanConsole(highlight=False)
    if not runs:
        start = _command("run", folder=folder)
        text = f"no journals in {folder}; start a run with: {start}"
        console.print(text, soft_wrap=True, markup=False)
        return

    names = _shortest_names(runs)
    has_costs = any(run.cost_usd != 0 for run in runs)
    heads = [head for head in _HEADS if head != "cost" or has_costs]
    rows = []
    for run, name in zip(runs, names, strict=True):
        cells = _cells(run, name)
        rows.append([cells.get(head, _UNKNOWN_CELL) for head in heads])
    print_columns(
        heads,
        rows,
        narrowest=_NARROWEST,
        right_aligned=("trials", "score", "cost", "age"),
    )
    if older:
        text = f"and {older} older: {_command('runs', '--all', folder=folder)}"
        console.print(Text(text), soft_wrap=True, style="dim")
    if console.is_terminal:  # In a pipe, only the rows are printed.
        show = _command("show", names[0], folder=folder)
        compare = _command("compare", "RUN", "RUN", folder=folder)
        commands = [
            NextCommand(show, "shows the newest"),
            NextCommand(compare, "compares two"),
        ]
        print_next_commands(console, commands)


def _command(*words: str, folder: Path) -> str:
    """Return a command that names the folder, unless it is the default."""
    if os.fspath(folder) == "runs":
        return invocation(*words)
    return invocation(*words, "--runs-dir", str(folder))


def _shortest_names(runs: Sequence[RunFacts]) -> list[str]:
    """Return a name for each run that commands accept as RUN.

    It is the first of these that is unique: the user's name, the start time, the id. So of
    `monday`, `20261127-191130` and `20261127-191130-ecom-ca93`, the shortest that names one run.
    """
    names = Counter(run.name for run in runs)
    starts = Counter(run.run[:_START_CHARS] for run in runs)
    shortest = []
    for run in runs:
        start = run.run[:_START_CHARS]
        if run.name and names[run.name] == 1:
            shortest.append(run.name)
        elif starts[start] == 1:
            shortest.append(start)
        else:
            shortest.append(run.run)
    return shortest


def _cells(run: RunFacts, name: str) -> dict[str, Text]:
    """Return the cells of a run, by the head of their column.

    If its journal cannot be read, only its name and how it ended are known.
    """
    ended = Text(run.ended, style=_ENDED_STYLES.get(run.ended, "yellow"))
    if not run.is_readable:
        return {"run": Text(name), "ended": ended}
    age_s = time.time() - run.last_event_ms / 1000
    return {
        "run": Text(one_line(name)),
        "benchmark": Text(one_line(run.played)),
        "model": Text(one_line(run.model)),
        "trials": Text(_trials_text(run)),
        "score": Text(_score_cell(run), style=score_style(run.score)),
        "cost": Text(cost_or_dash(run.cost_usd)),
        "age": Text(age_text(age_s)),
        "ended": ended,
    }


def _score_cell(run: RunFacts) -> str:
    """Return the score: `0.850`, or `7.500 (any number, 2 without)` if two trials have none."""
    without = f"{run.trials_unscored:,} without" if run.trials_unscored else ""
    remarks = ", ".join(filter(None, (run.scale_beside_mean, without)))
    text = score_text(run.score, 3)
    return f"{text} ({remarks})" if remarks else text


def _trials_text(run: RunFacts) -> str:
    """Return `12/20`, or `20` if all trials are over."""
    total = f"/{run.trials_total}" if run.trials_left else ""
    return f"{run.trials_over}{total}"
