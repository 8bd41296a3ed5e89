"""`controlplane tail`: follow a run of another process."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import Console

from controlplane.commands.options import about_a_run
from controlplane.errors import NotAJournal
from controlplane.journal.journal_file import is_being_written
from controlplane.journal.journal_reader import Chain, new_events
from controlplane.journal.run_events import JournalEvent, RunClosed
from controlplane.journal.run_summary import RunSummary
from controlplane.view.event_lines import event_line

LOOK_S = 0.2
"""Seconds between two reads of the journal."""


@click.command("tail")
@about_a_run
@click.option("--no-follow", is_flag=True, help="Print the events so far and stop.")
def command(path: Path, no_follow: bool, as_json: bool) -> None:
    """Print the events of RUN as they come, until the run is closed or its process is gone.

    With --json each line is one event of the journal, with stored texts inserted.
    """
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
    # A new journal may still be empty and unlocked.
    is_new = follow
    while True:
        # Checked before reading, so that no event written in between is missed.
        is_followed = follow and is_being_written(path)
        closed = False
        for event in new_events(path, chain):
            closed, is_new = isinstance(event, RunClosed), False
            yield event
        if closed or not (is_followed or is_new):
            return
        is_new = False
        time.sleep(LOOK_S)
