"""Shows a run in plain lines: its title, about one line for each tenth of it, and notices."""

from __future__ import annotations

import contextlib
import sys
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Final

from controlplane.agent.events import now_ms
from controlplane.facts.run_facts import run_facts
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.quantity_texts import count_text
from controlplane.view.progress.question_display import NewCauses, NewNotices
from controlplane.view.progress.run_phase import (
    RunPhase,
    drawing,
    phase_of,
    time_texts,
)

_LINE_AT_LEAST_EVERY_MS: Final = 15_000
"""There is a line at least this often, even if few trials have ended."""
_REPORTED_PHASES: Final = (RunPhase.STOPPING, RunPhase.PAUSING, RunPhase.SCORING)
_LOOK_EVERY_S: Final = 0.5


def plain_display(run: Run) -> AbstractContextManager[None]:
    """Return a context manager that prints lines about a run until its block ends."""
    return drawing(_PlainDisplay(run).print_news, _LOOK_EVERY_S)


class _PlainDisplay:
    """Prints what has changed in a run since the last look."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._told_over = run.summary.trials.over
        """The number of trials that are over, as the user knows it."""
        self._told_at_ms = 0
        """When the user was last told about the trials."""
        self._causes = NewCauses(NewNotices(run.summary.earlier_notices))
        """Lines about what holds the run up, such as a failing server, and about warnings."""
        self._has_printed_head = False
        self._printed_phase = RunPhase.STARTING

    def print_news(self, is_last: bool) -> None:
        """Print what has changed since the last call. `is_last`: the run is over."""
        phase = phase_of(self.run)
        now = now_ms()
        if phase is not RunPhase.STARTING and not self._has_printed_head:
            self._has_printed_head = True
            self._told_at_ms = now
            _print_line(self._head())
        for line in self._causes.lines(self.run.summary):
            _print_line(line)
        if self._is_line_due(now):
            self._told_over = self.run.summary.trials.over
            self._told_at_ms = now
            _print_line(_progress_line(self.run, phase, now))
        if phase is not self._printed_phase and phase in _REPORTED_PHASES:
            _print_line(str(phase))
        self._printed_phase = phase

        # The table at the run's end is wanted at once, so its modules are loaded while trials run.
        some_trials_are_over = self._told_over > 0
        if some_trials_are_over and not is_last:
            _load_table_of_trials()

    def _head(self) -> str:
        """Return the title of the run with its number of trials."""
        trials = count_text(len(self.run.summary.trials), "trial")
        line = f"run {self.run.journal.path.stem}: {trials}"
        if self._told_over:
            line += f", {self._told_over} of them over already"
        return line

    def _is_line_due(self, now: int) -> bool:
        """Return True if a line is due: after each tenth of the trials, or after some time.

        Without a running or newly ended trial, none is. `now` is in milliseconds since 1970.
        """
        trials = self.run.summary.trials
        newly_over = trials.over - self._told_over
        has_news = newly_over > 0 or trials.running
        if not trials or not has_news:
            return False
        is_a_tenth = newly_over * 10 >= len(trials)
        is_late = now - self._told_at_ms >= _LINE_AT_LEAST_EVERY_MS
        all_are_over = trials.over == len(trials)
        return is_a_tenth or is_late or all_are_over


def _progress_line(run: Run, phase: RunPhase, now: int) -> str:
    """Return how far a run is: `6 of 12 trials over after 0:40, about 40 s left, …`."""
    facts = run_facts(run.summary, run.journal.path)
    elapsed, *left = time_texts(run.summary, phase, now)
    total = count_text(facts.trials_total, "trial")
    over = f"{facts.trials_over} of {total} over after {elapsed}"
    return ", ".join([over, *left, *facts.figure_texts])


def _load_table_of_trials() -> None:
    """Load the module that prints the table of trials at the end of the run.

    It loads slowly, so that is done while trials run. Later calls find it loaded.
    """
    import_module("controlplane.view.tables.run_table")


def _print_line(text: str) -> None:
    with contextlib.suppress(OSError):
        # Nobody reads the output, but the run continues.
        print(text, file=sys.stderr, flush=True)
