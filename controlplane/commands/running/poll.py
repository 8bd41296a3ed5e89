"""`controlplane poll`: ask for the scores of a submitted run."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from controlplane.benchmark import RunState
from controlplane.commands.options import QUIET, about_a_run, refuse_if_running
from controlplane.commands.running.session import report_nothing_to_do, submit_or_poll
from controlplane.errors import UsageError
from controlplane.journal.journal_file import journal_id
from controlplane.journal.journal_index import glance_at
from controlplane.lifecycle.next_commands import invocation, run_argument
from controlplane.lifecycle.run_lifecycle import take_up
from controlplane.view.run_view import RunView


@click.command("poll")
@about_a_run
@QUIET
def command(path: Path, quiet: bool, as_json: bool) -> None:
    """Ask for the scores of RUN and add them to its journal."""
    known = glance_at(path)
    if known.state == RunState.EVALUATED and all(each.score is not None for each in known.trials.values()):
        text = f"the scores of {journal_id(path)} are out; see: {invocation('show', run_argument(path))}"
        report_nothing_to_do(path, text, as_json=as_json)
        return
    refuse_if_running(path)
    if not known.submitted:
        msg = f"the run {journal_id(path)} was not submitted; go on with it: {invocation('resume', run_argument(path))}"
        raise UsageError(msg)
    view = RunView(quiet=quiet, as_json=as_json)
    with closing(take_up(path, works=False)) as resumption:
        code = submit_or_poll(resumption.run, view, resumption.run.poll)
    raise SystemExit(code)
