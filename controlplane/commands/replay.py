"""`controlplane replay`: walk through a recorded trial, or run a journal again and compare."""

from __future__ import annotations

import json

import click

from controlplane.commands.options import AS_JSON, RUNS_DIR, find_journal
from controlplane.errors import UsageError
from controlplane.replay import JournalContent, read_journal, verify
from controlplane.view.trial import print_step, print_trial, print_trials, step_object, trial_object


@click.command("replay")
@click.argument("run", metavar="RUN")
@click.option("--trial", "trial", default="", help="One trial: its id, its task id, or the beginning of one.")
@click.option("--step", "step", type=int, default=None, help="One step of that trial.")
@click.option("--verify", "verifying", is_flag=True, help="Run the scripts again on the recorded results and compare.")
@RUNS_DIR
@AS_JSON
def command(run: str, trial: str, step: int | None, verifying: bool, runs_dir: str | None, as_json: bool) -> None:
    """Show what happened in RUN (a path, an id, a unique beginning of one, or `last`)."""
    if step is not None and not trial:
        msg = "--step needs --trial"
        raise UsageError(msg)
    content = read_journal(find_journal(run, runs_dir))
    trial_id = content.find_trial(trial) if trial else ""
    if verifying:
        _verify(content, [trial_id] if trial_id else list(content.records), as_json=as_json)
    elif not trial_id:
        print_trials(content, as_json=as_json)
    elif as_json:
        print(json.dumps(step_object(content, trial_id, step) if step else trial_object(content, trial_id)))
    elif step is not None:
        print_step(content, trial_id, step)
    else:
        print_trial(content, trial_id)


def _verify(content: JournalContent, trials: list[str], *, as_json: bool) -> None:
    verification = verify(content, trials)
    text = f"{verification.trials} trials, {verification.steps} steps: everything is as recorded"
    if verification.left_out:
        text += f"; not compared: {'; '.join(verification.left_out)}"
    if content.chain.torn:
        text += "; the last line was cut off while it was written"
    if as_json:
        found = {"trials": verification.trials, "steps": verification.steps, "left_out": verification.left_out}
        print(json.dumps({"agrees": True, **found}))
    else:
        print(text)
