"""`controlplane show`: print the result of a run, or follow it; `controlplane runs`: list the journals."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from controlplane.commands.arguments.options import (
    AS_JSON,
    RUNS_DIR,
    about_a_run_or_loop,
    show_status,
)
from controlplane.configuration.run_names import is_question, runs_folder
from controlplane.facts.run_facts import KnownJournals, RunRow, run_details, run_facts
from controlplane.facts.trial_facts import row_of
from controlplane.journal.journal_files import LOOP_FILE, is_being_written, newest_first
from controlplane.journal.journal_reader import Journal, glance_at, open_journal
from controlplane.journal.run_events import JournalEvent
from controlplane.journal.totals.run_summary import fold_event
from controlplane.quantity_texts import count_text
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import say
from controlplane.view.result_json import print_result
from controlplane.view.tables.run_list import print_runs
from controlplane.view.tables.run_table import print_run_table

# `controlplane show`: print the result of a run, or follow it.

# A run that another process conducts, followed by its journal.

_BETWEEN_LOOKS_S: Final = 0.2
"""The pause before a followed journal is read again."""


class _FollowedRun:
    """The run of a journal, read on until it ends."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.journal = Journal(path)
        self.summary = self.journal.summary
        self._looks = 0
        """How often the journal was read."""
        self._was_written = False
        """True if a process had locked the journal just before the last look."""

    def read_on(self) -> Iterator[JournalEvent]:
        """Yield the events since the last look, and add them to the summary."""
        if self._looks > 0:
            time.sleep(_BETWEEN_LOOKS_S)
        self._looks += 1
        # The lock is checked before reading. If it is free, all events are in the file.
        self._was_written = is_being_written(self.path)
        for event in self.journal.read_on():
            fold_event(self.summary, event)
            yield event

    @property
    def has_ended(self) -> bool:
        """True if the journal gets no more events.

        A process creates its journal, and shortly after that locks it and writes to it.
        So a journal that is empty at the first look may belong to a run that is starting.
        """
        if self._looks == 0:
            return False
        if self.summary.process.closed:
            return True
        may_be_starting = self._looks == 1 and self.summary.opened is None
        return not self._was_written and not may_be_starting

    def check_end(self) -> None:
        """Say if the run was not closed. Raises `NotAJournal` if nothing could be read."""
        self.journal.opened  # noqa: B018 - raises if nothing could be read
        if not self.summary.process.closed:
            say("the process of this run is gone; the journal ends here", err=True)


@click.command("show")
@about_a_run_or_loop
@click.option(
    "--all", "everything", is_flag=True, help="List every trial, not only the worst."
)
@click.option("--follow", is_flag=True, help="First wait until the run ends.")
def show_command(path: Path, everything: bool, follow: bool, as_json: bool) -> None:
    """Print the result of RUN: its trials, worst first, its score, and the commands to
    type next.

    --follow first shows how far a run is that another process conducts, until the run
    is closed or its process is gone; `view` shows its steps. With --json it prints only
    the events, each a line of JSON with its texts inserted. The id of a loop of
    `improve` gives the result of the loop.
    """
    if path.name == LOOP_FILE:
        from controlplane.commands.improve import print_loop
        from controlplane.improving.loop_record import LoopRecord

        print_loop(LoopRecord(path.parent), as_json=as_json)
        return
    if follow and as_json:
        # Print each event of a run as it comes, as a line of JSON, until the run ends.
        run = _FollowedRun(path)
        while not run.has_ended:
            for event in run.read_on():
                print(json.dumps(event.model_dump(mode="python")), flush=True)
        run.check_end()
        return
    if follow:
        _follow(_FollowedRun(path))
    print_run(path, everything=everything, as_json=as_json)


def print_run(path: Path, *, everything: bool, as_json: bool) -> None:
    """Print the result of the run of the journal at `path`.

    The answer to a question comes first.
    """
    is_running = is_being_written(path)
    with show_status("reading the journal"):
        summary = glance_at(path)
    if not is_running:
        summary.trials.mark_stopped()  # those that were being played
    run = run_details(summary, path)
    if as_json:
        print_result(run)
        return
    if is_question(summary) and summary.process.closed:
        _print_answer(path)
    print_run_table(run, everything=everything, is_running=is_running)


def _print_answer(path: Path) -> None:
    """Print the answer to a question as `ask` did, its claims marked."""
    # These modules import the rules, which other runs do not need.
    from controlplane.facts.answer_facts import asked_answer
    from controlplane.view.answer.answer_text import answer_text

    with open_journal(path) as journal:
        folder = str(journal.setting("benchmark")).partition(":")[2]
        answer = asked_answer(journal, Path(folder))
        say(f"{answer_text(answer)}\n", is_styled=True)


def _follow(run: _FollowedRun) -> None:
    """Show how far a run is, until it ends: `3 of 40 trials over, $0.12`, which is updated.

    Raises the error of a run that ended without its last event.
    """
    with show_status("following the run") as set_status:
        while not run.has_ended:
            for _ in run.read_on():
                pass  # The events are only added up.
            facts = run_facts(run.summary, run.path)
            trials = count_text(facts.trials_total, "trial")
            over = f"{facts.trials_over} of {trials} over"
            set_status(", ".join([over, *facts.figure_texts]))
    run.check_end()


# `controlplane runs`: list the journals.


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
        known = KnownJournals(folder)
        runs = [known.read(path) for path in shown]
        known.save()

    if as_json:
        print(json.dumps([row_of(run, RunRow) for run in runs]))
        return
    print_runs(runs, folder, older=len(paths) - len(shown))
    for run in runs:
        if not run.is_readable:
            say(run.error, err=True)
