"""`controlplane run`: start a run, watch it, print what came of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from controlplane.commands.options import AS_JSON, QUIET, given, run_options
from controlplane.commands.running.session import conduct
from controlplane.configuration.setting_sources import resolve
from controlplane.journal.journal_writer import JournalWriter
from controlplane.lifecycle.run_lifecycle import Run, journal_path, new_run_id
from controlplane.lifecycle.run_resources import RunResources, RunSpec
from controlplane.view import RunView


@click.command("run")
@click.argument("tasks", nargs=-1, metavar="[TASK]...")
@run_options
@QUIET
@AS_JSON
def command(tasks: tuple[str, ...], quiet: bool, as_json: bool, **options: Any) -> None:
    """Run a benchmark: all of it, or the tasks (or families of tasks) named."""
    resolved = resolve(given(options), os.environ, Path.cwd())
    settings = resolved.settings
    with RunResources(RunSpec(settings, tuple(resolved.profiles))) as resources:
        resources.describe()
        path = journal_path(settings.runs_dir, new_run_id(settings.benchmark))
        resources.check_walls()
        with JournalWriter(path, create=True) as journal:
            view = RunView(quiet=quiet, as_json=as_json)
            run = Run(resources, journal)
            code = conduct(run, view, lambda: run.start(resolved.sources, tasks))
    raise SystemExit(code)
