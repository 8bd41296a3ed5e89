"""Conducts runs in the foreground: signals, phases, what is shown meanwhile, the final report. `controlplane run`.

A run is shown live on a terminal, in plain lines elsewhere, or silently.
"""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

import click

from controlplane.agent.events import now_ms
from controlplane.agent.model import ModelError, RetriesExhausted
from controlplane.benchmark import TaskTry
from controlplane.commands.options import (
    AS_JSON,
    CAPS,
    JUNIT,
    QUIET,
    WITHOUT_OPTION,
    approve_on_terminal,
    given,
    refuse_known_name,
    settings_options,
    tool_options,
)
from controlplane.configuration.run_settings import RunSettings, placed, resolve, run_argument
from controlplane.errors import (
    BudgetExhausted,
    ControlPlaneError,
    Interrupted,
    JournalUnwritable,
    Unreachable,
    UsageError,
    invocation,
)
from controlplane.journal.journal_lines import JournalWriter
from controlplane.journal.journal_reader import glance_at, summary_of
from controlplane.journal.run_events import ParentRun
from controlplane.journal.run_summary import FAILED, OPEN, RUNNING, WAITING
from controlplane.lifecycle.run_lifecycle import (
    Run,
    journal_path,
    new_run_id,
    reopen_run,
    tune_process,
)
from controlplane.lifecycle.run_resources import RunResources, RunSpec
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import (
    RunPhase,
    age_text,
    cause_of,
    clock_text,
    count_text,
    figure_texts,
    one_line,
    phase_of,
    sanitize,
    say,
)
from controlplane.view.run_results import print_result

if TYPE_CHECKING:
    from controlplane.replay.forking import ForkPoint


PHASES: Final = (RunPhase.STOPPING, RunPhase.PAUSING, RunPhase.SCORING)
"""Phases that are told."""


class PlainDisplay:
    """Prints about one line for each tenth of a run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._printed_over = run.summary.over
        self._printed_at_ms = 0
        self._printed_notices = run.summary.earlier_notices
        self._printed_causes: set[str] = set()
        self._printed_phase = RunPhase.STARTING
        self.done = threading.Event()
        self._thread = threading.Thread(
            target=self.print_until_done, name="plain view", daemon=True
        )

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *error: object) -> None:
        self.done.set()
        self._thread.join()

    def print_until_done(self) -> None:
        """Print the news of the run until it is over."""
        while True:
            is_last = self.done.wait(0.5)
            self._print_news()
            if is_last:
                return
            if self._printed_over:
                import_module(
                    "controlplane.view.run_table"
                )  # Slow; the run's process has time while trials run.

    def _print_news(self) -> None:
        summary, phase, now = self.run.summary, phase_of(self.run), now_ms()
        if phase is not RunPhase.STARTING and self._printed_at_ms == 0:
            self._printed_at_ms = now
            already = f", {self._printed_over} of them over already" if self._printed_over else ""
            _print_line(
                f"run {self.run.journal.path.stem}: {count_text(len(summary.trials), 'trial')}{already}"
            )
        self._print_notices()
        self._print_progress(now, phase)
        if phase is not self._printed_phase and phase in PHASES:
            _print_line(str(phase))
        self._printed_phase = phase

    def _print_notices(self) -> None:
        latest = self.run.summary.notices[self._printed_notices :]
        self._printed_notices += len(latest)
        notices = [
            cause
            for cause in dict.fromkeys(map(cause_of, latest))
            if cause not in self._printed_causes
        ]
        self._printed_causes.update(notices)
        for notice in notices[: bounds.SHOWN_FEW]:
            _print_line(f"notice: {one_line(notice)}")
        if len(notices) > bounds.SHOWN_FEW:
            _print_line(f"notice: {len(notices) - bounds.SHOWN_FEW} more of that kind")

    def _print_progress(self, now: int, phase: RunPhase) -> None:
        summary = self.run.summary
        over, total = summary.over, len(summary.trials)
        newly_over = over - self._printed_over
        # A line for each tenth of the trials, and one after 15 s.
        is_due = newly_over * 10 >= total or now - self._printed_at_ms >= 15_000 or over == total
        if not total or not (newly_over or summary.running) or not is_due:
            return
        self._printed_over, self._printed_at_ms = over, now
        parts = [
            f"{over} of {count_text(total, 'trial')} over after {clock_text((now - summary.began_ms) / 1000)}"
        ]
        left = summary.time_left_s(now) if phase is RunPhase.WORKING else None
        parts += [f"about {age_text(max(left, 1))} left"] if left is not None else []
        _print_line(", ".join([*parts, *figure_texts(summary)]))


def _print_line(text: str) -> None:
    with contextlib.suppress(OSError):  # the reader is gone; the run goes on
        print(text, file=sys.stderr, flush=True)


@contextmanager
def _stdout_kept() -> Iterator[None]:
    """Send what solvers, benchmarks and their programs print to stderr until the block ends: stdout is for JSON."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    kept = os.dup(1)
    try:
        os.dup2(2, 1)
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


