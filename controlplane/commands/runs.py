"""`controlplane runs`: list the journals."""

from __future__ import annotations

import dataclasses
import json

import click

from controlplane.commands.arguments.options import AS_JSON, RUNS_DIR, show_status
from controlplane.configuration.continuation import runs_folder
from controlplane.facts.run_facts import run_facts_of_file
from controlplane.journal.journal_files import newest_first
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import say
from controlplane.view.tables.run_list import print_runs


@click.command("runs")
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help=f"List every journal, not only the newest {bounds.SHOWN_ROWS}.",
)
@RUNS_DIR
@AS_JSON
def runs_command(everything: bool, runs_dir: str | None, as_json: bool) -> None:
    """List journals, newest first, with name, benchmark, model, trials, score, cost,
    age, and how each ended."""
    folder = runs_folder(runs_dir)
    paths = newest_first(folder)
    shown = paths
    if not everything and not as_json:
        shown = paths[: bounds.SHOWN_ROWS]
    with show_status("reading journals"):
        runs = [run_facts_of_file(path) for path in shown]

    if as_json:
        print(json.dumps([dataclasses.asdict(run) for run in runs]))
        return
    print_runs(runs, folder, older=len(paths) - len(shown))
    for run in runs:
        if not run.is_readable:
            say(run.error, err=True)
