"""Commands that show what is recorded: `runs`, `show`, `view`, `replay` and
`report`."""

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
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console
from rich.text import Text

from controlplane.commands.options import (
    AS_JSON,
    RUNS_DIR,
    TRUST,
    about_a_run,
    about_a_run_or_loop,
    show_status,
)
from controlplane.configuration.config_file import runs_folder
from controlplane.errors import (
    NotAJournal,
    ReplayDiverged,
    UsageError,
    as_usage_error,
    invocation,
)
from controlplane.journal.journal_files import (
    LOOP_FILE,
    is_being_written,
    journal_id,
    newest_first,
)
from controlplane.journal.journal_reader import Journal, glance_at, open_journal
from controlplane.journal.run_summary import RunSummary
from controlplane.run_names import find_journal
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
from controlplane.view.clean_console import CleanConsole, print_columns
from controlplane.view.next_commands import NextCommand
from controlplane.view.run_results import (
    DAMAGED,
    NO_JOURNAL,
    RunResult,
    print_result,
    run_result_of_file,
)
from controlplane.view.run_table import print_next_commands, print_run_table
from controlplane.view.trial_walk import (
    find_step,
    print_page,
    print_trial,
    step_object,
    trial_object,
    walk_through,
)

if TYPE_CHECKING:
    from controlplane.replay.verification import Verification
    from controlplane.sandbox import Layer


# --- runs ---


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
    """List journals, newest first, with name, benchmark, model, trials, score, cost,
    age, and how each ended."""
    folder = runs_folder(runs_dir)
    paths = newest_first(folder)
    shown = paths
    if not everything and not as_json:
        shown = paths[: bounds.SHOWN_ROWS]
    with show_status("reading journals"):
        runs = [run_result_of_file(path) for path in shown]

    if as_json:
        print(json.dumps([dataclasses.asdict(run) for run in runs]))
        return
    _print_runs(runs, folder, older=len(paths) - len(shown))
    for run in runs:
        if not run.is_readable:
            say(run.error, err=True)


START_CHARS: Final = len("20261120-071410")
"""The length of the start time with which a journal's id begins."""
ENDED_STYLES: Final = {
    "finished": "green",
    "running": "cyan",
    DAMAGED: "red",
    NO_JOURNAL: "red",
}


def _print_runs(runs: Sequence[RunResult], folder: Path, older: int) -> None:
    """Print the table of runs; `older` are not in it."""
    console = CleanConsole(highlight=False)
    # The suggested commands name the folder, unless it is the default.
    folder_option = ["--runs-dir", str(folder)]
    if os.fspath(folder) == "runs":
        folder_option = []
    if not runs:
        start = invocation("run", *folder_option)
        text = f"no journals in {folder}; start a run with: {start}"
        console.print(text, soft_wrap=True, markup=False)
        return

    names = _shortest_names(runs)
    heads = ["run", "benchmark", "model", "trials", "score", "age", "ended"]
    has_costs = any(run.cost_usd != 0 for run in runs)
    if has_costs:
        heads.insert(heads.index("age"), "cost")
    rows = []
    for run, name in zip(runs, names, strict=True):
        cells = _run_cells(run, name)
        rows.append([cells.get(head, UNKNOWN_CELL) for head in heads])
    # On a narrow terminal these columns are cut, at most to this number of characters.
    narrowest = {"run": START_CHARS, "benchmark": 1, "model": 1}
    print_columns(
        heads,
        rows,
        narrowest=narrowest,
        right_aligned=("trials", "score", "cost", "age"),
    )

    if older:
        text = f"and {older} older: {invocation('runs', '--all', *folder_option)}"
        console.print(Text(text), soft_wrap=True, style="dim")
    if console.is_terminal:  # In a pipe, only the rows are printed.
        show = invocation("show", names[0], *folder_option)
        compare = invocation("compare", "RUN", "RUN", *folder_option)
        commands = [
            NextCommand(show, "shows the newest"),
            NextCommand(compare, "compares two"),
        ]
        print_next_commands(console, commands)


def _shortest_names(runs: Sequence[RunResult]) -> list[str]:
    """Return a name for each run that commands accept as RUN.

    It is the first of these that is unique: the user's name, the start time, the id.
    """
    name_counts = Counter(run.name for run in runs)
    start_counts = Counter(run.run[:START_CHARS] for run in runs)
    shortest = []
    for run in runs:
        start = run.run[:START_CHARS]
        if run.name and name_counts[run.name] == 1:
            shortest.append(run.name)
        elif start_counts[start] == 1:
            shortest.append(start)
        else:
            shortest.append(run.run)
    return shortest


