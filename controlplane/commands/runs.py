"""`controlplane runs`: the journals there are, newest first."""

from __future__ import annotations

import json
from pathlib import Path

import click

from controlplane.commands.options import AS_JSON, RUNS_DIR
from controlplane.errors import ControlPlaneError
from controlplane.replay import read_journal
from controlplane.view.results import result_object
from controlplane.view.runs import print_runs


@click.command("runs")
@RUNS_DIR
@AS_JSON
def command(runs_dir: str | None, as_json: bool) -> None:
    """List journals, newest first: name, benchmark, model, trials, score, cost, age, how each ended."""
    folder = Path(runs_dir or "runs")
    paths = sorted(folder.glob("*.jsonl"), key=lambda each: each.stat().st_mtime, reverse=True)
    found, broken = [], []
    for path in paths:
        try:
            found.append(read_journal(path))
        except ControlPlaneError as error:
            broken.append(str(error))
    if as_json:
        print(json.dumps([result_object(each.summary, each.path) for each in found]))
    else:
        print_runs(found, folder)
    for each in broken:
        click.echo(each, err=True)
