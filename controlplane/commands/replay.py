"""`controlplane replay`: show a recorded trial, or run its scripts again and compare."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.text import Text

from controlplane.commands.options import TRUST, about_a_run, show_status
from controlplane.commands.show import print_run
from controlplane.errors import ReplayDiverged, UsageError
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.terminal_text import say
from controlplane.view.display_text import count_text
from controlplane.view.report import CleanConsole
from controlplane.view.trial_pages import find_step, pages_of, print_page, step_object, trial_object, walk_through

if TYPE_CHECKING:
    from sandbox import Layer


@click.command("replay")
@about_a_run
@click.option("--trial", "trial", default="", help="One trial: its id, its task id, or the beginning of either.")
@click.option("--step", "step", type=int, default=None, help="Print one step of that trial; 0 is the initial prompt.")
@click.option("--verify", "verifying", is_flag=True, help="Run the scripts again on the recorded results and compare.")
@click.option(
    "--strict", is_flag=True, help="With --verify: exit code 5 also for differences under another version of the gates."
)
@click.option(
    "--isolation", default=None, help="Isolation layers that --verify requires; default: those of the settings."
)
@TRUST
def replay_command(
    path: Path,
    *,
    trial: str,
    step: int | None,
    verifying: bool,
    strict: bool,
    isolation: str | None,
    is_trusted: bool,
    as_json: bool,
) -> None:
    """Show what happened in RUN (a path, an id, the unique beginning of an id, or `last`).

    Without --trial it prints what `show --all` does. With --trial on a terminal it steps through the trial, from its
    question to its end, a page for each key: n next, p back, r next rejection, t next trial, q quit. Pages there are
    folded; --step prints a whole one, and in a pipe it prints the whole trial.

    Anyone may have written the scripts of a journal: --verify runs them only in the isolation of your
    settings, whatever the run had.
    """
    if (step is not None and not trial) or (strict and not verifying):
        msg = "--strict needs --verify" if trial or step is None else "--step needs --trial"
        raise UsageError(msg)
    if not trial and not verifying:
        print_run(path, everything=True, as_json=as_json)
        return
    with show_status("reading the journal"):
        journal = open_journal(path)
    with journal:
        if verifying:
            from controlplane.replay.verification import replay_isolation

            chosen = (
                [journal.find_trial(trial)]
                if trial
                else [begun.trial_id for begun in journal.trials.values() if begun.has_begun]
            )
            _verify(journal, chosen, replay_isolation(isolation), is_trusted=is_trusted, strict=strict, as_json=as_json)
        else:
            _replay(journal, journal.find_trial(trial), step, as_json=as_json)


def _replay(journal: Journal, trial_id: str, step: int | None, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(trial_object(journal, trial_id) if step is None else step_object(journal, trial_id, step)))
    elif step is not None:
        print_page(find_step(journal, trial_id, step))
    elif sys.stdout.isatty() and sys.stdin.isatty() and Console().is_interactive:
        walk_through(journal, trial_id)
    else:
        for page in pages_of(journal.trials[trial_id]):
            print_page(page)


def _verify(
    journal: Journal, trials: list[str], isolation: frozenset[Layer], *, is_trusted: bool, strict: bool, as_json: bool
) -> None:
    from controlplane.replay.verification import COMPARED, UNMARKED, only_marked, verify

    with show_status("running the scripts again"):
        verification = verify(journal, trials, isolation=isolation, is_trusted=is_trusted)
    counted = f"{count_text(verification.trials, 'trial')}, {count_text(verification.steps, 'step')}"
    differences = verification.differences
    text = f"{counted}: everything is as recorded"
    if differences:
        versions = " and ".join(verification.other_versions)
        text += f" except for {count_text(len(differences), 'step')}, under another version of {versions}"
    if verification.left_out:
        text += f"; not compared: {'; '.join(verification.left_out)}"
    is_closed = bool(journal.summary.closed)
    if journal.is_torn:
        text += "; the last line was cut off while it was written"
    elif not is_closed:
        text += "; the journal ends before the run was closed"
    if as_json:
        fields = dataclasses.asdict(verification)
        compared = {name: words.split() for name, words in COMPARED.items()}
        covered = {"compared": compared, "only_marked": only_marked()}
        print(json.dumps({"agrees": not differences, **fields, "closed": is_closed, **covered}))
    else:
        fields_compared = ", ".join(f"{name} ({words.replace(' ', ', ')})" for name, words in COMPARED.items())
        rest = (
            f"not verified, as {verification.unmarked}"
            if verification.unmarked
            else "not recomputed; protected only by your signature"
        )
        say("\n".join((*differences, text)))
        CleanConsole(highlight=False).print(Text(f"compared: {fields_compared}\n{rest}: {UNMARKED}"))
    if strict and differences:
        raise SystemExit(ReplayDiverged.exit_code)
