"""`controlplane runs`: lists the journals, newest first."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click
from rich.console import Console
from rich.text import Text

from controlplane.commands.options import AS_JSON, RUNS_DIR, progress_bar
from controlplane.journal.journal_file import how_ended, journal_id, newest_first
from controlplane.lifecycle.next_commands import invocation, runs_folder
from controlplane.view.display_text import age_text, cost_or_dash, one_line, score_style, score_text
from controlplane.view.report import print_fitted
from controlplane.view.result_json import RunTotals
from controlplane.view.runs_index import indexed_runs

NEWEST: Final = 20
"""Journals listed without --all."""


@click.command("runs")
@click.option("--all", "everything", is_flag=True, help=f"List every journal, not only the newest {NEWEST}.")
@RUNS_DIR
@AS_JSON
def runs_command(everything: bool, runs_dir: str | None, as_json: bool) -> None:
    """List journals, newest first: name, benchmark, model, trials, score, cost, age, how each ended."""
    folder = runs_folder(runs_dir)
    paths = newest_first(folder)
    shown = paths if everything or as_json else paths[:NEWEST]
    with progress_bar("reading journals") as on_progress:
        journals = list_journals(folder, shown, on_progress)
    if as_json:
        print(json.dumps([journal.as_object() for journal in journals]))
        return
    print_runs(journals, folder, len(paths) - len(shown))
    for journal in journals:
        if journal.run.fault:
            click.echo(journal.run.error, err=True)


STAMP: Final = len("20261120-071410")
"""Characters of a journal's id that hold the start of its run."""
COLUMNS: Final = ("run", "benchmark", "model", "trials", "score", "cost", "age", "ended")
LEAST: Final = {"run": 24, "benchmark": 5, "model": 5}
"""Columns whose texts are cut if the window is too narrow, with the width that they keep."""
DROPPED: Final = ("cost", "benchmark", "model")
"""Columns that a narrow window does without, in this order."""
RIGHT: Final = ("trials", "score", "cost", "age")
ENDED_STYLES: Final = {"finished": "green", "running": "cyan", "damaged": "red", "no journal": "red"}


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One row of the list: a journal, or a file that cannot be read as one."""

    path: Path
    run: RunTotals
    ended: str
    """finished, interrupted, failed, running, cut off (its process is gone), damaged, no journal."""

    def as_object(self) -> dict[str, object]:
        """Return the row as plain JSON types, in the order of the object that `show` prints."""
        return {**self.run.as_object(self.path), "ended": self.ended}


def list_journals(folder: Path, paths: Sequence[Path], on_progress: Callable[[int, int], None]) -> list[JournalEntry]:
    """Return one entry for each path, also for those that cannot be read. `on_progress` receives (done, total)."""
    runs = indexed_runs(folder, paths, on_progress)
    return [
        JournalEntry(path, run, run.fault or how_ended(path, run.ended)) for path, run in zip(paths, runs, strict=True)
    ]


def print_runs(journals: Sequence[JournalEntry], folder: Path, older: int) -> None:
    """Print one line per journal, and how many `older` ones are left out."""
    console = Console(highlight=False)
    where = () if os.fspath(folder) == "runs" else ("--runs-dir", str(folder))
    if not journals:
        start = invocation("run", *where)
        console.print(f"no journals in {folder}; start a run with: {start}", soft_wrap=True, markup=False)
        return
    names = _shortest_names(journals)
    rows = [_row(journal, name) for journal, name in zip(journals, names, strict=True)]
    has_costs = any(journal.run.cost_usd != 0 for journal in journals)
    heads = [name for name in COLUMNS if has_costs or name != "cost"]
    shown = [[text for name, text in zip(COLUMNS, row, strict=True) if name in heads] for row in rows]
    print_fitted(heads, shown, least=LEAST, dropped=[name for name in DROPPED if name in heads], right=RIGHT)
    if older:
        console.print(Text(f"and {older} older: {invocation('runs', '--all', *where)}"), soft_wrap=True, style="dim")


def _row(entry: JournalEntry, name: str) -> list[Text]:
    run = entry.run
    ended = Text(entry.ended, style=ENDED_STYLES.get(entry.ended, "yellow"))
    if run.fault:
        return [Text(name), *(Text("-", style="dim") for _ in range(6)), ended]
    return [
        Text(one_line(name)),
        Text(one_line(run.played)),
        Text(one_line(run.model)),
        Text(f"{run.trials_over}/{run.trials_total}" if run.trials_over < run.trials_total else f"{run.trials_over}"),
        Text(score_text(run.score, 3), style=score_style(run.score)),
        Text(cost_or_dash(run.cost_usd)),
        Text(age_text(time.time() - run.last_event_ms / 1000)),
        ended,
    ]


def _shortest_names(journals: Sequence[JournalEntry]) -> list[str]:
    """Return for each journal the shortest unique name that RUN accepts: its name, its start time, or its id."""
    names = Counter(journal.run.name for journal in journals)
    stamps = Counter(journal_id(journal.path)[:STAMP] for journal in journals)
    found = []
    for journal in journals:
        stem = journal_id(journal.path)
        stamp_or_id = stem[:STAMP] if stamps[stem[:STAMP]] == 1 else stem
        found.append(journal.run.name if journal.run.name and names[journal.run.name] == 1 else stamp_or_id)
    return found
