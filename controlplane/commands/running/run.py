"""`controlplane run`: start a run, watch it, print what came of it."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from controlplane.commands.options import AS_JSON, JUNIT, QUIET, given, run_options
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
@click.option("--fail-under", type=click.FloatRange(0, 1), help="Exit code 1 if the mean score is lower, or unknown.")
@JUNIT
@QUIET
@AS_JSON
def command(
    tasks: tuple[str, ...],
    *,
    fail_under: float | None,
    junit: str | None,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Run a benchmark: all of it, or the tasks (or families of tasks) named."""
    resolved = resolve(given(options), os.environ, Path.cwd())
    settings = resolved.settings
    with RunResources(RunSpec(settings, tuple(resolved.profiles))) as resources:
        resources.describe()  # before the model, whose client is imported meanwhile
        path = journal_path(settings.runs_dir, new_run_id(settings.benchmark))
        what = f"asking {settings.model} for a first word; it has {settings.model_timeout:g} s (--model-timeout)"
        with nullcontext() if quiet or as_json else waiting_notice(what):
            notices = resources.check_model()
        resources.check_walls()
        with JournalWriter(path, create=True) as journal:
            view = RunView(quiet=quiet, as_json=as_json)
            run = Run(resources, journal)

            def begin() -> None:
                run.start(resolved.sources, tasks)
                run.tell(notices)

            code = conduct(run, view, begin)
    if junit:
        from controlplane.view.junit_xml import cases_of_run, write_junit

        write_junit(Path(junit), settings.name or path.stem, cases_of_run(run.summary))
    if fail_under is not None and code == 0:
        code = _code_of_score(run.summary.score, fail_under)
    raise SystemExit(code)


def _code_of_score(score: float | None, least: float) -> int:
    """Return the exit code of --fail-under, and say why if it is not 0."""
    if score is None:
        click.echo("--fail-under: the scores are not out yet", err=True)
    elif score < least:
        click.echo(f"--fail-under: the mean score {score:.3f} is lower than {least:g}", err=True)
    return int(score is None or score < least)
