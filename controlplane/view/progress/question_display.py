"""Shows the progress of a question: notices, and on a terminal each call and a progress line."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

import click

from controlplane.agent.events import now_ms
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import clock_text, one_line, spent_texts
from controlplane.view.progress.approval import PROMPT
from controlplane.view.progress.run_display import PlainDisplay

if TYPE_CHECKING:
    from controlplane.journal.totals.run_summary import RunSummary
    from controlplane.journal.totals.trial_summary import TrialSummary

REDRAW_EVERY_S: Final = 0.2
DEFAULT_WIDTH: Final = 80
"""The width of a terminal that does not report its width, in columns."""
CLEAR_LINE: Final = "\r\x1b[K"
STOPPING: Final = "stopping after this step; Ctrl-C again stops at once"


class QuestionDisplay(PlainDisplay):
    """Prints notices and, on a terminal, each call and a line that is redrawn.

    The line shows step, activity, tokens, cost and time, and the end of the text that a
    model is writing.
    """

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self._is_terminal = sys.stderr.isatty()
        self._printed_calls = 0
        self._printed_notices = 0
        self._has_printed_stopping = False
        self._streamed_text = ""
        """The end of the text that the model is writing."""
        if self._is_terminal:
            for endpoint in run.resources.models.endpoints:
                endpoint.on_text = self._add_streamed_text

    def _add_streamed_text(self, text: str) -> None:
        """Keep the end of the text that the model is writing."""
        self._streamed_text = (self._streamed_text + text)[-bounds.SHOWN_VALUE_CHARS :]

    def print_until_done(self) -> None:
        """Redraw until the question is answered."""
        is_over = False
        while not is_over:
            is_over = self.done.wait(REDRAW_EVERY_S)
            # While the user is asked about a call, nothing is drawn over the question.
            is_user_asked = PROMPT.locked()
            if not is_user_asked:
                self._redraw(is_over)

    def _redraw(self, is_over: bool) -> None:
        """Print what is new, and draw the line of progress again below it."""
        lines = self._new_notices()
        progress = ""
        if self._is_terminal:
            for trial in list(self.run.summary.trials.values()):
                lines.extend(self._new_calls(trial))
                if not is_over:
                    progress = self._progress(self.run.summary, trial)

        clear = CLEAR_LINE if self._is_terminal else ""
        for line in lines:
            sys.stderr.write(f"{clear}{line}\n")
        sys.stderr.write(clear + progress)
        sys.stderr.flush()

    def _new_notices(self) -> list[str]:
        """Return the notices that have not been printed, and once that the run is stopping."""
        notices = self.run.summary.notices[self._printed_notices :]
        self._printed_notices += len(notices)
        lines = [one_line(notice) for notice in notices]
        if self.run.controls.interrupted.is_set() and not self._has_printed_stopping:
            self._has_printed_stopping = True
            lines.append(STOPPING)
        return lines

    def _new_calls(self, trial: TrialSummary) -> list[str]:
        """Return the calls of a trial that have not been printed."""
        count = trial.calls - self._printed_calls
        self._printed_calls = trial.calls
        if not count:
            return []
        return [
            click.style(f"  {one_line(call)}", dim=True)
            for call in trial.last_calls[-count:]
        ]

    def _progress(self, summary: RunSummary, trial: TrialSummary) -> str:
        """Return the line that is redrawn, cut to the terminal's width."""
        elapsed_s = (now_ms() - summary.process.began_ms) / 1000
        parts = [
            f"step {trial.steps_done + 1}",
            self._activity(trial),
            *spent_texts(trial.spent),
            clock_text(elapsed_s),
        ]
        width = os.get_terminal_size(sys.stderr.fileno()).columns or DEFAULT_WIDTH
        return " · ".join(parts)[: width - 1]

    def _activity(self, trial: TrialSummary) -> str:
        """Return what the trial is doing, or the end of the text that its model is writing."""
        if trial.doing != "thinking":  # The text was that of the last step.
            self._streamed_text = ""
        if self._streamed_text:
            return f"…{one_line(self._streamed_text)}"
        return one_line(trial.doing)[: bounds.SHOWN_VALUE_CHARS]
