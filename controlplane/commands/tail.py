"""`controlplane tail`: follow a run that another process is conducting."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import Console

from controlplane.commands.options import AS_JSON, RUNS_DIR, find_journal
from controlplane.errors import NotAJournal
from controlplane.journal.journal_digest import is_being_written
from controlplane.journal.journal_reader import Chain, new_events
from controlplane.journal.run_events import JournalEvent, RunClosed
from controlplane.journal.run_summary import RunSummary
from controlplane.view.event_lines import event_line

LOOK_S = 0.2
"""Seconds between two looks at the journal."""


@click.command("tail")
@click.argument("run", metavar="RUN")
@click.option("--no-follow", is_flag=True, help="Print what there is and stop.")
@RUNS_DIR
@AS_JSON
def command(run: str, no_follow: bool, runs_dir: str | None, as_json: bool) -> None:
    """Print RUN's events as they come, until the run is closed or its process is gone.

    With --json each line is one event as it stands in the journal, texts in their place.
    """
    path = find_journal(run, runs_dir)
    summary, console = RunSummary(), Console(highlight=False)
    for event in _events(path, follow=not no_follow):
        summary.fold(event)
        if as_json:
            print(json.dumps(event.model_dump(mode="python")), flush=True)
        elif (line := event_line(event, summary)) is not None:
            console.print(line, soft_wrap=True)
    if summary.opened is None:
        msg = f"{path} is no journal: it holds no whole line of one"
        raise NotAJournal(msg)
    if not summary.closed and not no_follow:
        click.echo("the process of this run is gone; the journal ends here", err=True)


def _events(path: Path, *, follow: bool) -> Iterator[JournalEvent]:
    chain = Chain()
    # A journal that was made this moment is not locked by its writer yet, and empty.
    is_new = follow
    while True:
        # Asked before reading, so that nothing written in between is missed.
        goes_on = follow and is_being_written(path)
        closed = False
        for event in new_events(path, chain):
            closed, is_new = isinstance(event, RunClosed), False
            yield event
        if closed or not (goes_on or is_new):
            return
        is_new = False
        time.sleep(LOOK_S)
