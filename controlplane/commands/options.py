"""Shared parts of commands: click options, the journal that RUN names, shell completion, a progress bar.

`last` means the latest run that this user started from this terminal, identified by its session. If that record cannot
be written or read, `last` falls back to the latest written journal. A completer never fails: it skips files that it
cannot read.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

import click
from click.shell_completion import CompletionItem
from pydantic import BaseModel, ConfigDict, ValidationError

from agent.events import now_ms
from controlplane.errors import ControlPlaneError, UsageError, did_you_mean
from controlplane.journal.journal_file import (
    is_being_written,
    is_journal_name,
    journal_id,
    newest_first,
    open_to_append,
    small_file,
)
from controlplane.lifecycle.next_commands import invocation, run_argument, runs_folder, trial_arguments
from controlplane.view.display_text import one_line

Completer: TypeAlias = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _completer(offered: Callable[[click.Context], Iterable[tuple[str, str]]]) -> Completer:
    """Return a completer for the words and explanations that `offered` returns."""

    def complete(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        del parameter
        try:
            return [CompletionItem(word, help=told) for word, told in offered(ctx) if word.startswith(incomplete)]
        except (ControlPlaneError, OSError, ValueError):
            return []

    return complete


@_completer
def complete_run(ctx: click.Context) -> Iterable[tuple[str, str]]:
    from controlplane.view.run_results import indexed_runs

    folder = runs_folder(ctx.params.get("runs_dir"))
    paths = newest_first(folder)
    yield "last", "the last run that this terminal started"
    for path, run in zip(paths, indexed_runs(folder, paths), strict=True):
        if run.name:
            yield run.name, run.benchmark
        yield journal_id(path), run.benchmark


@_completer
def complete_trial(ctx: click.Context) -> Iterable[tuple[str, str]]:
    from controlplane.journal.journal_index import glance_at

    # An option that still lacks its value leaves the arguments before it unparsed.
    run = ctx.params.get("run") or next(iter(ctx.args), None)
    if not isinstance(run, str):
        return
    folder = runs_folder(ctx.params.get("runs_dir"))
    paths = newest_first(folder)
    if run == "last" and paths:
        run = str(last_run(folder, paths)[0])
    named = [path for path in paths if run in (journal_id(path), str(path))] or _named(run, folder, paths)
    if not named:
        return
    summary = glance_at(named[0], at_trials=True)
    words = trial_arguments(summary)
    for trial in summary.worst_first:
        yield words[trial.trial_id], "" if trial.score is None else f"score {trial.score:.2f}"


def _tasks(ctx: click.Context) -> Iterable[tuple[str, str]]:
    from controlplane.benchmark import BenchmarkContext
    from controlplane.configuration.named_modules import BENCHMARKS, open_benchmark
    from controlplane.configuration.setting_sources import resolve

    named = ctx.params.get("benchmark")
    settings = resolve({"benchmark": named} if named else {}, {}, Path.cwd()).settings
    if settings.benchmark.partition(":")[0] not in BENCHMARKS:
        return  # A completion imports no module of the user's.
    with contextlib.closing(open_benchmark(settings.benchmark, settings.set, BenchmarkContext()).benchmark) as opened:
        tasks = [task.task_id for task in opened.describe().tasks]
    for family in dict.fromkeys(task.rpartition(".")[0] for task in tasks):
        if family:
            yield family, "a family of tasks"
    for task in tasks:
        yield task, ""


@_completer
def complete_benchmark(ctx: click.Context) -> Iterable[tuple[str, str]]:
    del ctx
    from controlplane.configuration.named_modules import BENCHMARKS

    return ((benchmark, "") for benchmark in BENCHMARKS)


@_completer
def complete_model(ctx: click.Context) -> Iterable[tuple[str, str]]:
    del ctx
    from controlplane.configuration.setting_sources import resolve

    yield "baseline", "the embedded rule-based player"
    yield "scripted:", "replies from a file"
    for name, profile in resolve({}, {}, Path.cwd()).profiles.items():
        yield name, profile.model


complete_task = _completer(_tasks)

SHOWN_NAMES: Final = 5
"""Names of runs listed if none is near the given name."""
AS_JSON: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
TRUST: Final = click.option(
    "--trust",
    "is_trusted",
    is_flag=True,
    help="Act on a journal that does not have your mark on every line, with all its settings and modules.",
)
QUIET: Final = click.option("--quiet", is_flag=True, help="Print only the result.")
JUNIT: Final = click.option("--junit", default=None, metavar="FILE", help="Also write the result as JUnit XML.")
RUNS_DIR: Final = click.option("--runs-dir", default=None, help="The folder of the journals.  [default: runs]")


def about_a_run(command: Callable[..., None]) -> Callable[..., None]:
    """Give `command` the argument RUN, `--runs-dir` and `--json`; its first argument is RUN's journal."""

    @click.argument("run", metavar="RUN", shell_complete=complete_run)
    @RUNS_DIR
    @AS_JSON
    @functools.wraps(command)
    def with_journal(run: str, runs_dir: str | None, **options: Any) -> None:
        command(find_journal(run, runs_dir), **options)

    return with_journal


