"""Shows a run or a question while it happens, and reports its result at the end.

A run is a picture that a terminal or a notebook redraws in place, or else a line for each tenth of it.
A question prints its notices and, on a terminal, each call and a line that is redrawn.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias

import click

from controlplane.agent.events import now_ms
from controlplane.errors import ControlPlaneError
from controlplane.facts.run_facts import (
    KnownJournals,
    RunDetails,
    RunFacts,
    run_details,
    run_facts,
)
from controlplane.facts.trial_facts import TrialFacts
from controlplane.gate_texts import cause_of
from controlplane.quantity_texts import age_text, clock_text, count_text
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import one_line, sanitize, say
from controlplane.view.result_json import print_result

if TYPE_CHECKING:
    from rich.console import ConsoleDimensions
    from rich.live import Live
    from rich.text import Text

    from controlplane.lifecycle.run_lifecycle import Run
    from controlplane.view.printed_columns import CleanConsole

# Asks the user on the terminal to approve a call that is held back.

_PROMPT: Final = threading.Lock()
"""Held while a question waits for the user. Nothing else is drawn meanwhile."""
_CLEAR_LINE: Final = "\r\x1b[K"


def approve_on_terminal(message: str) -> bool | None:
    """Ask the user about a call. Return None if there is no terminal.

    If several trials ask at once, the user is asked one question after the other.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    with _PROMPT, contextlib.suppress(click.Abort):
        click.echo(_CLEAR_LINE, nl=False, err=True)
        say(message, err=True)
        return click.confirm("Send it?", default=False, err=True)
    return False


# What every display tells: the phase of a run, its times, and its new notices.


class RunPhase(StrEnum):
    """A phase of a run. Its value is a text for the user, the last line of the display."""

    STARTING = "starting the run"
    WORKING = "Ctrl-C: stop after the running steps; the rest can be resumed"
    STOPPING = "stopping after the running steps; a second Ctrl-C stops at once"
    PAUSING = "pausing after the running steps: the run cannot continue for now"
    FAILING = "stopping: the run cannot continue"
    SUBMITTING = "submitting the run"
    SCORING = "submitted; waiting for the scores"
    OVER = "the scores are in"


def _phase_of(run: Run, facts: RunFacts) -> RunPhase:
    """Return the present phase of a run."""
    if not facts.trials_total:
        return RunPhase.STARTING
    if facts.submitted:
        return RunPhase.OVER if facts.state == "evaluated" else RunPhase.SCORING
    if run.paused:
        return RunPhase.PAUSING
    if run.controls.stop.is_set():
        is_wanted = run.controls.interrupted.is_set()
        return RunPhase.STOPPING if is_wanted else RunPhase.FAILING
    return RunPhase.WORKING if facts.trials_left else RunPhase.SUBMITTING


def _time_texts(run: RunDetails, phase: RunPhase, at_ms: int) -> list[str]:
    """Return how long a run has taken and, if that can be told, how long it still takes.

    `["3:10", "about 4 min left"]`
    """
    texts = [clock_text((at_ms - (run.began_ms or at_ms)) / 1000)]
    left_s = run.remaining_s(at_ms) if phase is RunPhase.WORKING else None
    if left_s is not None:
        texts.append(f"about {age_text(max(left_s, 1))} left")
    return texts


class NewNotices:
    """Gives each notice of a run once, or each cause: many trials may have notices with the same."""

    def __init__(self, shown: int) -> None:
        self._shown = shown
        """The number of notices that were shown, or belong to an earlier part of the run."""
        self._causes: set[str] = set()

    def of(self, run: RunDetails) -> list[str]:
        """Return the new notices, each in one line."""
        notices = run.notices[self._shown :]
        self._shown += len(notices)
        return [one_line(notice) for notice in notices]

    def causes(self, run: RunDetails) -> list[str]:
        """Return a line for each new cause; if there are many, lines for a few of them."""
        causes = dict.fromkeys(map(cause_of, self.of(run)))
        new_causes = [cause for cause in causes if cause not in self._causes]
        self._causes.update(new_causes)
        lines = [f"notice: {cause}" for cause in new_causes[: bounds.SHOWN_EXAMPLES]]
        left_out = len(new_causes) - len(lines)
        if left_out:
            lines.append(f"notice: {count_text(left_out, 'more cause')}")
        return lines


@contextmanager
def _drawing(draw: Callable[[bool], None], every_s: float) -> Iterator[None]:
    """Call `draw` in a thread every few seconds until the block ends.

    `draw` gets True in its last call, which is made when the block has ended.
    """
    block_ended = threading.Event()

    def draw_until_end() -> None:
        is_last = False
        while not is_last:
            is_last = block_ended.wait(every_s)
            draw(is_last)

    thread = threading.Thread(target=draw_until_end, name="plain view", daemon=True)
    thread.start()
    try:
        yield
    finally:
        block_ended.set()
        thread.join()


