"""`controlplane poll`: ask again for the scores of a run that was submitted."""

from __future__ import annotations

import click

from controlplane.commands.options import AS_JSON, RUNS_DIR, find_journal
from controlplane.errors import UsageError
from controlplane.resumption import take_up
from controlplane.view import RunView


@click.command("poll")
@click.argument("run", metavar="RUN")
@RUNS_DIR
@AS_JSON
def command(run: str, runs_dir: str | None, as_json: bool) -> None:
    """Ask for RUN's scores and write them into its journal."""
    view = RunView.choose(quiet=True, as_json=as_json)
    resumption = take_up(find_journal(run, runs_dir), {}, [], needs_model=False)
    try:
        going = resumption.run
        if not going.summary.submitted:
            msg = f"the run {going.journal.path.stem} was not submitted: controlplane resume, or submit"
            raise UsageError(msg)
        going.poll()
        code = going.close()
        view.report(going, None)
    finally:
        resumption.close()
    raise SystemExit(code)
