"""Click options that several commands have, and the journal that RUN names."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from controlplane.commands.shell_words import complete_run
from controlplane.commands.started_runs import last_run
from controlplane.configuration.runs_folder import runs_folder
from controlplane.errors import UsageError, did_you_mean
from controlplane.journal.journal_file import is_being_written, is_journal_name, journal_id, newest_first
from controlplane.journal.journal_index import name_in
from controlplane.lifecycle.next_commands import invocation, run_argument
from controlplane.view.display_text import one_line
from controlplane.view.runs_index import indexed_names

SHOWN_NAMES: Final = 5
"""Names of runs that are listed if none is near the one given."""
AS_JSON: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
QUIET: Final = click.option("--quiet", is_flag=True, help="Print only the result.")
JUNIT: Final = click.option("--junit", default=None, metavar="FILE", help="Also write the result as JUnit XML.")
RUNS_DIR: Final = click.option("--runs-dir", default=None, help="The folder of the journals.  [default: runs]")


def about_a_run(command: Callable[..., None]) -> Callable[..., None]:
    """Give `command` the argument RUN, whose journal it gets as its first argument, `--runs-dir` and `--json`."""

    @click.argument("run", metavar="RUN", shell_complete=complete_run)
    @RUNS_DIR
    @AS_JSON
    @functools.wraps(command)
    def with_journal(run: str, runs_dir: str | None, **options: Any) -> None:
        command(find_journal(run, runs_dir), **options)

    return with_journal


def find_journal(run: str, runs_dir: str | None) -> Path:
    """Return the journal that RUN names: a path, an id, a run's name, a unique beginning of an id, or `last`.

    Raises `UsageError`.
    """
    path = Path(run)
    if is_journal_name(path):
        return path
    folder = runs_folder(runs_dir)
    journals = newest_first(folder)
    if run == "last" and journals:
        last, reason = last_run(folder, journals)
        if sys.stderr.isatty():
            click.echo(f"last is {journal_id(last)}: {reason}", err=True)
        return last
    fitting = [each for each in journals if journal_id(each) == run]
    if not fitting:
        known = indexed_names(folder, journals)
        fitting = [each for each in journals if (known[each] if each in known else name_in(each)) == run]
    # Runs of that name come first, so that a command's output can be saved under a run's name.
    with contextlib.suppress(OSError):  # a name that is too long for a file can still be a run's
        if not fitting and path.is_file():
            return path
    if not journals:
        msg = f"no journals in {folder}; start a run first, or name the folder with --runs-dir"
        raise UsageError(msg)
    fitting = fitting or [each for each in journals if journal_id(each).startswith(run)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        msg = f"{run!r} fits several runs, the newest first: {', '.join(journal_id(each) for each in fitting[:5])}"
        raise UsageError(msg)
    names = [one_line(name) for each in journals[:20] for name in (name_in(each) or journal_id(each), journal_id(each))]
    msg = f"no run {run!r} in {folder}{did_you_mean(run, names, most=SHOWN_NAMES)}"
    raise UsageError(msg)


def refuse_if_running(path: Path) -> None:
    """Raise `UsageError` if another process conducts the run of the journal at `path`."""
    if is_being_written(path):
        follow = invocation("tail", run_argument(path))
        msg = f"another process is conducting the run {journal_id(path)}; wait for it, or follow it with: {follow}"
        raise UsageError(msg)
