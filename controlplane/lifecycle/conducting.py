"""Conducts a run in the foreground.

It begins the run, plays its trials, submits it, and reports the result.
"""

from __future__ import annotations

import _thread
import contextlib
import ctypes
import gc
import os
import resource
import signal
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn, Protocol

from controlplane.agent.model import ModelError, RetriesExhausted
from controlplane.configuration.run_names import (
    belongs_to_a_program,
    is_played_here,
    resume_text,
    run_argument,
)
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import (
    BudgetExhausted,
    ControlPlaneError,
    Interrupted,
    JournalUnwritable,
    Unreachable,
    UsageError,
)
from controlplane.journal.journal_files import journal_id
from controlplane.journal.journal_reader import glance_at
from controlplane.journal.run_events import HowClosed, RunClosed
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.trial_summary import FAILED, OPEN, RUNNING, WAITING
from controlplane.lifecycle.run_beginnings import begin_run, opened_run, reopen_run
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_plan import Consent, RunPlan
from controlplane.lifecycle.run_submission import (
    poll_scores,
    refuse_if_running,
    submit_run,
)
from controlplane.program_invocation import invocation
from controlplane.quantity_texts import count_text


class RunScreen(Protocol):
    """Shows a run to the user."""

    @property
    def on_terminated(self) -> Callable[[Run], None] | None:
        """A function to call at the first SIGTERM, after which the process ends immediately.

        None: SIGTERM acts like Ctrl-C, which lets running scripts finish and interrupts requests to
        models (`RunControls.stop`).
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
            _tune_process()
        # Open the place of the trials first. If that fails, no run is left open at the benchmark.
        run.open_place()
        if not run.summary.run_id:
            begin_run(run)
        # If a model is not listed, tell the user, and let one trial try it while the others
        # wait.
        unlisted_notices = run.resources.models.unlisted_notices
        for notice in unlisted_notices:
            run.resources.notices.show_once(notice)
        run.resources.budget.spending.first_request_decides = bool(unlisted_notices)
        run.play_trials()
        _raise_if_unfinished(run)
        # A trial that could not start is still open at the benchmark, which refuses a run
        # with open trials unless it is forced.
        submit_run(run, force=run.summary.trials.count(FAILED) > 0)

    return _work_to_the_end(run, screen, work)


def conduct_new(plan: RunPlan, screen: RunScreen | None) -> tuple[Run, int]:
    """Conduct a new run to its end; return it, closed, with its exit code.

    Raises as `opened_run` does. Without a screen, nothing is printed.
    """
    with opened_run(plan) as run:
        code = conduct(run, screen)
        return run, code


def _work_to_the_end(
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
        # Nothing can be resumed from its journal.
        run.journal.discard()
        if run.controls.interrupted.is_set():
            msg = f"interrupted before the run began ({error})"
            raise Interrupted(msg) from error
        raise error

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
    run.close_place()


# Records how a run ended, and gives it its exit code.


def close_run(
    run: Run, error: BaseException | None = None, *, counts_trials: bool = True
) -> int:
    """Record how the run ended, and return its exit code.

    Without an error the code is 0 if every trial ended with an answer (or the fallback answer), none
    broke, their graders gave a score at all, and the run was submitted. If `counts_trials` is False, the
    outcome of the trials does not matter.
    """
    code = 0
    how: HowClosed = "finished"
    if error is not None:
        code = 1
        how = "failed"
        if isinstance(error, ControlPlaneError):
            code = error.exit_code
        if isinstance(error, KeyboardInterrupt):
            code = Interrupted.exit_code
    elif counts_trials:
        has_spent_all = bool(run.resources.budget.spending.end.reason)
        code = _exit_code_of_trials(run.summary, has_spent_all=has_spent_all)

    is_unwritable = isinstance(error, JournalUnwritable)
    if run.journal.failure is None and not is_unwritable:
        if code == Interrupted.exit_code:
            how = "interrupted"
        run.emit(RunClosed(how=how, exit_code=code, error=str(error or "")))
        run.journal.sync()
    return code


def _exit_code_of_trials(summary: RunSummary, *, has_spent_all: bool) -> int:
    """Return the exit code of a run by its trials.

    `has_spent_all` is True if the run has reached one of its limits of spending.
    """
    trials = summary.trials
    ended = trials.count("answered", "fallback")
    is_complete = summary.submitted and ended == len(trials)

    if has_spent_all and not is_complete:
        return BudgetExhausted.exit_code
    if any(trial.out_of_budget for trial in trials.values()):
        return BudgetExhausted.exit_code
    if not is_complete or any(trial.is_broken for trial in trials.values()):
        return 1
    if trials.unscored and not trials.scores:
        return 1  # Nothing of the run was graded.
    return 0


# Tells why a run is unfinished, and how to continue it.


def _raise_if_unfinished(run: Run) -> None:
    """Raise an error if trials are unfinished. It names the command that continues the run.

    If there are several reasons, the error has the first of these:

    1. A limit of the run is used up, and nothing else has stopped the run.
    2. An error has paused the run.
    3. The benchmark could not end some trials.
    4. No trial could be started.
    5. The user has interrupted the run.
    """
    trials = run.summary.trials
    used_up = run.resources.budget.spending.end.reason
    is_interrupted = run.controls.interrupted.is_set()
    if used_up and trials.left and run.paused is None and not is_interrupted:
        option = _doubled_limit(used_up, run.settings)
        resume = resume_command(run, option)
        left = count_text(trials.left, "trial")
        msg = f"{used_up}; {left} left; with a higher limit, continue with: {resume}"
        raise BudgetExhausted(msg)

    if run.paused is not None:
        # If the benchmark has failed, the user may also submit what there is.
        is_of_model = isinstance(run.paused, ModelError)
        remedy = _resume(run) if is_of_model else _resume_or_submit(run)
        msg = f"the run is paused: {run.paused}; {remedy}"
        if isinstance(run.paused, RetriesExhausted):
            raise BudgetExhausted(msg)
        raise Unreachable(msg)

    open_trials = trials.count(OPEN)
    if open_trials and not run.controls.stop.is_set():
        msg = (
            f"{count_text(open_trials, 'trial')} could not be ended, so the run is not submitted; "
            f"{_resume_or_submit(run)}"
        )
        raise Unreachable(msg)

    failed = [trial for trial in trials.values() if trial.state == FAILED]
    if failed and len(failed) == len(trials):
        reason = failed[0].reason
        msg = f"no trial could be started ({reason}), so the run is not submitted; {_resume(run)}"
        raise Unreachable(msg)

    if trials.count(WAITING, RUNNING, OPEN):
        msg = f"interrupted and not submitted; nothing that was recorded is lost; {_resume(run)}"
        raise Interrupted(msg)


def _resume(run: Run) -> str:
    """Return the end of a message: `continue with: controlplane resume RUN`."""
    return f"continue with: {resume_command(run)}"


def resume_command(run: Run, options: tuple[str, ...] = ()) -> str:
    """Return the command that continues a run or, for tasks of a program, the function call."""
    return resume_text(run.journal.path, run.resources.spec.settings.benchmark, options)


def _doubled_limit(used_up: str, settings: RunSettings) -> tuple[str, ...]:
    """Return the option that doubles the limit that is used up, such as `("--run-cost", "4")`.

    `used_up` names the limit's option: `"the run has spent $2 (--run-cost)"`. Returns
    an empty tuple if it names none.
    """
    limits = {
        "--run-cost": settings.run_cost,
        "--run-tokens": settings.run_tokens,
        "--run-time": settings.run_time,
    }
    for option, limit in limits.items():
        if f"({option})" in used_up and limit is not None:
            return option, f"{2 * limit:.15g}"
    return ()


def _resume_or_submit(run: Run) -> str:
    """Return how to continue a run and, if possible, how to submit it without its open trials.

    It can be submitted if some trials are open, none waits to begin, and a platform waits for the
    run. A list of tasks that a program has passed can only be opened again by that program.
    """
    resume = _resume(run)
    open_trials = run.summary.trials.count(OPEN)
    if not open_trials or run.summary.trials.count(WAITING):
        return resume
    benchmark = run.resources.spec.settings.benchmark
    if belongs_to_a_program(benchmark) or is_played_here(benchmark):
        return resume
    submit = invocation("submit", run_argument(run.journal.path), "--force")
    open_ones = "it" if open_trials == 1 else "them"
    return f"{resume} or, to submit it without {open_ones}: {submit}"


# Stops a run when a signal asks for it.

_SHOW_CURSOR: str = "\x1b[?25h\n"
"""Shows the cursor again, which the live display of a run hides."""


@contextmanager
def stop_on_signals(
    stop: Callable[[], None],
    run: Run | None = None,
    on_terminated: Callable[[Run], None] | None = None,
) -> Iterator[None]:
    """Handle signals in the block: call `stop` at the first one, and end the process at the second.

    - `stop` is called in a thread of its own, and may wait for locks.
    - The signals are SIGINT, SIGTERM and SIGHUP. An ignored SIGHUP stays ignored. A
      second SIGHUP does not end the process, since a closing terminal may send several.
    - `run`: the run to name in the message at the end of the process.
    - `on_terminated`: if given, even the first SIGTERM ends the process, after a call of this.

    Outside of the main thread, this does nothing: only that thread can handle signals.
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
            _end_at_once(run)  # does not return
        if is_stopping:  # This is the second signal.
            _end_at_once(run)
        is_stopping = True
        # The code that the signal has interrupted may hold a lock that `stop` needs, as while this
        # thread begins to wait for the event that `stop` sets. So another thread calls it.
        # (`threading.Thread` would need a lock for its start.)
        try:
            _thread.start_new_thread(stop, ())
        except RuntimeError:  # This machine has no room for a thread.
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