UNKNOWN_CELL: Final = Text("-", style="dim")


def _run_cells(run: RunResult, name: str) -> dict[str, Text]:
    """Return the cells of a run, by the head of their column.

    If its journal cannot be read, only its name and how it ended are known.
    """
    ended = Text(run.ended, style=ENDED_STYLES.get(run.ended, "yellow"))
    if not run.is_readable:
        return {"run": Text(name), "ended": ended}
    trials = f"{run.trials_over}"
    if run.trials_over < run.trials_total:
        trials += f"/{run.trials_total}"
    age_s = time.time() - run.last_event_ms / 1000
    return {
        "run": Text(one_line(name)),
        "benchmark": Text(one_line(run.played)),
        "model": Text(one_line(run.model)),
        "trials": Text(trials),
        "score": Text(score_text(run.score, 3), style=score_style(run.score)),
        "cost": Text(cost_or_dash(run.cost_usd)),
        "age": Text(age_text(age_s)),
        "ended": ended,
    }


# --- show ---


@click.command("show")
@about_a_run_or_loop
@click.option(
    "--all", "everything", is_flag=True, help="List every trial, not only the worst."
)
@click.option("--follow", is_flag=True, help="First wait until the run ends.")
def show_command(path: Path, everything: bool, follow: bool, as_json: bool) -> None:
    """Print the result of RUN: its trials, worst first, its score, and the commands to
    type next.

    --follow first shows how far a run is that another process conducts, until the run
    is closed or its process is gone; `view` shows its steps. With --json it prints only
    the events, each a line of JSON with its texts inserted. The id of a loop of
    `improve` gives the result of the loop.
    """
    if path.name == LOOP_FILE:
        from controlplane.commands.improve import LoopRecord, print_loop

        print_loop(LoopRecord(path.parent), as_json=as_json)
        return
    if follow and as_json:
        _print_events(path)
        return
    if follow:
        _follow(path)
    print_run(path, everything=everything, as_json=as_json)


def print_run(path: Path, *, everything: bool, as_json: bool) -> None:
    """Print the result of the run of the journal at `path`. The answer to a question
    comes first."""
    is_running = is_being_written(path)
    with show_status("reading the journal"):
        summary = glance_at(path)
    if not is_running:
        summary.mark_stopped()
    if as_json:
        print_result(summary, path)
        return
    if _is_question(summary) and summary.closed and len(summary.trials) == 1:
        _print_answer(path)
    print_run_table(summary, path, everything=everything, is_running=is_running)


def _is_question(summary: RunSummary) -> bool:
    """Return True for a run of `ask`: it plays a folder of files, as in
    `files:/home/me/docs`."""
    return summary.opened is not None and summary.opened.played.startswith("files:")


def _print_answer(path: Path) -> None:
    """Print the answer to a question as `ask` did, its claims marked."""
    # These modules import the rules, which other runs do not need.
    from controlplane.view.answer_text import answer_text
    from controlplane.view.asked_answer import asked_answer

    with open_journal(path) as journal:
        folder = str(journal.setting("benchmark")).partition(":")[2]
        answer = asked_answer(journal, Path(folder))
        say(f"{answer_text(answer)}\n", is_styled=True)


BETWEEN_LOOKS_S: Final = 0.2
"""The pause before a followed journal is read again."""


def _has_run_ended(
    summary: RunSummary, *, was_written: bool, is_first_look: bool
) -> bool:
    """Return True if the journal of a followed run gets no more events.

    `was_written` is True if a process had locked the journal just before it was last
    read. A process locks and writes its journal shortly after it creates it. So a
    journal that is empty at the first look may belong to a run that is starting.
    """
    if summary.closed:
        return True
    may_be_starting = is_first_look and summary.opened is None
    return not was_written and not may_be_starting


def _follow(path: Path) -> None:
    """Read the journal again and again, and show how far the run is, until it ends."""
    journal = Journal(path)
    summary = journal.summary
    with show_status("following the run") as set_status:
        is_first_look = True
        while True:
            # Check the lock before reading, so that no event written in between is
            # missed.
            was_written = is_being_written(path)
            for event in journal.read_on():
                summary.fold(event)
            over = f"{summary.over} of {count_text(len(summary.trials), 'trial')} over"
            set_status(", ".join([over, *figure_texts(summary)]))
            if _has_run_ended(
                summary, was_written=was_written, is_first_look=is_first_look
            ):
                break
            is_first_look = False
            time.sleep(BETWEEN_LOOKS_S)
    _check_end(path, summary)


