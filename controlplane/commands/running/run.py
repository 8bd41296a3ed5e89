"""`controlplane run`: start a run, watch it, print what came of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from controlplane.commands.options import AS_JSON, JUNIT, QUIET
from controlplane.commands.running.fresh_run import FreshRun, see_through
from controlplane.commands.setting_options import given, run_options
from controlplane.commands.shell_words import complete_task
from controlplane.configuration.setting_sources import resolve
from controlplane.lifecycle.run_resources import RunSpec


@click.command("run")
@click.argument("tasks", nargs=-1, metavar="[TASK]...", shell_complete=complete_task)
@run_options
@click.option("--fail-under", type=click.FloatRange(0, 1), help="Exit code 1 if the mean score is lower, or unknown.")
@click.option("--fail-on", type=click.Choice(("fallback",)), help="Exit code 1 if a trial ended by its fallback.")
@JUNIT
@QUIET
@AS_JSON
def command(
    tasks: tuple[str, ...],
    *,
    fail_under: float | None,
    fail_on: str | None,
    junit: str | None,
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Run a benchmark: all of it, or the tasks (or families of tasks) named."""
    resolved = resolve(given(options), os.environ, Path.cwd())
    fresh = FreshRun(RunSpec(resolved.settings, tuple(resolved.profiles)), resolved.sources, tasks)
    ended = see_through(fresh, quiet=quiet, as_json=as_json)
    code = ended.exit_code
    if junit:
        from controlplane.view.junit_xml import cases_of_run, write_junit

        write_junit(Path(junit), resolved.settings.name or ended.path.stem, cases_of_run(ended.summary))
    if fail_under is not None and code == 0:
        code = _code_of_score(ended.summary.score, fail_under)
    if fail_on and code == 0 and (fallbacks := ended.summary.count("fallback")):
        click.echo(f"--fail-on fallback: {fallbacks} of {len(ended.summary.trials)} trials ended so", err=True)
        code = 1
    raise SystemExit(code)


def _code_of_score(score: float | None, least: float) -> int:
    """Return the exit code of --fail-under, and say why if it is not 0."""
    if score is None:
        click.echo("--fail-under: the scores are not out yet", err=True)
    elif score < least:
        click.echo(f"--fail-under: the mean score {score:.3f} is lower than {least:g}", err=True)
    return int(score is None or score < least)