@dataclass(kw_only=True)
class RunView:
    """Shows a run. Reads the run's summary in its own thread, so that no trial waits for a screen."""

    quiet: bool
    as_json: bool
    reports: bool = True
    """Print the result when the run ends."""
    display: Callable[[Run], PlainDisplay] | None = None
    """What shows the run, instead of a picture on a terminal and lines elsewhere."""

    @contextmanager
    def showing(self, run: Run) -> Iterator[None]:
        """Show `run` for the length of the block. With `as_json`, whatever is printed meanwhile goes to stderr."""
        with _stdout_kept() if self.as_json else contextlib.nullcontext(), self._display_of(run):
            yield

    def _display_of(self, run: Run) -> AbstractContextManager[object]:
        if self.display is None and not self.quiet and sys.stderr and sys.stderr.isatty():
            from controlplane.view.live_display import (
                live_display,
            )  # Its library is slow to import.

            if display := live_display(run):
                return display
        return (
            contextlib.nullcontext()
            if self.quiet or self.as_json
            else (self.display or PlainDisplay)(run)
        )

    def report(self, run: Run, error: ControlPlaneError | None) -> None:
        """Print the run's result, and the error that ended it."""
        if not self.reports:
            pass
        elif self.as_json:
            print_result(run.summary, run.journal.path, error)
        else:
            from controlplane.view.run_table import print_run_table

            print_run_table(run.summary, run.journal.path)
        if error is not None:
            print(f"controlplane: {sanitize(str(error))}", file=sys.stderr)


SILENT: Final = RunView(quiet=True, as_json=False, reports=False)


def conduct(run: Run, view: RunView | None) -> int:
    """Begin unless it has begun, work, submit, report; return the exit code. An interrupted run is not submitted.

    Without a view nothing is printed, and the process, which is a program's, is not set up for trials.

    Raises the `ControlPlaneError` that kept the run from beginning; its journal
    is then removed.
    """

    def work() -> None:
        if view is not None:
            tune_process()
        run.open_workers()  # before anything begins: an unreachable cluster leaves no open run behind
        if not run.summary.run_id:
            run.begin()
        run.work()
        _raise_if_unfinished(run)
        # A trial that could not start stays open at the platform, and only force submits open trials.
        run.submit(force=run.summary.count(FAILED) > 0)

    return _end_of(run, view, work)


def _end_of(
    run: Run, view: RunView | None, work: Callable[[], None], *, counts_trials: bool = True
) -> int:
    """Do `work` in sight of the user, record and report how the run ended, and return the exit code."""
    error: ControlPlaneError | None = None
    with (
        view.showing(run) if view else contextlib.nullcontext(),
        stop_on_signals(run.interrupt, run),
    ):
        try:
            work()
        except BaseException as failure:
            run.stop()
            run.close_workers()
            if not isinstance(failure, ControlPlaneError):
                run.close(failure)
                raise
            error = failure
    if error is not None and not run.summary.run_id:
        run.journal.discard()  # nothing began, so there is nothing to resume or show
        if run.controls.interrupted.is_set():
            msg = f"interrupted before the run began ({error})"
            raise Interrupted(msg) from error
        raise error
    try:
        code = run.close(error, counts_trials=counts_trials)
    except JournalUnwritable as unwritten:
        error = error or unwritten
        code = error.exit_code
    run.summary.mark_stopped()  # no event says so if the journal cannot be written
    if view is not None:
        view.report(run, error)
    return code


def submit_or_poll(
    path: Path, work: Callable[[Run], None], *, is_trusted: bool, quiet: bool, as_json: bool
) -> int:
    """Have `work` submit a recorded run, or poll for its scores; report; return the exit code, 0 for success."""
    view = RunView(quiet=quiet, as_json=as_json)
    with reopen_run(path, works=False, is_trusted=is_trusted) as run:
        return _end_of(run, view, lambda: work(run), counts_trials=False)


def report_nothing_to_do(path: Path, text: str, *, as_json: bool) -> None:
    """Print that there is nothing to do for the run of the journal at `path`; with `as_json` also its result."""
    say(text, err=as_json)
    if as_json:
        print_result(glance_at(path), path)


