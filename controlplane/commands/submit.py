"""`controlplane submit`: hand a run in that was not."""

from __future__ import annotations

import click

from controlplane.commands.options import AS_JSON, RUNS_DIR, find_journal
from controlplane.errors import UsageError
from controlplane.resumption import take_up
from controlplane.view import RunView


@click.command("submit")
@click.argument("run", metavar="RUN")
@click.option("--force", is_flag=True, help="Submit although trials are open; each of them scores 0.")
@RUNS_DIR
@AS_JSON
def command(run: str, force: bool, runs_dir: str | None, as_json: bool) -> None:
    """Hand RUN in and print its scores."""
    view = RunView.choose(quiet=True, as_json=as_json)
    resumption = take_up(find_journal(run, runs_dir), {}, [], needs_model=False)
    try:
        going = resumption.run
        still_open = [each for each in going.summary.trials.values() if not each.is_over]
        if still_open and not force:
            msg = (
                f"{len(still_open)} trials of {going.journal.path.stem} are open and would score 0; go on with "
                f"'controlplane resume {going.journal.path.stem}', or submit all the same with --force"
            )
            raise UsageError(msg)
        going.submit(force=force)
        code = going.close()
        view.report(going, None)
    finally:
        resumption.close()
    raise SystemExit(code)