# A run as a picture, which a terminal or a notebook redraws in place and erases at the end.

_FIGURES_WIDTH: Final = 45
"""The largest width of the figures after the progress bar, in columns."""
_WIDEST_BAR: Final = 40
_NARROWEST_BAR: Final = 10
_WIDTH_OF_ECHO: Final = len("^C")
"""The number of columns at the end of the last line that stay empty.

The terminal echoes Ctrl-C there, and a wrapped line would shift the picture.
"""
_WIDEST_PICTURE: Final = 100
_LINES_AROUND_TRIALS: Final = 7
"""The lines besides the trials.

Title, progress, figures, rejections, number of hidden trials, last line, and the cursor.
"""
_NAME_WIDTH: Final = 28
"""The width of a trial's name in columns."""


def _live_picture(run: Run, console: CleanConsole) -> Live:
    """Return a context manager that draws a run on a console, and erases the picture at the end."""
    from rich.console import Group
    from rich.live import Live

    def draw() -> Group:
        details = run_details(run.summary, run.journal.path)
        phase = _phase_of(run, details.facts)
        return Group(*picture(details, phase, now_ms(), console.size))

    return Live(
        console=console,
        get_renderable=draw,
        refresh_per_second=5,
        transient=True,
        redirect_stdout=sys.stdout.isatty(),
    )


def picture(
    run: RunDetails, phase: RunPhase, at_ms: int, window: ConsoleDimensions
) -> list[Text]:
    """Return the lines of the picture at the time `at_ms`, cut to the size of the window."""
    from rich.text import Text

    from controlplane.view.tables.run_table import rejections_text, run_title

    facts = run.facts
    width = min(window.width, _WIDEST_PICTURE)
    shown = max(window.height - _LINES_AROUND_TRIALS, 0)
    trials = [_trial_line(trial, at_ms) for trial in islice(run.running, shown)]
    others = facts.trials_running - len(trials)
    # A line without text stays empty, so that the other lines do not move.
    lines = [
        run_title(facts) if run.opened else Text(),
        Text.assemble(*_progress_line(facts, _time_texts(run, phase, at_ms), width)),
        Text(" · ".join(facts.figure_texts)),
        Text(rejections_text(facts.rejections), style="yellow"),
        *[Text.assemble(*trial) for trial in trials],
        Text(f"  + {others} more running" if others > 0 else "", style="dim"),
        Text.assemble(_last_line(run.new_notices, phase)),
    ]
    # A text in the last column or the last row would make some terminals scroll.
    for line in lines:
        line.no_wrap = True
        line.truncate(width - 1, overflow="ellipsis")
    lines = lines[: max(window.height - 1, 1)]
    lines[-1].truncate(width - 1 - _WIDTH_OF_ECHO, overflow="ellipsis")
    return lines


_Styled: TypeAlias = tuple[str, str]
"""A text with its style."""


def _progress_line(run: RunFacts, times: list[str], width: int) -> list[_Styled]:
    """Return a progress bar with the number of ended trials, the elapsed and the remaining time.

    `━━━━━━━──────── 20 of 40 · 3:10 · about 4 min left`, in a terminal of `width` columns.
    """
    bar_width = max(min(width - _FIGURES_WIDTH, _WIDEST_BAR), _NARROWEST_BAR)
    done_width = bar_width * run.trials_over // max(run.trials_total, 1)
    figures = " · ".join([f" {run.trials_over} of {run.trials_total}", *times])
    return [
        ("━" * done_width, "green"),
        ("─" * (bar_width - done_width), "dim"),
        (figures, ""),
    ]


def _trial_line(trial: TrialFacts, at_ms: int) -> list[_Styled]:
    """Return the line of a running trial.

    `  orders.3   step  4   1:20  runs a script    3 rows`
    """
    name = one_line(trial.task)[:_NAME_WIDTH]
    elapsed = clock_text((at_ms - trial.started_ms) / 1000)
    printed = one_line(trial.output.rstrip().rpartition("\n")[2])
    return [
        (f"  {name:<{_NAME_WIDTH}}", "cyan"),
        (f" step {trial.current_step:>2} ", ""),
        (f"{elapsed:>6}  ", "dim"),
        (one_line(trial.doing), ""),
        (f"  {printed}" if printed else "", "dim"),
    ]