def _end_at_once(run: Run | None) -> NoReturn:
    """End the process immediately, with a message.

    The journal stays intact, since each event is a single write. This acquires no lock:
    the signal may have interrupted code that holds it.
    """
    text = "controlplane: stopped at once; nothing that was recorded is lost"
    if run is not None:
        text += f": {resume_command(run)}"
    cursor = _SHOW_CURSOR if os.isatty(2) else ""
    os.write(2, f"{cursor}{text}\n".encode())
    os._exit(Interrupted.exit_code)


def _detach_closed_terminal() -> None:
    """Redirect the standard streams of a closed terminal to the null device.

    Otherwise printing would fail, before the run has recorded its end. A closed terminal
    is still a character device, but `isatty` is false for it.
    """
    for number in range(3):
        with contextlib.suppress(OSError):
            is_device = stat.S_ISCHR(os.fstat(number).st_mode)
            if is_device and not os.isatty(number):
                null_device = os.open(os.devnull, os.O_RDWR)
                os.dup2(null_device, number)
                os.close(null_device)


# Tunes a process that does nothing but play trials: its threads, files and memory.

_THREAD_SWITCH_S: Final = 0.02
"""Seconds between switches of threads. Switches cost CPU time, and no trial is in a hurry."""
_COLLECTION_THRESHOLDS: Final = (10_000, 1, 1)
"""New objects after which garbage is collected, and younger collections after which older objects are looked at
too. A trial that has ended leaves objects that refer to each other, and waiting longer for them cost a quarter of the
memory of a run of 100 trials. A collection is quick, because it leaves out what was imported at the start."""
_ARENAS_OPTION: Final = -8
"""The option of glibc's `mallopt` for the most arenas (`M_ARENA_MAX` in malloc.h)."""
_MAX_ARENAS: Final = 2
"""Pools of memory for threads. By default each thread gets one of its own, and keeps what was freed in it."""


