"""Reads the runs that a comparison names: RUN, or RUN+RERUN for a run with the trials of its rerun in their place."""

from __future__ import annotations

from controlplane.commands.options import find_journal
from controlplane.comparison.compared_trials import ComparedRun, compared_run
from controlplane.errors import UsageError


def read_run(name: str, runs_dir: str | None) -> ComparedRun:
    """Return the run that `name` names. Raises `UsageError`, `JournalDamaged`."""
    try:
        return compared_run([find_journal(name, runs_dir)])
    except UsageError:
        first, *others = name.split("+")
        if not others or not all((first, *others)):
            raise
    return compared_run([find_journal(each, runs_dir) for each in (first, *others)])
