"""`controlplane sweep` plays variations of a run side by side and compares them with it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from controlplane.commands.arguments.options import (
    AS_JSON,
    QUIET,
    show_status,
    tool_options,
)
from controlplane.commands.arguments.setting_options import settings_options
from controlplane.configuration.model_settings import Use
from controlplane.configuration.run_settings import settings_with
from controlplane.journal.journal_reader import glance_at
from controlplane.lifecycle.run_plan import RunPlan
from controlplane.quantity_texts import count_text
from controlplane.run_comparison.comparing import (
    ComparedRun,
    compare_runs,
    compared_run,
)
from controlplane.sweep import play_sweep, read_sweep
from controlplane.terminal_text import one_line, say
from controlplane.view.tables.comparison_table import (
    comparison_object,
    print_comparison,
)


@click.command("sweep")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--dry-run", is_flag=True, help="List the runs and stop.")
@settings_options(*settings_with(Use.SPENDING))
@tool_options
@QUIET
@AS_JSON
def sweep_command(
    file: Path,
    *,
    dry_run: bool,
    quiet: bool,
    as_json: bool,
    tools: dict[str, Any],
    **limits: Any,
) -> None:
    """Run the base and every variation in FILE, each with its own journal, and compare
    each variation with the base.

    All runs play at the same time, so that whatever changes meanwhile meets all of
    them; `concurrency` is shared. A second call keeps finished runs and continues the
    others. FILE is TOML: `name`, `tasks`, `[base]` with settings, `[axes]` with lists
    of values, played in every combination, and `[[runs]]` with settings of their own.
    Limits given as options apply to each run and override the file's.
    """
    caps = {name: value for name, value in limits.items() if value is not None}
    plan = read_sweep(file, caps=caps, tools=tools)
    if dry_run:
        for label, run in plan.items():
            say(f"{run.run_id}  {label}")
        return

    with show_status("playing") as set_status:

        def show_progress(over: int, total: int) -> None:
            if not quiet and not as_json:
                set_status(f"playing: {over} of {count_text(total, 'trial')} over")

        exit_code = play_sweep(plan, file, show_progress)
    _print_recorded(plan, as_json=as_json)
    raise SystemExit(exit_code)


def _print_recorded(plan: Mapping[str, RunPlan], *, as_json: bool) -> None:
    """Print the comparison of the runs that have journals, if there are any.

    `plan` has the runs of the sweep by label: `{"base": …, "model=b": …}`. Some may not have begun.
    """
    runs = {}
    submitted = []
    for label, run in plan.items():
        if run.path.exists():
            runs[label] = compared_run([run.path])
            submitted.append(glance_at(run.path).submitted)
    if runs:
        is_finished = len(runs) == len(plan) and all(submitted)
        _print_sweep(runs, is_finished=is_finished, as_json=as_json)


def _print_sweep(
    runs: Mapping[str, ComparedRun], *, is_finished: bool, as_json: bool
) -> None:
    """Print each variation compared with the base, as `compare` does."""
    base, *variations = runs  # labels; the base is the first run of a sweep
    if as_json:
        rows = []
        for label, run in runs.items():
            row: dict[str, object] = {"label": label, "journal": str(run.path)}
            row |= comparison_object(compare_runs(runs[base], run))
            rows.append(row)
        print(json.dumps({"finished": is_finished, "runs": rows}))
        return
    for label in variations:
        say(click.style(one_line(label), bold=True), is_styled=True)
        print_comparison(compare_runs(runs[base], runs[label]))
        say()
