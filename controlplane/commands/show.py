"""`controlplane runs`, `show` and `report`: list runs, print or follow one, write reports."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any, Final

import click
from rich.text import Text

from controlplane.commands.options import AS_JSON, RUNS_DIR, about_a_run, find_journal, show_status
from controlplane.configuration.run_settings import runs_folder
from controlplane.errors import NotAJournal, UsageError, as_usage_error, invocation
from controlplane.journal.journal_lines import LOOP_FILE, is_being_written, journal_id, newest_first
from controlplane.journal.journal_reader import Journal, glance_at, open_journal
from controlplane.terminal_text import say
from controlplane.view.display_text import (
    age_text,
    cost_or_dash,
    count_text,
    figure_texts,
    one_line,
    score_style,
    score_text,
)
from controlplane.view.report import CleanConsole, print_columns, print_next_commands, print_report
from controlplane.view.run_results import object_of, print_result
from sandbox.files import write_whole

NEWEST: Final = 20
"""Journals listed without --all."""


@click.command("runs")
@click.option("--all", "everything", is_flag=True, help=f"List every journal, not only the newest {NEWEST}.")
@RUNS_DIR
@AS_JSON
def runs_command(everything: bool, runs_dir: str | None, as_json: bool) -> None:
    """List journals, newest first, with name, benchmark, model, trials, score, cost, age, and how each ended."""
    folder = runs_folder(runs_dir)
    paths = newest_first(folder)
    shown = paths if everything or as_json else paths[:NEWEST]
    with show_status("reading journals"):
        runs = [object_of(path) for path in shown]
    if as_json:
        print(json.dumps(runs))
        return
    _print_runs(runs, folder, len(paths) - len(shown))
    for run in runs:
        if run["ended"] in FAULTS:
            say(run["error"], err=True)


FAULTS: Final = ("damaged", "no journal")
"""Ends of files that cannot be read as journals."""
STAMP: Final = len("20261120-071410")
"""Characters of a journal's id that give the start of its run."""
COLUMNS: Final = ("run", "benchmark", "model", "trials", "score", "cost", "age", "ended")
ENDED_STYLES: Final = {"finished": "green", "running": "cyan", "damaged": "red", "no journal": "red"}


def _print_runs(runs: Sequence[Mapping[str, Any]], folder: Path, older: int) -> None:
    console = CleanConsole(highlight=False)
    where = () if os.fspath(folder) == "runs" else ("--runs-dir", str(folder))
    if not runs:
        start = invocation("run", *where)
        console.print(f"no journals in {folder}; start a run with: {start}", soft_wrap=True, markup=False)
        return
    # Each is named by the shortest unique name that RUN accepts: its name, its start time, or its id.
    names = Counter(run["name"] for run in runs if run["name"])
    stamps = Counter(run["run"][:STAMP] for run in runs)
    rows = []
    for run in runs:
        run_id, stamp = run["run"], run["run"][:STAMP]
        rows.append(_row(run, run["name"] if names[run["name"]] == 1 else stamp if stamps[stamp] == 1 else run_id))
    has_costs = any(run["cost_usd"] != 0 for run in runs)
    heads = [name for name in COLUMNS if has_costs or name != "cost"]
    shown = [[text for name, text in zip(COLUMNS, row, strict=True) if name in heads] for row in rows]
    least = {"run": STAMP, "benchmark": 1, "model": 1}
    print_columns(heads, shown, least=least, right=("trials", "score", "cost", "age"))
    if older:
        console.print(Text(f"and {older} older: {invocation('runs', '--all', *where)}"), soft_wrap=True, style="dim")
    if console.is_terminal:  # A pipe has the rows alone.
        newest, two = rows[0][0].plain, invocation("compare", "RUN", "RUN", *where)
        print_next_commands(console, [(invocation("show", newest, *where), "shows the newest"), (two, "compares two")])


def _row(run: Mapping[str, Any], name: str) -> list[Text]:
    ended = Text(run["ended"], style=ENDED_STYLES.get(run["ended"], "yellow"))
    if run["ended"] in FAULTS:
        return [Text(name), *(Text("-", style="dim") for _ in range(6)), ended]
    over, total = run["trials_over"], run["trials_total"]
    return [
        Text(one_line(name)),
        Text(one_line(run["played"])),
        Text(one_line(run["model"])),
        Text(f"{over}/{total}" if over < total else f"{over}"),
        Text(score_text(run["score"], 3), style=score_style(run["score"])),
        Text(cost_or_dash(run["cost_usd"])),
        Text(age_text(time.time() - run["last_event_ms"] / 1000)),
        ended,
    ]


