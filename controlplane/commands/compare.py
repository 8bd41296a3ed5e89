"""`controlplane compare` says whether two runs differ beyond chance."""

from __future__ import annotations

import json
from pathlib import Path

import click

from controlplane.commands.arguments.options import (
    AS_JSON,
    JUNIT,
    RUNS_DIR,
    show_status,
)
from controlplane.configuration.run_names import find_journal
from controlplane.errors import UsageError
from controlplane.program_invocation import invocation
from controlplane.run_comparison.comparing import compare_runs, compared_run
from controlplane.terminal_text import say
from controlplane.view.printed_columns import CleanConsole
from controlplane.view.tables.comparison_table import (
    comparison_object,
    print_comparison,
)
from controlplane.view.tables.run_table import NextCommand, listed, print_next_commands


@click.command("compare")
@click.argument("first", metavar="RUN")
@click.argument("second", metavar="RUN")
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="List every task, not only the changed ones.",
)
@click.option(
    "--fail-if-worse",
    is_flag=True,
    help="Exit code 1 if the second run is worse beyond chance, or lacks scores that the first run has.",
)
@JUNIT
@RUNS_DIR
@AS_JSON
def compare_command(
    first: str,
    second: str,
    *,
    everything: bool,
    fail_if_worse: bool,
    junit: Path | None,
    runs_dir: str | None,
    as_json: bool,
) -> None:
    """Compare the second RUN with the first: better and worse tasks, the mean
    difference, cost, and the conclusion.

    Trials are paired by task and world. A difference is shown if at least 6 tasks
    changed and its 95 % interval, a paired bootstrap over tasks, excludes 0. RUN+RERUN
    replaces trials of a run by those of its rerun.
    """
    with show_status("reading the journals"):
        first_run = compared_run(_journals_of(first, runs_dir))
        second_run = compared_run(_journals_of(second, runs_dir))
        comparison = compare_runs(first_run, second_run)

    if junit:
        from controlplane.view.junit import cases_of_comparison, write_junit

        cases = cases_of_comparison(comparison)
        properties = {"before": comparison.first, "after": comparison.second}
        write_junit(junit, "comparison", cases, **properties)
    if as_json:
        print(json.dumps(comparison_object(comparison)))
    else:
        print_comparison(comparison, everything=everything)
        # The suggested command takes plain names: `report` does not know RUN+RERUN.
        has_reruns = "+" in first or "+" in second
        if comparison.tasks and not has_reruns:
            # Print the command that writes a page about both runs.
            folder_option = ("--runs-dir", runs_dir) if runs_dir else ()
            report = invocation(
                "report", first, second, *folder_option, "-o", "comparison.html"
            )
            command = NextCommand(report, "shows each trial beside the other")
            print_next_commands(CleanConsole(highlight=False), [command])
    if fail_if_worse:
        # Scores that the benchmark still hides (sealed) are not lost.
        lost_scores = () if comparison.is_sealed else comparison.lost_scores
        if lost_scores:
            tasks = listed(lost_scores)
            say(
                f"--fail-if-worse: without a score in the second run: {tasks}", err=True
            )
        elif not comparison.tasks:
            say("--fail-if-worse: no task has a score in both runs", err=True)
        if comparison.is_worse or lost_scores or not comparison.tasks:
            raise SystemExit(1)


def _journals_of(name: str, runs_dir: str | None) -> list[Path]:
    """Return the journal that RUN names, or those of RUN+RERUN. Raises `UsageError`.

    `"monday+rerun-1"` -> `[runs/monday.jsonl, runs/rerun-1.jsonl]`. A run's name may contain `+`, so the
    whole text is taken for a name first.
    """
    try:
        return [find_journal(name, runs_dir)]
    except UsageError:
        parts = name.split("+")
        if len(parts) == 1 or "" in parts:
            raise
    return [find_journal(part, runs_dir) for part in parts]