def _last_line(notices: Sequence[str], phase: RunPhase) -> _Styled:
    """Return the phase of the run, or its latest notice: `2 notices, the latest: …`."""
    is_working = phase is RunPhase.WORKING
    text = str(phase)
    if notices and is_working:
        count = count_text(len(notices), "notice")
        text = f"{count}, the latest: {one_line(notices[-1])}"
    elif notices and phase in (RunPhase.SUBMITTING, RunPhase.SCORING):
        text = f"{phase}: {one_line(notices[-1])}"
    return text, "dim" if is_working else "bold"


# A run in plain lines: its title, about one line for each tenth of it, and notices.

_LINE_AT_LEAST_EVERY_MS: Final = 15_000
"""There is a line at least this often, even if few trials have ended."""
_REPORTED_PHASES: Final = (RunPhase.STOPPING, RunPhase.PAUSING, RunPhase.SCORING)
_LOOK_EVERY_S: Final = 1.0


class _PlainDisplay:
    """Prints what has changed in a run since the last look."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._told_over = run.summary.trials.over
        """The number of trials that are over, as the user knows it."""
        self._told_at_ms = 0
        """When the user was last told about the trials; 0 before the title."""
        self._notices = NewNotices(run.summary.earlier_notices)
        self._printed_phase = RunPhase.STARTING

    def print_news(self, is_last: bool) -> None:
        """Print what has changed since the last call. `is_last`: the run is over."""
        run = run_details(self.run.summary, self.run.journal.path)
        facts = run.facts
        phase = _phase_of(self.run, facts)
        now = now_ms()
        lines = []
        if phase is not RunPhase.STARTING and not self._told_at_ms:
            self._told_at_ms = now
            title = f"run {facts.run}: {count_text(facts.trials_total, 'trial')}"
            earlier = f", {self._told_over} of them over already"
            lines.append(title + earlier if self._told_over else title)
        lines += self._notices.causes(run)
        if self._is_line_due(facts, now):
            self._told_over = facts.trials_over
            self._told_at_ms = now
            elapsed, *left = _time_texts(run, phase, now)
            total = count_text(facts.trials_total, "trial")
            over = f"{facts.trials_over} of {total} over after {elapsed}"
            lines.append(", ".join([over, *left, *facts.figure_texts]))
        if phase is not self._printed_phase and phase in _REPORTED_PHASES:
            lines.append(str(phase))
        self._printed_phase = phase

        with contextlib.suppress(OSError):  # Nobody reads them, but the run continues.
            for line in lines:
                print(line, file=sys.stderr, flush=True)
        # The table at the run's end is wanted at once, and loads slowly.
        if self._told_over and not is_last:
            import_module("controlplane.view.tables.run_table")

    def _is_line_due(self, run: RunFacts, now: int) -> bool:
        """Return True if a line is due: after each tenth of the trials, or after some time.

        Without a running or newly ended trial, none is. `now` is in milliseconds since 1970.
        """
        newly_over = run.trials_over - self._told_over
        if newly_over <= 0 and not run.trials_running:
            return False
        is_late = now - self._told_at_ms >= _LINE_AT_LEAST_EVERY_MS
        return newly_over * 10 >= run.trials_total or is_late or not run.trials_left


# A question: notices and, on a terminal, each call and a line that is redrawn.

_REDRAW_EVERY_S: Final = 0.2
_DEFAULT_WIDTH: Final = 80
"""The width of a terminal that does not report its width, in columns."""
STOPPING: Final = "stopping after this step; Ctrl-C again stops at once"


def question_display(run: Run) -> AbstractContextManager[None]:
    """Return a context manager that shows a question until its block ends."""
    return _drawing(_QuestionDisplay(run).redraw, _REDRAW_EVERY_S)


class _QuestionDisplay:
    """Prints notices and, on a terminal, each call and a line that is redrawn.

    The line shows step, activity, tokens, cost and time, and the end of the text that a
    model is writing. A question is a run with one trial.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self._is_terminal = sys.stderr.isatty()
        self._notices = NewNotices(shown=0)
        self._printed_calls = 0
        self._has_printed_stopping = False
        self._model_text = ""
        """The end of the text that the model is writing; empty between its replies."""
        if self._is_terminal:
            for endpoint in run.resources.models.endpoints:
                endpoint.stream_to(self._add_model_text)

    def _add_model_text(self, text: str) -> None:
        self._model_text = (self._model_text + text)[-bounds.SHOWN_VALUE_CHARS :]

    def redraw(self, is_over: bool) -> None:
        """Print what is new, and draw the line of progress again below it.

        `is_over` is True at the last call: the line is then removed.
        """
        if _PROMPT.locked():  # Nothing is drawn over a question to the user.
            return
        run = run_details(self.run.summary, self.run.journal.path)
        lines = self._notices.of(run)
        if self.run.controls.interrupted.is_set() and not self._has_printed_stopping:
            self._has_printed_stopping = True
            lines.append(STOPPING)
        progress = ""
        clear = ""
        if self._is_terminal:
            clear = _CLEAR_LINE
            for trial in run.trials:
                lines += self._new_calls(trial)
                if trial.doing != "thinking":
                    self._model_text = ""  # It was the text of the last step.
                if not is_over:
                    progress = self._progress(trial, run.began_ms)

        for line in lines:
            sys.stderr.write(f"{clear}{line}\n")
        sys.stderr.write(clear + progress)
        sys.stderr.flush()

    def _new_calls(self, trial: TrialFacts) -> list[str]:
        """Return the calls of a trial that have not been printed: `  read /a/b.md`."""
        count = trial.calls - self._printed_calls
        self._printed_calls = trial.calls
        calls = trial.last_calls[-count:] if count else ()
        return [click.style(f"  {one_line(call)}", dim=True) for call in calls]

    def _progress(self, trial: TrialFacts, began_ms: int) -> str:
        """Return the line that is redrawn, cut to the terminal's width."""
        activity = one_line(trial.doing)[: bounds.SHOWN_VALUE_CHARS]
        if self._model_text:
            activity = f"…{one_line(self._model_text)}"
        elapsed = clock_text((now_ms() - began_ms) / 1000)
        parts = [f"step {trial.current_step}", activity, *trial.spent_texts, elapsed]
        width = os.get_terminal_size(sys.stderr.fileno()).columns or _DEFAULT_WIDTH
        return " · ".join(parts)[: width - 1]


