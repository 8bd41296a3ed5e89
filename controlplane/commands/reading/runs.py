"""`controlplane runs`: list the journals, newest first."""

from __future__ import annotations

import json
from typing import Final

import click

from controlplane.commands.options import AS_JSON, RUNS_DIR
from controlplane.configuration.runs_folder import runs_folder
from controlplane.journal.journal_file import newest_first
from controlplane.view.progress_bar import progress_bar
from controlplane.view.run_list import list_journals, print_runs

NEWEST: Final = 20
"""Journals listed without --all."""


@click.command("runs")
@click.option("--all", "everything", is_flag=True, help=f"List every journal, not only the newest {NEWEST}.")
@RUNS_DIR
@AS_JSON
def command(everything: bool, runs_dir: str | None, as_json: bool) -> None:
    """List journals, newest first: name, benchmark, model, trials, score, cost, age, how each ended."""
    folder = runs_folder(runs_dir)
    paths = newest_first(folder)
    shown = paths if everything or as_json else paths[:NEWEST]
    with progress_bar("reading journals") as on_progress:
        journals = list_journals(folder, shown, on_progress)
    if as_json:
        print(json.dumps([each.as_object() for each in journals]))
        return
    print_runs(journals, folder, len(paths) - len(shown))
    for each in journals:
        if each.run.fault:
            click.echo(each.run.error, err=True)
