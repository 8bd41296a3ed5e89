"""Conducts a run in the foreground.

It begins the run, plays its trials, submits it, and reports the result.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import NoReturn, Protocol

from controlplane.errors import (
    ControlPlaneError,
    Interrupted,
    JournalUnwritable,
)
from controlplane.journal.totals.trial_summary import FAILED
from controlplane.lifecycle.run_end import close_run
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_signals import stop_on_signals
from controlplane.lifecycle.run_start import begin_run
from controlplane.lifecycle.run_submission import submit_run
from controlplane.lifecycle.trials.process_tuning import tune_process
from controlplane.lifecycle.unfinished_run import raise_if_unfinished


class RunScreen(Protocol):
    """Shows a run to the user."""

    @property
    def on_terminated(self) -> Callable[[Run], None] | None:
        """A function to call at the first SIGTERM, after which the process ends immediately.

        None: SIGTERM acts like Ctrl-C, which lets running steps finish.
        """

    def showing(self, run: Run) -> AbstractContextManager[None]:
        """Return a context manager. The run is shown while it is entered."""

    def report(self, run: Run, error: ControlPlaneError | None) -> None:
        """Print the run's result and, if there is one, the error that ended it."""


def conduct(run: Run, screen: RunScreen | None = None) -> int:
    """Conduct a run from its beginning to its report; return the exit code.

    A resumed run has begun already. An interrupted run is not submitted. Without a
    screen, nothing is printed, and the process keeps its settings, since it belongs to
    the program that called this.

    If the run cannot begin, its journal is removed, and the `ControlPlaneError` is
    raised.
    """

    def work() -> None:
        if screen is not None:
            tune_process()
        # Open the workers first. If that fails, no run is left open at the benchmark.
        run.work.open_workers()
        if not run.summary.run_id:
            begin_run(run)
        run.work.play_trials(run.summary.trials, run.trial_records)
        raise_if_unfinished(run)
        # A trial that could not start is still open at the benchmark, which refuses a run
        # with open trials unless it is forced.
        submit_run(run, force=run.summary.trials.count(FAILED) > 0)

    return work_to_the_end(run, screen, work)


def work_to_the_end(
    run: Run,
    screen: RunScreen | None,
    action: Callable[[], None],
    *,
    counts_trials: bool = True,
) -> int:
    """Call `action` while the screen shows the run; record and report how the run ended.

    `action` is the run's work, such as `lambda: poll_scores(run)`. Without a screen, nothing is
    shown. Returns the exit code. With `counts_trials`, it is 1 if a trial did not end.

    A `ControlPlaneError` of `action` ends the run. It is reported if the run has begun,
    and raised otherwise. Other exceptions are defects; they are recorded and raised.
    """
    error: ControlPlaneError | None = None
    shown = screen.showing(run) if screen is not None else contextlib.nullcontext()
    on_terminated = screen.on_terminated if screen is not None else None
    with shown, stop_on_signals(run.interrupt, run, on_terminated):
        try:
            action()
        except ControlPlaneError as failure:
            _stop_working(run)
            error = failure
        except BaseException as defect:
            _stop_working(run)
            close_run(run, defect)
            raise

    # A run has an id from when it begins at the benchmark.
    is_known_to_benchmark = bool(run.summary.run_id)
    if error is not None and not is_known_to_benchmark:
        _discard(run, error)  # raises

    try:
        code = close_run(run, error, counts_trials=counts_trials)
    except JournalUnwritable as unwritten:
        error = error or unwritten
        code = error.exit_code
    # No trial works any more. The event of the run's end has marked the trials as stopped for the
    # report, unless it could not be written.
    run.summary.trials.mark_stopped()
    if screen is not None:
        screen.report(run, error)
    return code


def _stop_working(run: Run) -> None:
    """Start no more trials, and wait for those that are running."""
    run.stop()
    run.work.close_workers()


def _discard(run: Run, error: ControlPlaneError) -> NoReturn:
    """Remove the journal of a run that has not begun, since nothing can be resumed.

    Then raise `error`, which has kept it from beginning, or `Interrupted` if the user pressed Ctrl-C.
    """
    run.journal.discard()
    if run.controls.interrupted.is_set():
        msg = f"interrupted before the run began ({error})"
        raise Interrupted(msg) from error
    raise error
