"""`controlplane report`: write an HTML report of runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from controlplane.commands.arguments.options import AS_JSON, RUNS_DIR, show_status
from controlplane.configuration.run_names import find_journal
from controlplane.errors import UsageError, as_usage_error
from controlplane.journal.journal_files import LOOP_FILE, journal_id
from controlplane.quantity_texts import count_text
from controlplane.sandbox.files import write_whole
from controlplane.terminal_text import say

if TYPE_CHECKING:
    from controlplane.report.run_report import Report


@click.command("report")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    "output",
    required=True,
    metavar="FILE.html",
    help="The file to write.",
)
@RUNS_DIR
@AS_JSON
def report_command(
    runs: tuple[str, ...], output: str, runs_dir: str | None, as_json: bool
) -> None:
    """Write an HTML report of one RUN, or of several side by side, in one file that
    opens offline.

    It shows totals, failures, rejections by gate, and a page for each trial; for
    several runs also a heat map of tasks and runs. The id of a loop of `improve` gives
    the page of the loop.
    """
    target = Path(output)
    if target.suffix.lower() not in (".html", ".htm"):
        msg = f"-o takes an HTML file's name, such as report.html, not {output!r}"
        raise UsageError(msg)
    report = _report([find_journal(run, runs_dir, loops=True) for run in runs])
    # The pieces of a report are made while it is written, and many of them read trials again.
    with (
        show_status("reading the trials"),
        as_usage_error(f"cannot write {target}", OSError),
    ):
        write_whole(target, (piece.encode() for piece in report.pieces))

    size = target.stat().st_size
    if as_json:
        written = {
            "file": str(target),
            "bytes": size,
            "runs": report.runs,
            "trials": report.trials,
        }
        print(json.dumps(written))
        return
    counts = f"{count_text(report.trials, 'trial')} of {count_text(report.runs, 'run')}"
    say(f"report   {target} ({size / 1_000_000:.1f} MB, {counts})")


def _report(paths: list[Path]) -> Report:
    """Return the report of runs, or of a loop of `improve`."""
    loops = [path for path in paths if path.name == LOOP_FILE]
    if not loops:
        from controlplane.report.run_report import run_report  # slow to import

        with show_status("reading the trials"):
            return run_report(paths)
    if len(paths) > 1:
        msg = f"{journal_id(loops[0])} is a loop, which has a page of its own; name it alone"
        raise UsageError(msg)
    from controlplane.improving.loop_page import loop_page  # slow to import

    return loop_page(loops[0])