def find_journal(run: str, runs_dir: str | None) -> Path:
    """Return the journal that RUN names: a path, an id, a run's name, a unique beginning of an id, or `last`.

    Raises `UsageError`.
    """
    path = Path(run)
    if is_journal_name(path):
        return path
    folder = runs_folder(runs_dir)
    journals = newest_first(folder)
    if run == "last" and journals:
        last, reason = last_run(folder, journals)
        if sys.stderr.isatty():
            click.echo(f"last is {journal_id(last)}: {reason}", err=True)
        return last
    fitting = [journal for journal in journals if journal_id(journal) == run] or _named(run, folder, journals)
    # Names of runs take precedence, so that a command's output can be saved under a run's name.
    with contextlib.suppress(OSError):  # a name that is too long for a file can still be a run's
        if not fitting and path.is_file():
            return path
    if not journals:
        msg = f"no journals in {folder}; start a run first, or name the folder with --runs-dir"
        raise UsageError(msg)
    fitting = fitting or [journal for journal in journals if journal_id(journal).startswith(run)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        msg = f"{run!r} fits several runs, the newest first: {', '.join(map(journal_id, fitting[:5]))}"
        raise UsageError(msg)
    from controlplane.journal.journal_index import name_in

    names = [one_line(name) for path in journals[:20] for name in (name_in(path) or journal_id(path), journal_id(path))]
    msg = f"no run {run!r} in {folder}{did_you_mean(run, names, most=SHOWN_NAMES)}"
    raise UsageError(msg)


def _named(name: str, folder: Path, journals: Sequence[Path]) -> list[Path]:
    from controlplane.journal.journal_index import name_in
    from controlplane.view.run_results import indexed_names

    known = indexed_names(folder, journals)
    return [journal for journal in journals if (known[journal] if journal in known else name_in(journal)) == name]


def refuse_known_name(name: str, runs_dir: str) -> None:
    """Raise `UsageError` if a run of the folder has this name: a second run would make it ambiguous."""
    if name and (named := _named(name, Path(runs_dir), newest_first(Path(runs_dir)))):
        msg = f"--name: the run {journal_id(named[0])} already has the name {name!r}; give another name"
        raise UsageError(msg)


def refuse_if_running(path: Path) -> None:
    """Raise `UsageError` if another process conducts the run of the journal at `path`."""
    if is_being_written(path):
        follow = invocation("show", run_argument(path), "--follow")
        msg = f"another process is conducting the run {journal_id(path)}; wait for it, or follow it with: {follow}"
        raise UsageError(msg)


STARTED_FILE: Final = ".started-runs"
"""A file beside the journals: one line of JSON for each started or resumed run, in order."""
MOST_STARTED_BYTES: Final = 16 << 20


class StartedRun(BaseModel):
    """Who started a run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: str
    user: int
    session: int
    at_ms: int


def remember_start(journal: Path) -> None:
    """Record that this process conducts the run of `journal`."""
    started = StartedRun(run=journal_id(journal), user=os.getuid(), session=os.getsid(0), at_ms=now_ms())
    with contextlib.suppress(OSError), open_to_append(journal.parent / STARTED_FILE) as file:
        file.write(f"{started.model_dump_json()}\n".encode())


def last_run(folder: Path, newest_first: Sequence[Path]) -> tuple[Path, str]:
    """Return the journal that `last` means among those given, and the reason.

    The choice is the latest run of this terminal, else the latest run of this user, else the latest written journal;
    a journal whose last line does not have the user's mark is never chosen. Raises `UsageError` if no other is left.
    """
    from controlplane.journal.journal_index import ends_with_mark

    journals = {journal_id(path): path for path in reversed(newest_first) if ends_with_mark(path)}
    if not journals:
        msg = f"last: you wrote none of the journals in {folder}; name the one to read"
        raise UsageError(msg)
    started = []
    for line in (small_file(folder / STARTED_FILE, MOST_STARTED_BYTES) or b"").splitlines():
        with contextlib.suppress(ValidationError):  # a line that was cut off
            started.append(StartedRun.model_validate_json(line))
    own = [start for start in started if start.run in journals and start.user == os.getuid()]
    here = [start for start in own if start.session == os.getsid(0)]
    if here:
        return journals[here[-1].run], "the last run that this terminal started"
    if own:
        return journals[own[-1].run], "your last run; this terminal has not started any"
    return [*journals.values()][-1], "the latest written journal; you started none of them"


def paths_of(name: str, runs_dir: str | None) -> list[Path]:
    """Return the journal that RUN names, or those of RUN+RERUN. Raises `UsageError`."""
    try:
        return [find_journal(name, runs_dir)]
    except UsageError:
        parts = name.split("+")
        if len(parts) == 1 or not all(parts):
            raise
    return [find_journal(part, runs_dir) for part in parts]


LONG_S: Final = 0.5
"""Seconds after which the bar appears."""


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a progress callback `(done, total)`."""
    from controlplane.view.report import CleanConsole

    console = CleanConsole(stderr=True, highlight=False)
    if not console.is_interactive:
        yield lambda done, total: None
        return
    from rich.progress import Progress

    progress = Progress(console=console, transient=True, redirect_stdout=False, redirect_stderr=False)
    task = progress.add_task(f"{label}:", total=None)
    began = time.monotonic()

    def on_progress(done: int, total: int) -> None:
        progress.update(task, completed=done, total=total)
        if not progress.live.is_started and time.monotonic() - began > LONG_S:
            progress.start()

    try:
        yield on_progress
    finally:
        progress.stop()
