"""Conducts a run in the foreground: begins it, plays its trials, submits it, and
reports the result.

Also handles signals, and tells the user how to continue an unfinished run.
"""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import NoReturn, Protocol

from controlplane.agent.model import ModelError, RetriesExhausted
from controlplane.configuration.config_file import run_argument
from controlplane.configuration.continuation import belongs_to_a_program, resume_text
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import (
    BudgetExhausted,
    ControlPlaneError,
    Interrupted,
    JournalUnwritable,
    Unreachable,
    invocation,
)
from controlplane.journal.trial_summary import FAILED, OPEN, RUNNING, WAITING
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_submission import submit_run
from controlplane.lifecycle.trial_workers import tune_process
from controlplane.terminal_text import count_text

SHOW_CURSOR: str = "\x1b[?25h\n"
"""Shows the cursor again, which the live display of a run hides."""


class RunScreen(Protocol):
    """Shows a run to the user."""

    @property
    def on_terminated(self) -> Callable[[Run], None] | None:
        """A function to call at the first SIGTERM, after which the process ends
        immediately.

        None: SIGTERM acts like Ctrl-C, which lets running steps finish."""

    def showing(self, run: Run) -> AbstractContextManager[None]:
        """Return a context manager. The run is shown while it is entered."""

    def report(self, run: Run, error: ControlPlaneError | None) -> None:
        """Print the run's result and, if there is one, the error that ended it."""


def conduct(run: Run, screen: RunScreen | None = None) -> int:
    """Begin a run unless it is resumed, play its trials, submit and report it; return
    the exit code.

    An interrupted run is not submitted. Without a screen, nothing is printed, and the
    process is not tuned for trials, since it belongs to the program that called this.

    If the run cannot begin, its journal is removed, and the `ControlPlaneError` is
    raised.
    """

    def work() -> None:
        if screen is not None:
            tune_process()
        # Open the workers first. If that fails, no run is left open at the benchmark.
        run.open_workers()
        if not run.summary.run_id:
            run.begin()
        run.work()
        raise_if_unfinished(run)
        # A trial that could not start is still open at the benchmark, so submit it by
        # force.
        submit_run(run, force=run.summary.count(FAILED) > 0)

    return work_to_the_end(run, screen, work)


