"""`controlplane submit` and `poll`: submit a recorded run and get its scores."""

from __future__ import annotations

from pathlib import Path

import click

from controlplane.commands.arguments.options import QUIET, TRUST, about_a_run
from controlplane.lifecycle import conducting, run_submission
from controlplane.questions import nothing_to_poll
from controlplane.view.progress.run_display import RunView
from controlplane.view.result_json import say_nothing_to_do


@click.command("submit")
@about_a_run
@click.option(
    "--force", is_flag=True, help="Submit even if trials are open; open trials score 0."
)
@TRUST
@QUIET
def submit_command(
    path: Path, force: bool, is_trusted: bool, quiet: bool, as_json: bool
) -> None:
    """Submit RUN and print its scores."""
    reason = run_submission.reason_not_to_submit(path)
    if reason:
        say_nothing_to_do(path, reason, as_json=as_json)
        return
    view = RunView(quiet=quiet, as_json=as_json)
    code = conducting.submit(path, view, force=force, is_trusted=is_trusted)
    raise SystemExit(code)


@click.command("poll")
@about_a_run
@TRUST
@QUIET
def poll_command(path: Path, is_trusted: bool, quiet: bool, as_json: bool) -> None:
    """Ask for the scores of RUN and add them to its journal."""
    reason = nothing_to_poll(path)
    if reason:
        say_nothing_to_do(path, reason, as_json=as_json)
        return
    view = RunView(quiet=quiet, as_json=as_json)
    raise SystemExit(conducting.poll(path, view, is_trusted=is_trusted))