def _raise_if_unfinished(run: Run) -> None:
    again = f"continue with: {invocation('resume', run_argument(run.journal.path))}"
    stuck = run.summary.count(OPEN)
    used_up = run.resources.budget.spending.used_up
    if used_up and run.summary.left and not (run.paused or run.controls.interrupted.is_set()):
        words = _doubled_limit(used_up, run.resources.spec.settings)
        again = f"continue with: {invocation('resume', run_argument(run.journal.path), *words)}"
        msg = (
            f"{used_up}; {count_text(run.summary.left, 'trial')} left; with a higher limit, {again}"
        )
        raise BudgetExhausted(msg)
    if run.paused:
        ways = again if isinstance(run.paused, ModelError) else _ways_on(run, again)
        msg = f"the run is paused: {run.paused}; {ways}"
        raise BudgetExhausted(msg) if isinstance(run.paused, RetriesExhausted) else Unreachable(msg)
    if stuck and not run.controls.stop.is_set():
        msg = f"{count_text(stuck, 'trial')} could not be ended, so the run is not submitted; {_ways_on(run, again)}"
        raise Unreachable(msg)
    failed = [trial for trial in run.summary.trials.values() if trial.state == FAILED]
    if failed and len(failed) == len(run.summary.trials):
        msg = (
            f"no trial could be started ({failed[0].reason}), so the run is not submitted; {again}"
        )
        raise Unreachable(msg)
    if run.summary.count(WAITING, RUNNING, OPEN):
        msg = f"interrupted and not submitted; nothing that was recorded is lost; {again}"
        raise Interrupted(msg)


def _doubled_limit(used_up: str, settings: RunSettings) -> tuple[str, ...]:
    """Return the option that doubles the limit which a text names as used up; empty if it names none."""
    option = used_up.rpartition("(--")[2].partition(")")[0]
    limit = getattr(settings, option.replace("-", "_"), None)
    return (f"--{option}", f"{2 * limit:.15g}") if isinstance(limit, int | float) else ()


def _ways_on(run: Run, again: str) -> str:
    """Return how to continue, and, if all remaining trials have begun, how to submit without them."""
    stuck = run.summary.count(OPEN)
    if not stuck or run.summary.count(WAITING):
        return again
    force = invocation("submit", run_argument(run.journal.path), "--force")
    return f"{again} or, to submit it without {'it' if stuck == 1 else 'them'}: {force}"


@contextmanager
def stop_on_signals(stop: Callable[[], None], run: Run | None = None) -> Iterator[None]:
    """Call `stop` at the first SIGINT, SIGTERM or SIGHUP; end the process, which conducts `run`, at the second.
    Outside the main thread, which alone can take signals, do nothing.

    A closing terminal may send SIGHUP several times; these count as one signal. An ignored SIGHUP stays ignored.
    """
    seen = 0

    def on_signal(number: int, frame: FrameType | None) -> None:
        nonlocal seen
        del frame
        if number == signal.SIGHUP:
            _detach_closed_terminal()
            if seen:
                return
        seen += 1
        if seen > 1:
            # Each line of the journal is one write, so all lines are whole at any moment.
            again = f": {invocation('resume', run_argument(run.journal.path))}" if run else ""
            # Takes no lock; a picture of the run hides the cursor.
            shown_cursor = "\x1b[?25h\n" if os.isatty(2) else ""
            text = f"controlplane: stopped at once; nothing that was recorded is lost{again}"
            os.write(2, f"{shown_cursor}{text}\n".encode())
            os._exit(Interrupted.exit_code)
        stop()

    is_main = threading.current_thread() is threading.main_thread()
    kinds = [signal.SIGINT, signal.SIGTERM] if is_main else []
    if is_main and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        kinds.append(signal.SIGHUP)
    before = {kind: signal.signal(kind, on_signal) for kind in kinds}
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


def _detach_closed_terminal() -> None:
    """Point standard streams of a closed terminal at the null device, so that the run can still record its end.

    A closed terminal is still a character device, but no longer a terminal.
    """
    for number in range(3):
        with contextlib.suppress(OSError):
            if stat.S_ISCHR(os.fstat(number).st_mode) and not os.isatty(number):
                nothing = os.open(os.devnull, os.O_RDWR)
                os.dup2(nothing, number)
                os.close(nothing)


@dataclass(frozen=True, slots=True)
class FreshRun:
    """A new run, before it starts."""

    spec: RunSpec
    sources: Mapping[str, str] = field(default_factory=dict)
    """The source of each setting that is not a default."""
    tasks: tuple[str, ...] = ()
    """Tasks or families; empty for all."""
    tries: tuple[TaskTry, ...] = ()
    """The exact tries to play instead of tasks, limit and repeats."""
    parent: ParentRun | None = None
    world: str | None = None
    """The required version of the benchmark's worlds; None for any."""
    run_id: str = ""
    """The journal's id; empty for a new one."""
    fork: ForkPoint | None = None
    """The point from which its trials continue; None if they start at the beginning."""

    @property
    def path(self) -> Path:
        """The path of the journal that its id names."""
        return journal_path(self.spec.settings.runs_dir, self.run_id)