def work_to_the_end(
    run: Run,
    screen: RunScreen | None,
    action: Callable[[], None],
    *,
    counts_trials: bool = True,
) -> int:
    """Call `action` while the screen shows the run; record and report the run's end;
    return the exit code.

    With `counts_trials`, the exit code is 1 if a trial did not end.

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
            run.close(defect)
            raise

    is_open = bool(
        run.summary.run_id
    )  # The benchmark names the id when the run begins.
    if error is not None and not is_open:
        _discard(run, error)

    try:
        code = run.close(error, counts_trials=counts_trials)
    except JournalUnwritable as unwritten:
        error = error or unwritten
        code = error.exit_code
    run.summary.mark_stopped()  # If the journal cannot be written, no event has done this.
    if screen is not None:
        screen.report(run, error)
    return code


def _stop_working(run: Run) -> None:
    """Start no more trials, and wait for those that are running."""
    run.stop()
    run.close_workers()


def _discard(run: Run, error: ControlPlaneError) -> NoReturn:
    """Remove the journal of a run that has not begun, since nothing can be resumed.
    Raise the error."""
    run.journal.discard()
    if run.controls.interrupted.is_set():
        msg = f"interrupted before the run began ({error})"
        raise Interrupted(msg) from error
    raise error


# A run that is not finished


def raise_if_unfinished(run: Run) -> None:
    """Raise an error if trials are unfinished. It names the command that continues the
    run.

    If there are several reasons, the error has the first of these:

    1. A limit of the run is used up, and nothing else has stopped the run.
    2. An error has paused the run.
    3. The benchmark could not end some trials.
    4. No trial could be started.
    5. The user has interrupted the run.
    """
    resume = f"continue with: {_resume_text(run)}"

    used_up = run.resources.budget.spending.stop_reason
    stopped_otherwise = run.paused is not None or run.controls.interrupted.is_set()
    if used_up and run.summary.left and not stopped_otherwise:
        raise BudgetExhausted(_used_up_text(run, used_up))

    if run.paused is not None:
        can_be_submitted = not isinstance(run.paused, ModelError)
        remedy = _resume_or_submit(run, resume) if can_be_submitted else resume
        msg = f"the run is paused: {run.paused}; {remedy}"
        if isinstance(run.paused, RetriesExhausted):
            raise BudgetExhausted(msg)
        raise Unreachable(msg)

    open_trials = run.summary.count(OPEN)
    if open_trials and not run.controls.stop.is_set():
        msg = (
            f"{count_text(open_trials, 'trial')} could not be ended, so the run is not submitted; "
            f"{_resume_or_submit(run, resume)}"
        )
        raise Unreachable(msg)

    failed = [trial for trial in run.summary.trials.values() if trial.state == FAILED]
    if failed and len(failed) == len(run.summary.trials):
        reason = failed[0].reason
        msg = f"no trial could be started ({reason}), so the run is not submitted; {resume}"
        raise Unreachable(msg)

    if run.summary.count(WAITING, RUNNING, OPEN):
        msg = f"interrupted and not submitted; nothing that was recorded is lost; {resume}"
        raise Interrupted(msg)


def _used_up_text(run: Run, used_up: str) -> str:
    """Return a message about a limit that is used up, with the command that raises
    it."""
    option = _doubled_limit(used_up, run.resources.spec.settings)
    trials = count_text(run.summary.left, "trial")
    return f"{used_up}; {trials} left; with a higher limit, continue with: {_resume_text(run, option)}"


def _resume_text(run: Run, options: tuple[str, ...] = ()) -> str:
    """Return the command that continues a run or, for tasks of a program, the function
    call."""
    return resume_text(run.journal.path, run.resources.spec.settings.benchmark, options)


def _doubled_limit(used_up: str, settings: RunSettings) -> tuple[str, ...]:
    """Return the option that doubles the limit that is used up, such as `("--run-cost",
    "4")`.

    `used_up` names the limit's option: `"the run has spent $2 (--run-cost)"`. Returns
    an empty tuple if it names none.
    """
    limits = {
        "--run-cost": settings.run_cost,
        "--max-tokens-run": settings.max_tokens_run,
        "--run-time": settings.run_time,
    }
    for option, limit in limits.items():
        if f"({option})" in used_up and limit is not None:
            return option, f"{2 * limit:.15g}"
    return ()


def _resume_or_submit(run: Run, resume: str) -> str:
    """Return how to continue a run and, if all unfinished trials have begun, how to
    submit it.

    A run of a program's own tasks can only be continued, by the program.
    """
    open_trials = run.summary.count(OPEN)
    if not open_trials or run.summary.count(WAITING):
        return resume
    if belongs_to_a_program(run.resources.spec.settings.benchmark):
        return resume
    submit = invocation("submit", run_argument(run.journal.path), "--force")
    open_ones = "it" if open_trials == 1 else "them"
    return f"{resume} or, to submit it without {open_ones}: {submit}"


# Signals


@contextmanager
def stop_on_signals(
    stop: Callable[[], None],
    run: Run | None = None,
    on_terminated: Callable[[Run], None] | None = None,
) -> Iterator[None]:
    """Handle signals in the block: call `stop` at the first one, and end the process at
    the second.

    - The signals are SIGINT, SIGTERM and SIGHUP. An ignored SIGHUP stays ignored. A
      second SIGHUP does not end the process, since a closing terminal may send several.
    - `run`: the run to name in the message at the end of the process.
    - `on_terminated`: if given, even the first SIGTERM ends the process, after a call
      of this.

    Outside of the main thread, this does nothing, because only that thread can handle
    signals.
    """
    is_stopping = False

    def on_signal(number: int, frame: FrameType | None) -> None:
        nonlocal is_stopping
        del frame
        if number == signal.SIGHUP:
            _detach_closed_terminal()
            if is_stopping:
                return
        if number == signal.SIGTERM and run is not None and on_terminated is not None:
            with contextlib.suppress(Exception):  # The process has to end in any case.
                on_terminated(run)
            _end_at_once(run)
        if is_stopping:  # This is the second signal.
            _end_at_once(run)
        is_stopping = True
        stop()

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    handlers_before = {number: signal.signal(number, on_signal) for number in numbers}
    try:
        yield
    finally:
        for number, handler in handlers_before.items():
            signal.signal(number, handler)


def _end_at_once(run: Run | None) -> None:
    """End the process immediately, with a message.

    The journal stays intact, since each event is a single write. This acquires no lock:
    the signal may have interrupted code that holds it.
    """
    text = "controlplane: stopped at once; nothing that was recorded is lost"
    if run is not None:
        text += f": {_resume_text(run)}"
    cursor = SHOW_CURSOR if os.isatty(2) else ""
    os.write(2, f"{cursor}{text}\n".encode())
    os._exit(Interrupted.exit_code)


def _detach_closed_terminal() -> None:
    """Redirect the standard streams of a closed terminal to the null device.

    Otherwise printing would fail before the run has recorded its end. A closed terminal
    is a character device for which `isatty` is false.
    """
    for number in range(3):
        with contextlib.suppress(OSError):
            is_device = stat.S_ISCHR(os.fstat(number).st_mode)
            if is_device and not os.isatty(number):
                null_device = os.open(os.devnull, os.O_RDWR)
                os.dup2(null_device, number)
                os.close(null_device)
