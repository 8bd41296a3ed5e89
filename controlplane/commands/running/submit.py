"""`controlplane submit`: submit a run that is not submitted yet."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from controlplane.commands.options import QUIET, about_a_run, refuse_if_running
from controlplane.commands.running.session import report_nothing_to_do, submit_or_poll
from controlplane.errors import UsageError
from controlplane.journal.journal_file import journal_id
from controlplane.journal.journal_index import glance_at
from controlplane.lifecycle.next_commands import invocation, run_argument
from controlplane.lifecycle.run_lifecycle import take_up
from controlplane.view.display_text import count_text
from controlplane.view.run_view import RunView


@click.command("submit")
@about_a_run
@click.option("--force", is_flag=True, help="Submit even if trials are open; each of them scores 0.")
@QUIET
def command(path: Path, force: bool, quiet: bool, as_json: bool) -> None:
    """Submit RUN and print its scores."""
    known, run = glance_at(path), journal_id(path)
    if known.submitted:
        text = f"the run {run} is submitted already; see: {invocation('show', run_argument(path))}"
        report_nothing_to_do(path, text, as_json=as_json)
        return
    refuse_if_running(path)
    still_open = known.left
    if still_open and not force:
        msg = (
            f"{count_text(still_open, 'trial')} of {run} {'is' if still_open == 1 else 'are'} open and would "
            "score 0; go on with: "
            f"{invocation('resume', run_argument(path))} (or submit all the same with --force)"
        )
        raise UsageError(msg)
    view = RunView(quiet=quiet, as_json=as_json)
    with closing(take_up(path, works=False)) as resumption:
        code = submit_or_poll(resumption.run, view, lambda: resumption.run.submit(force=force))
    raise SystemExit(code)
