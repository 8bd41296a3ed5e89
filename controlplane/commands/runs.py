"""`controlplane runs`: lists the journals, newest first."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click
from rich.console import Console
from rich.text import Text

from controlplane.commands.options import AS_JSON, RUNS_DIR, progress_bar
from controlplane.journal.journal_file import how_ended, journal_id, newest_first
from controlplane.lifecycle.next_commands import invocation, runs_folder
from controlplane.view.display_text import age_text, cost_or_dash, one_line, score_style, score_text
from controlplane.view.report import print_columns
from controlplane.view.result_json import RunTotals
from controlplane.view.runs_index import indexed_runs

NEWEST: Final = 20
"""Journals listed without --all."""


@click.command("runs")
@click.option("--all", "everything", is_flag=True, help=f"List every journal, not only the newest {NEWEST}.")
@RUNS_DIR
@AS_JSON
def runs_command(everything: bool, runs_dir: str | None, as_json: bool) -> None:
    """List journals, newest first, with name, benchmark, model, trials, score, cost, age, and how each ended."""
    folder = runs_folder(runs_dir)
    paths = newest_first(folder)
    shown = paths if everything or as_json else paths[:NEWEST]
    with progress_bar("reading journals") as on_progress:
        known = indexed_runs(folder, shown, on_progress)
    runs = {
        path: run.model_copy(update={"ended": run.fault or how_ended(path, run.ended)})
        for path, run in zip(shown, known, strict=True)
    }
    if as_json:
        print(json.dumps([run.as_object(path) for path, run in runs.items()]))
        return
    _print_runs(runs, folder, len(paths) - len(shown))
    for run in runs.values():
        if run.fault:
            click.echo(run.error, err=True)


STAMP: Final = len("20261120-071410")
"""Characters of a journal's id that give the start of its run."""
COLUMNS: Final = ("run", "benchmark", "model", "trials", "score", "cost", "age", "ended")
LEAST: Final = {"run": 24, "benchmark": 5, "model": 5}
"""Columns that a narrow window cuts, with their least widths."""
DROPPED: Final = ("cost", "benchmark", "model")
"""Columns that a narrow window drops, in this order."""
RIGHT: Final = ("trials", "score", "cost", "age")
ENDED_STYLES: Final = {"finished": "green", "running": "cyan", "damaged": "red", "no journal": "red"}


def _print_runs(runs: Mapping[Path, RunTotals], folder: Path, older: int) -> None:
    console = Console(highlight=False)
    where = () if os.fspath(folder) == "runs" else ("--runs-dir", str(folder))
    if not runs:
        start = invocation("run", *where)
        console.print(f"no journals in {folder}; start a run with: {start}", soft_wrap=True, markup=False)
        return
    # Each is named by the shortest unique name that RUN accepts: its name, its start time, or its id.
    names = Counter(run.name for run in runs.values() if run.name)
    stamps = Counter(journal_id(path)[:STAMP] for path in runs)
    rows = []
    for path, run in runs.items():
        run_id, stamp = journal_id(path), journal_id(path)[:STAMP]
        rows.append(_row(run, run.name if names[run.name] == 1 else stamp if stamps[stamp] == 1 else run_id))
    has_costs = any(run.cost_usd != 0 for run in runs.values())
    heads = [name for name in COLUMNS if has_costs or name != "cost"]
    shown = [[text for name, text in zip(COLUMNS, row, strict=True) if name in heads] for row in rows]
    print_columns(heads, shown, least=LEAST, dropped=[name for name in DROPPED if name in heads], right=RIGHT)
    if older:
        console.print(Text(f"and {older} older: {invocation('runs', '--all', *where)}"), soft_wrap=True, style="dim")


def _row(run: RunTotals, name: str) -> list[Text]:
    ended = Text(run.ended, style=ENDED_STYLES.get(run.ended, "yellow"))
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