@contextmanager
def opened_run(fresh: FreshRun) -> Iterator[Run]:
    """Open the resources and the journal of a run, and yield the run, which has not begun. Raises the
    `ControlPlaneError` that keeps it from beginning."""
    settings = fresh.spec.settings
    if not fresh.run_id:
        refuse_known_name(settings.name, settings.runs_dir)
    try:
        opened = RunResources(fresh.spec)
    except UsageError as error:
        raise placed(error, fresh.sources) from error
    with opened as resources:
        resources.describe()
        resources.check_models()
        if fresh.world is not None and fresh.parent is not None:
            resources.check_world(
                fresh.world, f"trials of {fresh.parent.run} cannot be played again"
            )
        if fresh.fork is not None:
            fresh.fork.check(resources)
        path = journal_path(settings.runs_dir, fresh.run_id or new_run_id(settings.benchmark))
        resources.check_isolation()
        with JournalWriter(path, create=True) as journal:
            run = Run(resources, journal)

            def begin() -> None:
                run.start(fresh.sources, fresh.tasks, tries=fresh.tries, parent=fresh.parent)
                if fresh.fork is not None:
                    run.resume_states = fresh.fork.begin(run)

            run.begin = begin
            yield run


def see_through(fresh: FreshRun, view: RunView) -> tuple[Run, int]:
    """Conduct the run in the view, and return it with its exit code. Raises as `opened_run` does."""
    with opened_run(fresh) as run:
        return run, conduct(run, view)


def continued_run(fresh: FreshRun) -> AbstractContextManager[Run]:
    """Open a run that has the id of its journal; if that says that it began, it continues, with its limits of now.
    Raises as `opened_run` and `reopen_run` do."""
    path = fresh.path
    if not summary_of(path).run_id:
        path.unlink(missing_ok=True)
        return opened_run(fresh)
    changes = {name: getattr(fresh.spec.settings, name) for name in CAPS}
    return reopen_run(path, works=True, changes=changes, tools=fresh.spec.tools)


@click.command("run")
@click.argument("tasks", nargs=-1, metavar="[TASK]...")
@settings_options(*(name for name in RunSettings.model_fields if name not in WITHOUT_OPTION))
@tool_options
@click.option(
    "--fail-under",
    type=click.FloatRange(0, 1),
    help="Exit code 1 if the mean score is lower or unknown.",
)
@click.option(
    "--fail-on",
    type=click.Choice(("fallback",)),
    help="Exit code 1 if a trial ended by its fallback.",
)
@JUNIT
@QUIET
@AS_JSON
def run_command(
    tasks: tuple[str, ...],
    *,
    fail_under: float | None,
    fail_on: str | None,
    junit: str | None,
    tools: dict[str, Any],
    quiet: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Run a benchmark: all of it, or the named tasks (or families of tasks).

    docs/reference.md lists further settings for controlplane.toml and environment variables.
    """
    resolved = resolve(given(options), os.environ, Path.cwd())
    spec = RunSpec(resolved.settings, approve=approve_on_terminal)
    if resolved.mcp or any(tools.values()):
        from controlplane.mcp.server_specs import tool_access  # Few runs have servers.

        spec = replace(spec, tools=tool_access(tools, resolved.mcp))
    fresh = FreshRun(spec, resolved.sources, tasks)
    run, code = see_through(fresh, RunView(quiet=quiet, as_json=as_json))
    if junit:
        from controlplane.view.junit import cases_of_run, write_junit

        model = run.summary.opened.model if run.summary.opened else ""
        of_run = {"run": run.journal.path.stem, "name": resolved.settings.name, "model": model}
        write_junit(Path(junit), resolved.settings.benchmark, cases_of_run(run.summary), **of_run)
    if fail_under is not None and code == 0:
        score = run.summary.score
        if score is None:
            say("--fail-under: the scores are not out yet", err=True)
        elif not score >= fail_under:  # nan too
            say(f"--fail-under: the mean score {score:.3f} is lower than {fail_under:g}", err=True)
        code = int(score is None or not score >= fail_under)
    if fail_on and code == 0 and (fallbacks := run.summary.count("fallback")):
        trials = count_text(len(run.summary.trials), "trial")
        say(f"--fail-on fallback: {fallbacks} of {trials} ended so", err=True)
        code = 1
    raise SystemExit(code)
