"""Shows a run in the foreground: as a live picture on a terminal, or in plain lines elsewhere."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from controlplane.agent.events import now_ms
from controlplane.errors import ControlPlaneError
from controlplane.journal.totals.remaining_time import remaining_s
from controlplane.lifecycle.run_lifecycle import Run
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
)
from controlplane.view.run_results import print_result

REPORTED_PHASES: Final = (RunPhase.STOPPING, RunPhase.PAUSING, RunPhase.SCORING)
LOOK_EVERY_S: Final = 0.5
PRINT_AT_LEAST_EVERY_MS: Final = 15_000
"""A line of progress is printed at least this often, even if few trials have ended."""


class PlainDisplay:
    """Prints about one line for each tenth of a run, from its own thread, until the run is over."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.done = threading.Event()
        # What the user has been told.
        self._printed_head = False
        self._printed_over = run.summary.trials.over
        """The number of trials that are over, as last printed."""
        self._printed_at_ms = 0
        """When the last line of progress was printed."""
        self._printed_notices = run.summary.earlier_notices
        """The number of notices that are printed, or belong to an earlier part of the run."""
        self._printed_causes: set[str] = set()
        self._printed_phase = RunPhase.STARTING
        self._thread = threading.Thread(
            target=self.print_until_done, name="plain view", daemon=True
        )

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *error: object) -> None:
        self.done.set()
        self._thread.join()

    def print_until_done(self) -> None:
        """Print what is new in the run until it is over."""
        while True:
            is_last = self.done.wait(LOOK_EVERY_S)
            self._print_news()
            if is_last:
                return
            some_trials_are_over = self._printed_over > 0
            if some_trials_are_over:
                # The table of trials is printed at the end. Its module loads slowly, so
                # it is loaded now, while trials run. Later calls find it loaded.
                import_module("controlplane.view.tables.run_table")

    def _print_news(self) -> None:
        """Print what has changed since the last call."""
        phase = phase_of(self.run)
        now = now_ms()
        if phase is not RunPhase.STARTING and not self._printed_head:
            self._printed_head = True
            self._printed_at_ms = now
            self._print_head()
        self._print_notices()
        self._print_progress(now, phase)
        if phase is not self._printed_phase and phase in REPORTED_PHASES:
            _print_line(str(phase))
        self._printed_phase = phase

    def _print_head(self) -> None:
        """Print the title of the run and its number of trials."""
        trials = count_text(len(self.run.summary.trials), "trial")
        line = f"run {self.run.journal.path.stem}: {trials}"
        if self._printed_over:
            line += f", {self._printed_over} of them over already"
        _print_line(line)

    def _print_notices(self) -> None:
        """Print each new cause of notices once, a few at a time."""
        new_notices = self.run.summary.notices[self._printed_notices :]
        self._printed_notices += len(new_notices)
        new_causes = []
        for notice in new_notices:
            cause = cause_of(notice)
            if cause not in self._printed_causes:
                self._printed_causes.add(cause)
                new_causes.append(cause)

        for cause in new_causes[: bounds.SHOWN_FEW]:
            _print_line(f"notice: {one_line(cause)}")
        if len(new_causes) > bounds.SHOWN_FEW:
            _print_line(
                f"notice: {len(new_causes) - bounds.SHOWN_FEW} more of that kind"
            )

    def _print_progress(self, now: int, phase: RunPhase) -> None:
        """Print the progress of the run, after each tenth of its trials or after some time."""
        summary = self.run.summary
        total = len(summary.trials)
        newly_over = summary.trials.over - self._printed_over
        has_news = newly_over > 0 or summary.trials.running
        is_a_tenth = newly_over * 10 >= total
        is_late = now - self._printed_at_ms >= PRINT_AT_LEAST_EVERY_MS
        if not total or not has_news:
            return
        if not (is_a_tenth or is_late or summary.trials.over == total):
            return

        self._printed_over = summary.trials.over
        self._printed_at_ms = now
        elapsed = clock_text((now - summary.process.began_ms) / 1000)
        parts = [
            f"{summary.trials.over} of {count_text(total, 'trial')} over after {elapsed}"
        ]
        if phase is RunPhase.WORKING:
            time_left_s = remaining_s(summary.trials.copied(), now)
            if time_left_s is not None:
                parts.append(f"about {age_text(max(time_left_s, 1))} left")
        parts.extend(figure_texts(summary))
        _print_line(", ".join(parts))


def _print_line(text: str) -> None:
    with contextlib.suppress(OSError):
        # Nobody reads the output, but the run continues.
        print(text, file=sys.stderr, flush=True)


@dataclass(kw_only=True)
class RunView:
    """The user's screen for one run.

    The run is played within `showing`, and `report` is called at its end. The screen reads
    the run's summary in its own thread, so that no trial waits for it.
    """

    quiet: bool
    as_json: bool
    reports: bool = True
    """True if the result is printed when the run ends."""
    display: Callable[[Run], PlainDisplay] | None = None
    """Creates the display; None for a picture on a terminal and lines elsewhere."""
    on_terminated: Callable[[Run], None] | None = None
    """Called at the first SIGTERM, before the process ends."""

    @contextmanager
    def showing(self, run: Run) -> Iterator[None]:
        """Show `run` until the block ends. With `as_json`, all output meanwhile goes to stderr."""
        stdout = stdout_to_stderr() if self.as_json else contextlib.nullcontext()
        with stdout, self._display_of(run):
            yield

    def _display_of(self, run: Run) -> AbstractContextManager[object]:
        """Return a context manager that shows a run.

        A terminal shows a picture, even with `as_json`, since it is drawn on standard
        error. In a pipe, JSON needs no lines of progress.
        """
        if self.quiet:
            return contextlib.nullcontext()
        is_terminal = bool(sys.stderr) and sys.stderr.isatty()
        if self.display is None and is_terminal:
            from controlplane.view.progress.live_display import (
                live_display,  # It loads slowly.
            )

            picture = live_display(run)
            if picture is not None:
                return picture
        if self.as_json:
            return contextlib.nullcontext()
        if self.display is not None:
            return self.display(run)
        return PlainDisplay(run)

    def report(self, run: Run, error: ControlPlaneError | None) -> None:
        """Print the run's result, and the error that ended it."""
        if self.reports and self.as_json:
            print_result(run.summary, run.journal.path, error)
        elif self.reports:
            from controlplane.view.tables.run_table import print_run_table

            print_run_table(run.summary, run.journal.path)
        if error is not None:
            print(f"controlplane: {sanitize(str(error))}", file=sys.stderr)


SILENT: Final = RunView(quiet=True, as_json=False, reports=False)


@contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """Send the output of solvers, benchmarks and their programs to stderr until the block ends.

    With --json, only the JSON may be on standard output.
    """
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    saved_stdout = os.dup(1)
    try:
        os.dup2(2, 1)
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(saved_stdout, 1)
        os.close(saved_stdout)