def _tune_process() -> None:
    """Set up a process that does nothing but play trials."""
    sys.setswitchinterval(_THREAD_SWITCH_S)
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt"):  # Only glibc has it.
        library.mallopt(_ARENAS_OPTION, _MAX_ARENAS)
    # Each trial opens some files, and the usual limit is 1,024.
    _, max_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        # Some systems have a lower limit than they report.
        resource.setrlimit(resource.RLIMIT_NOFILE, (max_files, max_files))
    _leave_imported_objects_alone()


@cache  # Once in a process: what later runs make is to be collected.
def _leave_imported_objects_alone() -> None:
    """Let the garbage collector leave out what exists now, mostly imported modules.

    A collection that looked at it would stop every trial. There is hardly any garbage among it yet, so
    that a collection now would cost more than it frees.
    """
    gc.freeze()
    gc.set_threshold(*_COLLECTION_THRESHOLDS)


# Submits a recorded run, or asks for its scores.
#
# Each function gets the path of the run's journal, opens the run again from it, does the work while a
# screen shows it, and returns the exit code of the command. Without a screen, nothing is printed.


def submit(
    path: Path, screen: RunScreen | None, *, force: bool, is_trusted: bool
) -> int:
    """Submit a run and return the exit code. With `force`, open trials score 0.

    `is_trusted`: True if the user accepts a journal that somebody else may have written.
    Raises `UsageError` if another process conducts the run, or trials are open without `force`.
    """
    refuse_if_running(path)
    open_trials = glance_at(path).trials.left
    if open_trials and not force:
        resume = _resume_text(path)
        msg = (
            f"{journal_id(path)} has {count_text(open_trials, 'open trial')}, which would score 0; "
            f"continue with: {resume} (or submit anyway with --force)"
        )
        raise UsageError(msg)
    # Trials that did not end are no failure of this command.
    consent = Consent(is_trusted)
    with reopen_run(path, plays_trials=False, consent=consent) as run:
        return _work_to_the_end(
            run, screen, lambda: submit_run(run, force=force), counts_trials=False
        )


def poll(path: Path, screen: RunScreen | None, *, is_trusted: bool) -> int:
    """Ask for the scores of a submitted run, add them to its journal, and return the exit code.

    Raises `UsageError` if another process conducts the run, or it was not submitted.
    """
    refuse_if_running(path)
    if not glance_at(path).submitted:
        resume = _resume_text(path)
        msg = f"the run {journal_id(path)} was not submitted; continue with: {resume}"
        raise UsageError(msg)
    consent = Consent(is_trusted)
    with reopen_run(path, plays_trials=False, consent=consent) as run:
        return _work_to_the_end(
            run, screen, lambda: poll_scores(run), counts_trials=False
        )


def _resume_text(path: Path) -> str:
    """Return the command, or the call of a program, that continues the run of a journal."""
    opened = glance_at(path).opened
    return resume_text(path, opened.benchmark if opened is not None else "")
