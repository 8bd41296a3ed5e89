"""`controlplane replay`: walk through a trial, or run its scripts again and compare."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from controlplane.commands.arguments.options import TRUST, about_a_run, show_status
from controlplane.commands.show import print_run
from controlplane.errors import ReplayDiverged, UsageError
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.view.result_json import step_object, trial_object
from controlplane.view.trial_pages.page_text import print_page, print_trial
from controlplane.view.trial_pages.trial_pages import find_step
from controlplane.view.trial_pages.trial_walk import walk_through

if TYPE_CHECKING:
    from controlplane.replay.verification import Verification


@click.command("replay")
@about_a_run
@click.option(
    "--trial",
    "trial",
    default="",
    help="One trial: its id, its task id, or the beginning of either.",
)
@click.option(
    "--step",
    "step",
    type=int,
    default=None,
    help="Print one step of that trial; 0 is the initial prompt.",
)
@click.option(
    "--full",
    "in_full",
    is_flag=True,
    help="Print a trial without leaving out anything.",
)
@click.option(
    "--verify",
    "verifying",
    is_flag=True,
    help="Run the scripts again on the recorded results and compare.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="With --verify: exit code 5 also for differences under another version of the gates.",
)
@click.option(
    "--isolation",
    default=None,
    help="Isolation layers that --verify requires; default: those of the settings.",
)
@TRUST
def replay_command(
    path: Path,
    *,
    trial: str,
    step: int | None,
    in_full: bool,
    verifying: bool,
    strict: bool,
    isolation: str | None,
    is_trusted: bool,
    as_json: bool,
) -> None:
    """Show what happened in RUN (a path, an id, the unique beginning of an id, or
    `last`).

    Without --trial it prints what `show --all` does. With --trial on a terminal it
    steps through the trial, from its question to its end, a page for each key: n next,
    p back, r next rejection, t next trial, q quit. In a pipe it prints how the trial
    ended and why, then its steps. Long texts are cut; --full prints them whole, and so
    does --step.

    Anyone may have written the scripts of a journal: --verify runs them only in the
    isolation of your settings, whatever the run had.
    """
    if strict and not verifying:
        msg = "--strict needs --verify"
        raise UsageError(msg)
    if step is not None and not trial:
        msg = "--step needs --trial"
        raise UsageError(msg)
    if in_full and not trial:
        msg = "--full needs --trial"
        raise UsageError(msg)
    if not trial and not verifying:
        print_run(path, everything=True, as_json=as_json)
        return

    with show_status("reading the journal"):
        journal = open_journal(path)
    with journal:
        if not verifying:
            trial_id = journal.find_trial(trial)
            _replay(journal, trial_id, step, in_full=in_full, as_json=as_json)
            return
        # It loads what plays and judges, which nobody needs who only looks at a run.
        from controlplane.view.tables.judgement_table import print_verification

        verification = _verified(journal, trial, isolation, is_trusted=is_trusted)
        print_verification(verification, journal, as_json=as_json)
    if strict and verification.differences:
        raise SystemExit(ReplayDiverged.exit_code)


def _replay(
    journal: Journal, trial_id: str, step: int | None, *, in_full: bool, as_json: bool
) -> None:
    """Show a recorded trial or one of its steps; nothing runs again.

    On a terminal, the user walks through the trial step by step, unless it is shown `in_full`.
    """
    if as_json and step is not None:
        print(json.dumps(step_object(journal.trials[trial_id], step)))
        return
    if as_json:
        print(json.dumps(trial_object(journal.trials[trial_id])))
        return
    if step is not None:
        print_page(find_step(journal.trials[trial_id], step))
        return
    has_terminal = sys.stdout.isatty() and sys.stdin.isatty()
    if has_terminal and Console().is_interactive and not in_full:
        walk_through(journal, trial_id)
    else:
        print_trial(journal, trial_id, in_full=in_full)


def _verified(
    journal: Journal, trial: str, isolation: str | None, *, is_trusted: bool
) -> Verification:
    """Run the scripts of a trial again on the recorded results, and compare with the record.

    An empty `trial` means all trials that have begun. `isolation` names the layers that isolate the
    scripts; None for those of the user's settings.
    """
    from controlplane.replay.rerun import replay_isolation
    from controlplane.replay.verification import verify

    if trial:
        trial_ids = [journal.find_trial(trial)]
    else:
        begun_trials = [
            recorded for recorded in journal.trials.values() if recorded.has_begun
        ]
        trial_ids = [recorded.trial_id for recorded in begun_trials]
    layers = replay_isolation(isolation)
    with show_status("running the scripts again"):
        return verify(journal, trial_ids, isolation=layers, is_trusted=is_trusted)