def _print_events(path: Path) -> None:
    """Print each event as it comes, and add it to the totals (`fold`), until the run
    ends."""
    journal = Journal(path)
    summary = journal.summary
    is_first_look = True
    while True:
        # Check the lock before reading, so that no event written in between is missed.
        was_written = is_being_written(path)
        for event in journal.read_on():
            summary.fold(event)
            print(json.dumps(event.model_dump(mode="python")), flush=True)
        if _has_run_ended(
            summary, was_written=was_written, is_first_look=is_first_look
        ):
            break
        is_first_look = False
        time.sleep(BETWEEN_LOOKS_S)
    _check_end(path, summary)


def _check_end(path: Path, summary: RunSummary) -> None:
    """Say if a followed run was not closed. Raises `NotAJournal` if nothing could be
    read."""
    if summary.opened is None:
        msg = f"{path} is not a journal: it holds no whole line of one"
        raise NotAJournal(msg)
    if not summary.closed:
        say("the process of this run is gone; the journal ends here", err=True)


# --- report ---


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
    paths = [find_journal(run, runs_dir, loops=True) for run in runs]
    loops = [path for path in paths if path.name == LOOP_FILE]
    if loops and len(paths) > 1:
        msg = f"{journal_id(loops[0])} is a loop, which has a page of its own; name it alone"
        raise UsageError(msg)
    if loops:
        from controlplane.improving.loop_page import loop_page  # slow to import

        report = loop_page(loops[0])
    else:
        from controlplane.report.run_report import run_report  # slow to import

        with show_status("reading the trials"):
            report = run_report(paths)

    # The pieces of a report are made while it is written, and many of them read trials
    # again.
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


# --- view ---

MAX_VIEW_CONNECTIONS: Final = 64
"""Far more than one user's browser opens, so that other programs cannot use up all
memory."""
MAX_REQUEST_HEAD_BYTES: Final = 16 << 10
"""16 KiB, several times the head of a browser's request."""


@click.command("view")
@click.argument("target", metavar="[DIR|RUN]", required=False)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="The port.  [default: a free one]",
)
@click.option("--no-open", is_flag=True, help="Print the address and open no browser.")
@RUNS_DIR
def view_command(
    target: str | None, port: int, no_open: bool, runs_dir: str | None
) -> None:
    """Show runs in the browser while they happen: all of a folder, or RUN alone, every
    step a click away.

    The pages are served to this machine only, and change nothing. The first address
    holds a token that becomes a cookie. Ctrl-C ends it.
    """
    try:
        import uvicorn

        from controlplane.report.view_server import Pages
        from controlplane.report.watched_runs import WatchedFolder
    except ModuleNotFoundError as error:
        msg = f"view needs {error.name}: pip install 'grounded-control-plane[view]'"
        raise UsageError(msg) from error

    # 1. What to show: all runs of a folder, or one run.
    if target is not None and "/" in target and not Path(target).exists():
        msg = f"there is no folder or journal {target}"
        raise UsageError(msg)
    page = "/"
    if target is None:
        watched = WatchedFolder(runs_folder(runs_dir))
    elif Path(target).is_dir():
        watched = WatchedFolder(Path(target))
    else:
        journal = find_journal(target, runs_dir)
        watched = WatchedFolder(journal.parent, journal)
        page = f"/runs/{journal_id(journal)}"

    # 2. Listen, and then tell the address.
    listening = _listening_socket(port)
    own_port = listening.getsockname()[
        1
    ]  # The free port that was chosen, if `port` is 0.
    token = secrets.token_urlsafe(24)
    address = f"http://127.0.0.1:{own_port}{page}?token={token}"
    say(f"view     {address}\n         Ctrl-C ends it")
    sys.stdout.flush()
    if not no_open:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    # 3. Serve the pages.
    os.nice(5)  # runs beside the server have priority
    config = uvicorn.Config(
        Pages(watched, _page_of_loop).app(token, own_port),
        log_level="error",
        access_log=False,
        server_header=False,
        limit_concurrency=MAX_VIEW_CONNECTIONS,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=MAX_REQUEST_HEAD_BYTES,
    )
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])


def _listening_socket(port: int) -> socket.socket:
    """Listen on a port of this machine; 0 for a free one. Raises `UsageError`."""
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        msg = f"cannot listen on port {port} of 127.0.0.1: {error.strerror}; choose another with --port"
        raise UsageError(msg) from error


def _page_of_loop(path: Path) -> str:
    """Return the page of a loop of `improve`."""
    from controlplane.improving.loop_page import loop_page  # slow to import

    return "".join(loop_page(path).pieces)


