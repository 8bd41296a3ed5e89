"""Commands that show what is recorded: `runs`, `show`, `view`, `replay` and `report`."""

from __future__ import annotations

import dataclasses
import json
import os
import secrets
import socket
import sys
import threading
import time
import webbrowser
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from rich.console import Console
from rich.text import Text

from controlplane.commands.options import (
    AS_JSON,
    RUNS_DIR,
    TRUST,
    about_a_run,
    find_journal,
    show_status,
)
from controlplane.configuration.run_settings import runs_folder
from controlplane.errors import NotAJournal, ReplayDiverged, UsageError, as_usage_error, invocation
from controlplane.journal.journal_lines import LOOP_FILE, is_being_written, journal_id, newest_first
from controlplane.journal.journal_reader import Journal, glance_at, open_journal
from controlplane.sandbox.files import write_whole
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import (
    age_text,
    cost_or_dash,
    count_text,
    figure_texts,
    one_line,
    say,
    score_style,
    score_text,
)
from controlplane.view.report import CleanConsole, print_columns, print_next_commands, print_report
from controlplane.view.run_results import object_of, print_result
from controlplane.view.trial_pages import (
    find_step,
    pages_of,
    print_page,
    step_object,
    trial_object,
    walk_through,
)

if TYPE_CHECKING:
    from controlplane.sandbox import Layer


@click.command("runs")
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help=f"List every journal, not only the newest {bounds.SHOWN_ROWS}.",
)
@RUNS_DIR
@AS_JSON
def runs_command(everything: bool, runs_dir: str | None, as_json: bool) -> None:
    """List journals, newest first, with name, benchmark, model, trials, score, cost, age, and how each ended."""
    folder = runs_folder(runs_dir)
    paths = newest_first(folder)
    shown = paths if everything or as_json else paths[: bounds.SHOWN_ROWS]
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
ENDED_STYLES: Final = {
    "finished": "green",
    "running": "cyan",
    "damaged": "red",
    "no journal": "red",
}


def _print_runs(runs: Sequence[Mapping[str, Any]], folder: Path, older: int) -> None:
    console = CleanConsole(highlight=False)
    where = () if os.fspath(folder) == "runs" else ("--runs-dir", str(folder))
    if not runs:
        start = invocation("run", *where)
        console.print(
            f"no journals in {folder}; start a run with: {start}", soft_wrap=True, markup=False
        )
        return
    # Each is named by the shortest unique name that RUN accepts: its name, its start time, or its id.
    names = Counter(run["name"] for run in runs if run["name"])
    stamps = Counter(run["run"][:STAMP] for run in runs)
    rows = []
    for run in runs:
        run_id, stamp = run["run"], run["run"][:STAMP]
        rows.append(
            _row(
                run,
                run["name"] if names[run["name"]] == 1 else stamp if stamps[stamp] == 1 else run_id,
            )
        )
    has_costs = any(run["cost_usd"] != 0 for run in runs)
    heads = [name for name in COLUMNS if has_costs or name != "cost"]
    shown = [
        [text for name, text in zip(COLUMNS, row, strict=True) if name in heads] for row in rows
    ]
    least = {"run": STAMP, "benchmark": 1, "model": 1}
    print_columns(heads, shown, least=least, right=("trials", "score", "cost", "age"))
    if older:
        console.print(
            Text(f"and {older} older: {invocation('runs', '--all', *where)}"),
            soft_wrap=True,
            style="dim",
        )
    if console.is_terminal:  # A pipe has the rows alone.
        newest, two = rows[0][0].plain, invocation("compare", "RUN", "RUN", *where)
        print_next_commands(
            console,
            [(invocation("show", newest, *where), "shows the newest"), (two, "compares two")],
        )


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
        from controlplane.commands.improve import Loop, print_loop

        print_loop(Loop(path.parent), as_json=as_json)
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
@click.option(
    "-o", "--output", "output", required=True, metavar="FILE.html", help="The file to write."
)
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
        from controlplane.report.run_pages import report_html  # slow to import

        with show_status("reading the trials"):
            report = report_html(paths)
    content = report.html.encode()
    with as_usage_error(f"cannot write {target}", OSError):
        write_whole(target, content)
    if as_json:
        print(
            json.dumps(
                {
                    "file": str(target),
                    "bytes": len(content),
                    "runs": report.runs,
                    "trials": report.trials,
                }
            )
        )
        return
    counts = f"{count_text(report.trials, 'trial')} of {count_text(report.runs, 'run')}"
    say(f"report   {target} ({len(content) / 1_000_000:.1f} MB, {counts})")


@click.command("view")
@click.argument("target", metavar="[DIR|RUN]", required=False)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="The port.  [default: a free one]"
)
@click.option("--no-open", is_flag=True, help="Print the address and open no browser.")
@RUNS_DIR
def view_command(target: str | None, port: int, no_open: bool, runs_dir: str | None) -> None:
    """Show runs in the browser while they happen: all of a folder, or RUN alone, every step a click away.

    The pages are served to this machine only, and change nothing. The first address holds a token that becomes a
    cookie. Ctrl-C ends it.
    """
    try:
        import uvicorn

        from controlplane.report.view_server import Pages, WatchedFolder
    except ModuleNotFoundError as error:
        msg = f"view needs {error.name}: pip install 'grounded-control-plane[view]'"
        raise UsageError(msg) from error
    if target is not None and "/" in target and not Path(target).exists():
        msg = f"there is no folder or journal {target}"
        raise UsageError(msg)
    only = None if target is None or Path(target).is_dir() else find_journal(target, runs_dir)
    folder = Path(target) if target is not None and only is None else runs_folder(runs_dir)
    watched = WatchedFolder(only.parent if only else folder, only)
    try:
        listening = socket.create_server(("127.0.0.1", port))
    except OSError as error:
        msg = f"cannot listen on port {port} of 127.0.0.1: {error.strerror}; choose another with --port"
        raise UsageError(msg) from error
    port, token = listening.getsockname()[1], secrets.token_urlsafe(24)
    # What the server yields to runs beside it.
    os.nice(5)
    path = f"/runs/{next(iter(watched.runs))}" if only else "/"
    address = f"http://127.0.0.1:{port}{path}?token={token}"
    from controlplane.terminal_text import say

    say(f"view     {address}\n         Ctrl-C ends it")
    sys.stdout.flush()
    if not no_open:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    config = uvicorn.Config(
        Pages(watched, _page_of_loop).app(token, port),
        log_level="error",
        access_log=False,
        server_header=False,
        limit_concurrency=64,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=16 << 10,
    )
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])