# The display of a command or a notebook, and the report at the end.


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
    display: Callable[[Run], AbstractContextManager[object]] | None = None
    """Creates the display; None for a picture on a terminal and lines elsewhere."""
    on_terminated: Callable[[Run], None] | None = None
    """Called at the first SIGTERM, before the process ends."""

    @contextmanager
    def showing(self, run: Run) -> Iterator[None]:
        """Show `run` until the block ends. With `as_json`, all output meanwhile goes to stderr."""
        stdout = _stdout_to_stderr() if self.as_json else contextlib.nullcontext()
        with stdout, self._display_of(run):
            yield

    def _display_of(self, run: Run) -> AbstractContextManager[object]:
        """Return a context manager that shows a run.

        The first that applies:
        - `quiet`: nothing.
        - On a terminal, without a `display` of the caller: the live picture. It is drawn on
          standard error, so that it does not disturb the JSON of `as_json`.
        - `as_json`: nothing. Whoever reads JSON in a pipe needs no lines of progress.
        - The caller's `display`, or else plain lines.
        """
        if self.quiet:
            return contextlib.nullcontext()
        if self.display is None and sys.stderr and sys.stderr.isatty():
            from controlplane.view.printed_columns import CleanConsole

            console = CleanConsole(stderr=True, highlight=False)
            if console.is_interactive and console.encoding.startswith("utf"):
                return _live_picture(run, console)
        if self.as_json:
            return contextlib.nullcontext()
        if self.display is not None:
            return self.display(run)
        return _drawing(_PlainDisplay(run).print_news, _LOOK_EVERY_S)

    def report(self, run: Run, error: ControlPlaneError | None) -> None:
        """Print the run's result, and the error that ended it, and keep its facts for lists of runs."""
        if self.reports and self.as_json:
            print_result(run_details(run.summary, run.journal.path, error))
        elif self.reports:
            from controlplane.view.tables.run_table import print_run_table

            print_run_table(run_details(run.summary, run.journal.path))
        if error is not None:
            print(f"controlplane: {sanitize(str(error))}", file=sys.stderr)

        # The user reads the result meanwhile.
        journal = run.journal.path
        with contextlib.suppress(OSError):
            known = KnownJournals(journal.parent)
            known.add(journal, journal.stat(), run_facts(run.summary, journal))
            known.save()


SILENT: Final = RunView(quiet=True, as_json=False, reports=False)


def notebook_display(run: Run) -> AbstractContextManager[object]:
    """Return a context manager that shows a run below a notebook's cell, and elsewhere nothing.

    With ipywidgets, rich redraws one picture in place. Without it, lines are printed one
    below the other, as in a pipe.
    """
    if "ipykernel" not in sys.modules:
        return contextlib.nullcontext()
    if find_spec("ipywidgets") is None:
        return _drawing(_PlainDisplay(run).print_news, _LOOK_EVERY_S)

    from controlplane.view.printed_columns import CleanConsole

    return _live_picture(run, CleanConsole(force_jupyter=True, highlight=False))


@contextmanager
def _stdout_to_stderr() -> Iterator[None]:
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