@click.command("show")
@partial(about_a_run, loops=True)
@click.option("--all", "everything", is_flag=True, help="List every trial, not only the worst.")
@click.option("--follow", is_flag=True, help="First wait until the run ends.")
def show_command(path: Path, everything: bool, follow: bool, as_json: bool) -> None:
    """Print the result of RUN: its trials, worst first, its score, and the commands to type next.

    --follow first shows how far a run is that another process conducts, until the run is closed or its process is gone;
    `view` shows its steps. With --json it prints only the events, each a line of JSON with its texts inserted. The id
    of a loop of `improve` gives the result of the loop.
    """
    if path.name == LOOP_FILE:
        from controlplane.commands.improve import LoopRecord, print_loop

        print_loop(LoopRecord(path.parent), as_json=as_json)
        return
    if follow:
        _follow(path, as_json=as_json)
        if as_json:
            return
    print_run(path, everything=everything, as_json=as_json)


def print_run(path: Path, *, everything: bool, as_json: bool) -> None:
    """Print the result of the run of the journal at `path`, and before it the answer to a question."""
    is_running = is_being_written(path)
    with show_status("reading the journal"):
        summary = glance_at(path)
    if not is_running:
        summary.mark_stopped()
    if as_json:
        print_result(summary, path)
        return
    is_question = summary.opened is not None and summary.opened.played.startswith(QUESTION)
    if is_question and summary.closed and len(summary.trials) == 1:
        _print_answer(path)
    print_report(summary, path, everything=everything, is_running=is_running)


def _print_answer(path: Path) -> None:
    """Print the answer to a question as `ask` did, its claims marked."""
    from controlplane.view.asked_answer import answer_text, asked_answer  # It imports rules.

    with open_journal(path) as journal:
        answer = asked_answer(journal, Path(str(journal.setting("benchmark")).partition(":")[2]))
        say(f"{answer_text(answer)}\n", is_styled=True)


QUESTION: Final = "files:"
"""The beginning of what a run of a question plays."""


def _follow(path: Path, *, as_json: bool) -> None:
    """Show how far the run is, or print each event as it comes, until the run is closed or its process is gone."""
    journal = Journal(path)
    summary = journal.summary
    with nullcontext() if as_json else show_status("following the run") as tell:
        is_new = True  # A new journal may still be empty and unlocked.
        while True:
            # Check before reading, so that no event written in between is missed.
            is_followed = is_being_written(path)
            for event in journal.read_on():
                summary.fold(event)
                if as_json:
                    print(json.dumps(event.model_dump(mode="python")), flush=True)
            if tell is not None:
                over = f"{summary.over} of {count_text(len(summary.trials), 'trial')} over"
                tell(", ".join((over, *figure_texts(summary))))
            if summary.closed or not (is_followed or (is_new and summary.opened is None)):
                break
            is_new = False
            time.sleep(0.2)
    if summary.opened is None:
        msg = f"{path} is not a journal: it holds no whole line of one"
        raise NotAJournal(msg)
    if not summary.closed:
        say("the process of this run is gone; the journal ends here", err=True)


@click.command("report")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option("-o", "--output", "output", required=True, metavar="FILE.html", help="The file to write.")
@RUNS_DIR
@AS_JSON
def report_command(runs: tuple[str, ...], output: str, runs_dir: str | None, as_json: bool) -> None:
    """Write an HTML report of one RUN, or of several side by side, in one file that opens offline.

    It shows totals, failures, rejections by gate, and a page for each trial; for several runs also a heat map of tasks
    and runs. The id of a loop of `improve` gives the page of the loop.
    """
    target = Path(output)
    if target.suffix.lower() not in (".html", ".htm"):
        msg = f"-o takes an HTML file's name, such as report.html, not {output!r}"
        raise UsageError(msg)
    paths = [find_journal(run, runs_dir, loops=True) for run in runs]
    loops = [path for path in paths if path.name == LOOP_FILE]
    if loops and len(paths) > 1:
        msg = f"{journal_id(loops[0])} is a loop, which has a page of its own; name it alone"
        raise UsageError(msg)
    if loops:
        from controlplane.improve import loop_page  # slow to import

        report = loop_page(loops[0])
    else:
        from controlplane.report.report_file import report_html  # slow to import

        with show_status("reading the trials"):
            report = report_html(paths)
    content = report.html.encode()
    with as_usage_error(f"cannot write {target}", OSError):
        write_whole(target, content)
    if as_json:
        print(json.dumps({"file": str(target), "bytes": len(content), "runs": report.runs, "trials": report.trials}))
        return
    counts = f"{count_text(report.trials, 'trial')} of {count_text(report.runs, 'run')}"
    say(f"report   {target} ({len(content) / 1_000_000:.1f} MB, {counts})")
