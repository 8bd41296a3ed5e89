"""`controlplane run`: start a run, watch it, print what came of it."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from controlplane.cluster.workers_setting import workers_opener
from controlplane.commands.options import AS_JSON, QUIET, given, run_options
from controlplane.commands.running.session import conduct
from controlplane.configuration.setting_sources import resolve
from controlplane.journal.journal_writer import JournalWriter
from controlplane.lifecycle.run_lifecycle import Run, journal_path, new_run_id
from controlplane.lifecycle.run_resources import RunResources, RunSpec
from controlplane.view import RunView
from controlplane.view.progress.waiting_notice import waiting_notice


@click.command("run")
@click.argument("tasks", nargs=-1, metavar="[TASK]...")
@run_options
@QUIET
@AS_JSON
def command(tasks: tuple[str, ...], quiet: bool, as_json: bool, **options: Any) -> None:
    """Run a benchmark: all of it, or the tasks (or families of tasks) named."""
    resolved = resolve(given(options), os.environ, Path.cwd())
    settings = resolved.settings
    open_workers = workers_opener(settings)
    with RunResources(RunSpec(settings, tuple(resolved.profiles))) as resources:
        resources.describe()  # before the model, whose client is imported meanwhile
        path = journal_path(settings.runs_dir, new_run_id(settings.benchmark))
        what = f"asking {settings.model} for a first word; it has {settings.model_timeout:g} s (--model-timeout)"
        with nullcontext() if quiet or as_json else waiting_notice(what):
            notices = resources.check_model()
        resources.check_walls()
        with JournalWriter(path, create=True) as journal:
            view = RunView(quiet=quiet, as_json=as_json)
            run = Run(resources, journal, open_workers=open_workers)

            def begin() -> None:
                run.start(resolved.sources, tasks)
                run.tell(notices)

            code = conduct(run, view, begin)
    raise SystemExit(code)
