"""`controlplane show`: print the result of one run."""

from __future__ import annotations

import json
from pathlib import Path

import click

from controlplane.commands.options import about_a_run
from controlplane.commands.shell_words import complete_trial
from controlplane.errors import UsageError
from controlplane.journal.journal_file import is_being_written, journal_id
from controlplane.journal.journal_index import glance_at
from controlplane.journal.run_events import HINTS
from controlplane.view.progress_bar import progress_bar
from controlplane.view.report import print_report
from controlplane.view.result_json import result_object


@click.command("show")
@about_a_run
@click.option("--all", "everything", is_flag=True, help="List every trial, not only the worst.")
@click.option("--turn-one", "of_turn_one", is_flag=True, help="Print what the first requests are spent on.")
@click.option(
    "--trial", default="", shell_complete=complete_trial, help="With --turn-one: one trial, its parts one by one."
)
def command(path: Path, everything: bool, of_turn_one: bool, trial: str, as_json: bool) -> None:
    """Print the result of RUN: its trials, worst first, its score, and the commands to type next.

    With --turn-one it prints how many characters the first request of each trial has, and with --trial what each part
    of its system prompt and of its turn one takes.
    """
    if trial and not of_turn_one:
        msg = "--trial needs --turn-one; to see a trial: controlplane replay RUN --trial ID"
        raise UsageError(msg)
    if of_turn_one:
        _show_turn_one(path, trial, as_json=as_json)
        return
    is_running = is_being_written(path)
    with progress_bar("reading the journal") as on_progress:
        summary = glance_at(path, at_trials=True, on_progress=on_progress)
    if not is_running:
        summary.mark_stopped()
    if as_json:
        print(json.dumps(result_object(summary, path)))
    else:
        print_report(summary, path, everything=everything, is_running=is_running)


def _show_turn_one(path: Path, trial: str, *, as_json: bool) -> None:
    from controlplane.journal.journal_content import open_journal
    from controlplane.view.request_shares import FirstRequest, print_shares, print_totals, shares_object

    with progress_bar("reading the journal") as on_progress:
        journal = open_journal(path, on_progress)
    with journal:
        only = journal.find_trial(trial) if trial else ""
        hints = next((each.text for each in journal.prompts if each.name == HINTS), "")
        openings = [(each, journal.trials[each].opening) for each in ([only] if only else journal.trials)]
    requests = [
        FirstRequest(trial_id, each.system, each.turn_one, hints) for trial_id, each in openings if each is not None
    ]
    if not requests:
        msg = (
            f"trial {only} of {journal_id(path)} has no turn one"
            if only
            else f"no trial of {journal_id(path)} has a turn one"
        )
        raise UsageError(msg)
    if as_json:
        objects = [shares_object(each) for each in requests]
        print(json.dumps(objects[0] if trial else objects))
    elif trial:
        print_shares(requests[0])
    else:
        print_totals(requests)
