"""`controlplane show`: print the result of one run."""

from __future__ import annotations

import json
from pathlib import Path

import click

from controlplane.commands.options import about_a_run
from controlplane.journal.journal_digest import glance_at, is_being_written
from controlplane.view.progress.progress_bar import progress_bar
from controlplane.view.report import print_report
from controlplane.view.result_json import result_object


@click.command("show")
@about_a_run
@click.option("--all", "everything", is_flag=True, help="List every trial, not only the worst.")
def command(path: Path, everything: bool, as_json: bool) -> None:
    """Print the result of RUN: its trials, worst first, its score, and the commands to type next."""
    is_running = is_being_written(path)
    with progress_bar("reading the journal") as on_progress:
        summary = glance_at(path, at_trials=True, on_progress=on_progress)
    if not is_running:
        summary.mark_stopped()
    if as_json:
        print(json.dumps(result_object(summary, path)))
    else:
        print_report(summary, path, everything=everything, is_running=is_running)