def _page_of_loop(path: Path) -> str:
    from controlplane.improve import loop_page  # slow to import

    return loop_page(path).html


@click.command("replay")
@about_a_run
@click.option(
    "--trial",
    "trial",
    default="",
    help="One trial: its id, its task id, or the beginning of either.",
)
@click.option(
    "--step",
    "step",
    type=int,
    default=None,
    help="Print one step of that trial; 0 is the initial prompt.",
)
@click.option(
    "--verify",
    "verifying",
    is_flag=True,
    help="Run the scripts again on the recorded results and compare.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="With --verify: exit code 5 also for differences under another version of the gates.",
)
@click.option(
    "--isolation",
    default=None,
    help="Isolation layers that --verify requires; default: those of the settings.",
)
@TRUST
def replay_command(
    path: Path,
    *,
    trial: str,
    step: int | None,
    verifying: bool,
    strict: bool,
    isolation: str | None,
    is_trusted: bool,
    as_json: bool,
) -> None:
    """Show what happened in RUN (a path, an id, the unique beginning of an id, or `last`).

    Without --trial it prints what `show --all` does. With --trial on a terminal it steps through the trial, from its
    question to its end, a page for each key: n next, p back, r next rejection, t next trial, q quit. Pages there are
    folded; --step prints a whole one, and in a pipe it prints the whole trial.

    Anyone may have written the scripts of a journal: --verify runs them only in the isolation of your
    settings, whatever the run had.
    """
    if (step is not None and not trial) or (strict and not verifying):
        msg = "--strict needs --verify" if trial or step is None else "--step needs --trial"
        raise UsageError(msg)
    if not trial and not verifying:
        print_run(path, everything=True, as_json=as_json)
        return
    with show_status("reading the journal"):
        journal = open_journal(path)
    with journal:
        if verifying:
            from controlplane.replay.verification import replay_isolation

            chosen = (
                [journal.find_trial(trial)]
                if trial
                else [begun.trial_id for begun in journal.trials.values() if begun.has_begun]
            )
            _verify(
                journal,
                chosen,
                replay_isolation(isolation),
                is_trusted=is_trusted,
                strict=strict,
                as_json=as_json,
            )
        else:
            _replay(journal, journal.find_trial(trial), step, as_json=as_json)


def _replay(journal: Journal, trial_id: str, step: int | None, *, as_json: bool) -> None:
    if as_json:
        print(
            json.dumps(
                trial_object(journal, trial_id)
                if step is None
                else step_object(journal, trial_id, step)
            )
        )
    elif step is not None:
        print_page(find_step(journal, trial_id, step))
    elif sys.stdout.isatty() and sys.stdin.isatty() and Console().is_interactive:
        walk_through(journal, trial_id)
    else:
        for page in pages_of(journal.trials[trial_id]):
            print_page(page)


def _verify(
    journal: Journal,
    trials: list[str],
    isolation: frozenset[Layer],
    *,
    is_trusted: bool,
    strict: bool,
    as_json: bool,
) -> None:
    from controlplane.replay.verification import COMPARED, UNMARKED, only_marked, verify

    with show_status("running the scripts again"):
        verification = verify(journal, trials, isolation=isolation, is_trusted=is_trusted)
    counted = (
        f"{count_text(verification.trials, 'trial')}, {count_text(verification.steps, 'step')}"
    )
    differences = verification.differences
    text = f"{counted}: everything is as recorded"
    if differences:
        versions = " and ".join(verification.other_versions)
        text += f" except for {count_text(len(differences), 'step')}, under another version of {versions}"
    if verification.left_out:
        text += f"; not compared: {'; '.join(verification.left_out)}"
    is_closed = bool(journal.summary.closed)
    if journal.is_torn:
        text += "; the last line was cut off while it was written"
    elif not is_closed:
        text += "; the journal ends before the run was closed"
    if as_json:
        fields = dataclasses.asdict(verification)
        compared = {name: words.split() for name, words in COMPARED.items()}
        covered = {"compared": compared, "only_marked": only_marked()}
        print(json.dumps({"agrees": not differences, **fields, "closed": is_closed, **covered}))
    else:
        fields_compared = ", ".join(
            f"{name} ({words.replace(' ', ', ')})" for name, words in COMPARED.items()
        )
        rest = (
            f"not verified, as {verification.unmarked}"
            if verification.unmarked
            else "not recomputed; protected only by your signature"
        )
        say("\n".join((*differences, text)))
        CleanConsole(highlight=False).print(
            Text(f"compared: {fields_compared}\n{rest}: {UNMARKED}")
        )
    if strict and differences:
        raise SystemExit(ReplayDiverged.exit_code)
