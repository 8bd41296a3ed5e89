"""`controlplane compare`: say whether two runs differ beyond chance."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import click

from controlplane.commands.compared_runs import read_run
from controlplane.commands.options import AS_JSON, JUNIT, RUNS_DIR
from controlplane.commands.shell_words import complete_run
from controlplane.comparison.run_comparison import Comparison, compare_runs, effects_text, gate_effects
from controlplane.view.progress_bar import progress_bar


@click.command("compare")
@click.argument("first", metavar="RUN", shell_complete=complete_run)
@click.argument("second", metavar="RUN", shell_complete=complete_run)
@click.option("--all", "everything", is_flag=True, help="List every task, not only those that changed.")
@click.option(
    "--fail-if-worse",
    is_flag=True,
    help="End with exit code 1 if the second run is worse beyond chance, or lacks scores that the first has.",
)
@JUNIT
@RUNS_DIR
@AS_JSON
def command(  # noqa: PLR0913 - one parameter for each option
    first: str,
    second: str,
    *,
    everything: bool,
    fail_if_worse: bool,
    junit: str | None,
    runs_dir: str | None,
    as_json: bool,
) -> None:
    """Compare the second RUN with the first: tasks better and worse, the mean difference, its cost, and what it shows.

    Trials are paired by task and world. The interval of the difference is a bootstrap over tasks, p comes from a
    permutation test. RUN+RERUN takes the trials of a rerun in place of those of its run. Where only one run has
    rejections, a table shows what followed those of each gate.
    """
    with progress_bar("reading the journals") as on_progress:
        runs = []
        for number, name in enumerate((first, second), start=1):
            runs.append(read_run(name, runs_dir))
            on_progress(number, 2)
    found = compare_runs(*runs)
    effects = gate_effects(*runs)
    if junit:
        from controlplane.view.junit_xml import cases_of_comparison, write_junit

        write_junit(Path(junit), f"{found.first} → {found.second}", cases_of_comparison(found))
    if as_json:
        by_gate = {name: dataclasses.asdict(effect) for name, effect in effects.items()}
        print(json.dumps({**comparison_object(found), "gate_effects": by_gate}))
    else:
        from controlplane.view.comparison_text import print_comparison

        print_comparison(found, everything=everything)
        if effects:
            print(f"\n{effects_text(effects)}")
    if fail_if_worse:
        _fail_if_worse(found)


def _fail_if_worse(found: Comparison) -> None:
    """End the command with exit code 1 if the second run is worse, or if that cannot be told."""
    lost = () if found.is_sealed else found.lost_scores
    if lost:
        click.echo(f"--fail-if-worse: without a score in the second run: {', '.join(lost[:6])}", err=True)
    elif not found.tasks:
        click.echo("--fail-if-worse: no task has a score in both runs", err=True)
    if found.is_worse or lost or not found.tasks:
        raise SystemExit(1)


def comparison_object(found: Comparison) -> dict[str, object]:
    """Return the comparison as plain JSON types."""
    told = dataclasses.asdict(found)
    told["tasks"] = [{**dataclasses.asdict(each), "change": each.change} for each in found.tasks]
    return {**told, "is_shown": found.is_shown, "is_worse": found.is_worse}
