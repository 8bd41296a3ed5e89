"""Reads the runs that a comparison names: RUN, or RUN+RERUN for a run with the trials of its rerun in their place."""

from __future__ import annotations

from pathlib import Path

from controlplane.commands.options import find_journal
from controlplane.comparison.compared_trials import ComparedRun, compared_run
from controlplane.errors import UsageError


def read_run(name: str, runs_dir: str | None) -> ComparedRun:
    """Return the run that `name` names. Raises `UsageError`, `JournalDamaged`."""
    return compared_run(paths_of(name, runs_dir))


def paths_of(name: str, runs_dir: str | None) -> list[Path]:
    """Return the journal that RUN names, or those of RUN+RERUN. Raises `UsageError`."""
    try:
        return [find_journal(name, runs_dir)]
    except UsageError:
        parts = name.split("+")
        if len(parts) == 1 or not all(parts):
            raise
    return [find_journal(each, runs_dir) for each in parts]
