"""`controlplane tail`: follow a run that another process is conducting."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import click

from controlplane.commands.options import AS_JSON, RUNS_DIR, find_journal
from controlplane.journal.events import JournalEvent, RunClosed
from controlplane.journal.reader import Follower
from controlplane.summary import RunSummary
from controlplane.view.lines import line_of_event


@click.command("tail")
@click.argument("run", metavar="RUN")
@click.option("--no-follow", is_flag=True, help="Print what there is and stop.")
@RUNS_DIR
@AS_JSON
def command(run: str, no_follow: bool, runs_dir: str | None, as_json: bool) -> None:
    """Print RUN's events as they come, until the run is closed."""
    path = find_journal(run, runs_dir)
    summary = RunSummary()
    for event in _events(path, follow=not no_follow):
        summary.fold(event)
        text = json.dumps(event.model_dump(mode="python")) if as_json else line_of_event(event, summary)
        if text:
            click.echo(text)


def _events(path: Path, *, follow: bool) -> Iterator[JournalEvent]:
    follower = Follower(path)
    while True:
        closed = False
        for event in follower.new_events():
            closed = isinstance(event, RunClosed)
            yield event
        if closed or not follow:
            return
        time.sleep(0.3)
