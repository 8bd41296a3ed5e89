"""Shows a run while it works and reports it at the end: live on a terminal, in plain lines elsewhere, or silently."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import sys
import threading
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Final

from agent.events import now_ms
from controlplane.errors import ControlPlaneError
from controlplane.terminal_text import sanitize
from controlplane.view.display_text import (
    RunPhase,
    age_text,
    cause_of,
    clock_text,
    count_text,
    figure_texts,
    one_line,
    phase_of,
    time_left_s,
)
from controlplane.view.run_results import print_result

if TYPE_CHECKING:
    from controlplane.lifecycle.run_lifecycle import Run
    from controlplane.view.live_display import LiveDisplay


NOTICES: Final = 3
"""Most notices printed at a time; further notices are only counted."""
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
        self._thread = threading.Thread(target=self.print_until_done, name="plain view", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
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
                import_module("controlplane.view.report")  # Slow; the run's process has time while trials run.

    def _print_news(self) -> None:
        summary, phase, now = self.run.summary, phase_of(self.run), now_ms()
        if phase is not RunPhase.STARTING and self._printed_at_ms == 0:
            self._printed_at_ms = now
            already = f", {self._printed_over} of them over already" if self._printed_over else ""
            _print_line(f"run {self.run.journal.path.stem}: {count_text(len(summary.trials), 'trial')}{already}")
        self._print_notices()
        self._print_progress(now, phase)
        if phase is not self._printed_phase and phase in PHASES:
            _print_line(str(phase))
        self._printed_phase = phase

    def _print_notices(self) -> None:
        latest = self.run.summary.notices[self._printed_notices :]
        self._printed_notices += len(latest)
        notices = [cause for cause in dict.fromkeys(map(cause_of, latest)) if cause not in self._printed_causes]
        self._printed_causes.update(notices)
        for notice in notices[:NOTICES]:
            _print_line(f"notice: {one_line(notice)}")
        if len(notices) > NOTICES:
            _print_line(f"notice: {len(notices) - NOTICES} more of that kind")

    def _print_progress(self, now: int, phase: RunPhase) -> None:
        summary = self.run.summary
        over, total = summary.over, len(summary.trials)
        newly_over = over - self._printed_over
        # A line for each tenth of the trials, and one after 15 s.
        is_due = newly_over * 10 >= total or now - self._printed_at_ms >= 15_000 or over == total
        if not total or not (newly_over or summary.running) or not is_due:
            return
        self._printed_over, self._printed_at_ms = over, now
        parts = [f"{over} of {count_text(total, 'trial')} over after {clock_text((now - summary.began_ms) / 1000)}"]
        left = time_left_s(summary, now) if phase is RunPhase.WORKING else None
        parts += [f"about {age_text(max(left, 1))} left"] if left is not None else []
        _print_line(", ".join([*parts, *figure_texts(summary)]))


def _print_line(text: str) -> None:
    with contextlib.suppress(OSError):  # the reader is gone; the run goes on
        print(text, file=sys.stderr, flush=True)


@contextlib.contextmanager
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


@dataclasses.dataclass(kw_only=True)
class RunView:
    """Shows a run. Reads the run's summary in its own thread, so that no trial waits for a screen."""

    quiet: bool
    as_json: bool
    reports: bool = True
    """Print the result when the run ends."""
    display: Callable[[Run], PlainDisplay] | None = None
    """What shows the run, instead of a picture on a terminal and lines elsewhere."""

    @contextlib.contextmanager
    def showing(self, run: Run) -> Iterator[None]:
        """Show `run` for the length of the block. With `as_json`, whatever is printed meanwhile goes to stderr."""
        with _stdout_kept() if self.as_json else contextlib.nullcontext():
            display = self._display_of(run)
            if display is None:
                yield
                return
            display.start()
            try:
                yield
            finally:
                display.stop()

    def _display_of(self, run: Run) -> LiveDisplay | PlainDisplay | None:
        if self.display is None and not self.quiet and sys.stderr and sys.stderr.isatty():
            from controlplane.view.live_display import LiveDisplay  # Its library is slow to import.

            if LiveDisplay.is_possible():
                return LiveDisplay(run)
        return None if self.quiet or self.as_json else (self.display or PlainDisplay)(run)

    def report(self, run: Run, error: ControlPlaneError | None) -> None:
        """Print the run's result, and the error that ended it."""
        if not self.reports:
            pass
        elif self.as_json:
            print_result(run.summary, run.journal.path, error)
        else:
            from controlplane.view.report import print_report

            print_report(run.summary, run.journal.path)
        if error is not None:
            print(f"controlplane: {sanitize(str(error))}", file=sys.stderr)