# --- replay ---


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
    "--full",
    "in_full",
    is_flag=True,
    help="Print a trial without leaving out anything.",
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
    in_full: bool,
    verifying: bool,
    strict: bool,
    isolation: str | None,
    is_trusted: bool,
    as_json: bool,
) -> None:
    """Show what happened in RUN (a path, an id, the unique beginning of an id, or
    `last`).

    Without --trial it prints what `show --all` does. With --trial on a terminal it
    steps through the trial, from its question to its end, a page for each key: n next,
    p back, r next rejection, t next trial, q quit. In a pipe it prints how the trial
    ended and why, then its steps. Long texts are cut; --full prints them whole, and so
    does --step.

    Anyone may have written the scripts of a journal: --verify runs them only in the
    isolation of your settings, whatever the run had.
    """
    if strict and not verifying:
        msg = "--strict needs --verify"
        raise UsageError(msg)
    if step is not None and not trial:
        msg = "--step needs --trial"
        raise UsageError(msg)
    if in_full and not trial:
        msg = "--full needs --trial"
        raise UsageError(msg)

    if not trial and not verifying:
        print_run(path, everything=True, as_json=as_json)
        return
    with show_status("reading the journal"):
        journal = open_journal(path)
    with journal:
        if not verifying:
            trial_id = journal.find_trial(trial)
            _replay(journal, trial_id, step, in_full=in_full, as_json=as_json)
            return
        from controlplane.replay.verification import replay_isolation

        if trial:
            trial_ids = [journal.find_trial(trial)]
        else:
            trial_ids = [
                begun.trial_id for begun in journal.trials.values() if begun.has_begun
            ]
        layers = replay_isolation(isolation)
        verification = _verify(
            journal, trial_ids, layers, is_trusted=is_trusted, as_json=as_json
        )
    if strict and verification.differences:
        raise SystemExit(ReplayDiverged.exit_code)


def _replay(
    journal: Journal, trial_id: str, step: int | None, *, in_full: bool, as_json: bool
) -> None:
    """Show a trial or one of its steps."""
    if as_json and step is not None:
        print(json.dumps(step_object(journal, trial_id, step)))
        return
    if as_json:
        print(json.dumps(trial_object(journal, trial_id)))
        return
    if step is not None:
        print_page(find_step(journal, trial_id, step))
        return
    is_terminal = (
        sys.stdout.isatty() and sys.stdin.isatty() and Console().is_interactive
    )
    if is_terminal and not in_full:
        walk_through(journal, trial_id)
    else:
        print_trial(journal, trial_id, in_full=in_full)


def _verify(
    journal: Journal,
    trial_ids: list[str],
    isolation: frozenset[Layer],
    *,
    is_trusted: bool,
    as_json: bool,
) -> Verification:
    """Run the scripts of these trials again on the recorded results, and print what
    differs.

    `isolation` are the layers of isolation that the scripts must have.
    """
    from controlplane.replay import verification as verifying

    with show_status("running the scripts again"):
        verification = verifying.verify(
            journal, trial_ids, isolation=isolation, is_trusted=is_trusted
        )
    compared_fields = verifying.compared_fields()
    if as_json:
        result: dict[str, object] = {"agrees": not verification.differences}
        result |= dataclasses.asdict(verification)
        result["closed"] = bool(journal.summary.closed)
        result["compared"] = compared_fields
        result["only_marked"] = verifying.only_marked()
        print(json.dumps(result))
        return verification

    for difference in verification.differences:
        say(difference)
    say(_verification_text(verification, journal))

    # Some fields, such as replies, cannot be computed again. The user's signature on
    # each line of the journal protects them. If signatures are missing,
    # `verification.unmarked` says so.
    compared = []
    for event_name, fields in compared_fields.items():
        compared.append(f"{event_name} ({', '.join(fields)})")
    rest = "not recomputed; protected only by your signature"
    if verification.unmarked:
        rest = f"not verified, as {verification.unmarked}"
    text = f"compared: {', '.join(compared)}\n{rest}: {verifying.UNMARKED}"
    CleanConsole(highlight=False).print(Text(text))
    return verification


def _verification_text(verification: Verification, journal: Journal) -> str:
    """Return `3 trials, 12 steps: everything is as recorded`, and any exceptions."""
    trials = count_text(verification.trials, "trial")
    steps = count_text(verification.steps, "step")
    text = f"{trials}, {steps}: everything is as recorded"
    if verification.differences:
        differing = count_text(len(verification.differences), "step")
        versions = " and ".join(verification.other_versions)
        text += f" except for {differing}, under another version of {versions}"
    if verification.left_out:
        text += f"; not compared: {'; '.join(verification.left_out)}"
    if journal.is_torn:
        text += "; the last line was cut off while it was written"
    elif not journal.summary.closed:
        text += "; the journal ends before the run was closed"
    return text
