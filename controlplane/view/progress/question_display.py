"""Shows the progress of a question: notices, and on a terminal each call and a progress line."""

from __future__ import annotations

import os
import sys
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final

import click

from controlplane.agent.events import now_ms
from controlplane.facts.trial_facts import TrialFacts, trial_facts
from controlplane.gate_texts import cause_of
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.quantity_texts import clock_text, count_text
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import one_line
from controlplane.view.progress.approval import PROMPT
from controlplane.view.progress.run_phase import drawing

if TYPE_CHECKING:
    from controlplane.journal.totals.trial_summary import TrialSummary

# The end of the text that a model is writing.


class _ModelText:
    """The end of the text that the model of a run is writing; empty between its replies."""

    def __init__(self) -> None:
        self._text = ""

    def follow(self, run: Run) -> None:
        """Let the endpoints of a run tell each part of a text that arrives."""
        for endpoint in run.resources.models.endpoints:
            endpoint.stream_to(self._add)

    def _add(self, text: str) -> None:
        self._text = (self._text + text)[-bounds.SHOWN_VALUE_CHARS :]

    def forget(self) -> None:
        """Drop the text, since the model has written it to its end."""
        self._text = ""

    def shown(self) -> str:
        """Return the text in one line, as in `…and then`; empty if there is none."""
        return f"…{one_line(self._text)}" if self._text else ""


# The notices of a run that the user has not seen.


class NewNotices:
    """Gives each notice of a run once."""

    def __init__(self, shown: int) -> None:
        self._shown = shown
        """The number of notices that were shown, or belong to an earlier part of the run."""

    def of(self, summary: RunSummary) -> list[str]:
        notices = summary.notices[self._shown :]
        self._shown += len(notices)
        return notices


class NewCauses:
    """Gives each cause of notices once. Many trials may have notices with the same cause."""

    def __init__(self, notices: NewNotices) -> None:
        self._notices = notices
        self._shown: set[str] = set()

    def lines(self, summary: RunSummary) -> list[str]:
        """Return a line for each new cause; if there are many, lines for a few of them."""
        new_causes = []
        for notice in self._notices.of(summary):
            cause = cause_of(notice)
            if cause not in self._shown:
                self._shown.add(cause)
                new_causes.append(cause)

        lines = [
            f"notice: {one_line(cause)}"
            for cause in new_causes[: bounds.SHOWN_EXAMPLES]
        ]
        left_out = len(new_causes) - bounds.SHOWN_EXAMPLES
        if left_out > 0:
            lines.append(f"notice: {count_text(left_out, 'more cause')}")
        return lines


_REDRAW_EVERY_S: Final = 0.2
_DEFAULT_WIDTH: Final = 80
"""The width of a terminal that does not report its width, in columns."""
_CLEAR_LINE: Final = "\r\x1b[K"
STOPPING: Final = "stopping after this step; Ctrl-C again stops at once"


def question_display(run: Run) -> AbstractContextManager[None]:
    """Return a context manager that shows a question until its block ends."""
    return drawing(_QuestionDisplay(run).redraw, _REDRAW_EVERY_S)


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
        self._model_text = _ModelText()
        if self._is_terminal:
            self._model_text.follow(run)

    def redraw(self, is_over: bool) -> None:
        """Print what is new, and draw the line of progress again below it.

        `is_over` is True at the last call: the line is then removed.
        """
        # While the user is asked about a call, nothing is drawn over the question.
        is_user_asked = PROMPT.locked()
        if is_user_asked:
            return

        lines = self._new_notices()
        progress = ""
        if self._is_terminal:
            for trial in list(self.run.summary.trials.values()):
                lines.extend(self._new_calls(trial))
                if trial.doing != "thinking":
                    self._model_text.forget()  # It was the text of the last step.
                if not is_over:
                    activity = self._model_text.shown() or _activity(trial)
                    progress = _progress(self.run.summary, trial_facts(trial), activity)

        clear = _CLEAR_LINE if self._is_terminal else ""
        for line in lines:
            sys.stderr.write(f"{clear}{line}\n")
        sys.stderr.write(clear + progress)
        sys.stderr.flush()

    def _new_notices(self) -> list[str]:
        """Return the notices that have not been printed, and once that the run is stopping."""
        lines = [one_line(notice) for notice in self._notices.of(self.run.summary)]
        if self.run.controls.interrupted.is_set() and not self._has_printed_stopping:
            self._has_printed_stopping = True
            lines.append(STOPPING)
        return lines

    def _new_calls(self, trial: TrialSummary) -> list[str]:
        """Return the calls of a trial that have not been printed: `  read /a/b.md`."""
        count = trial.calls - self._printed_calls
        self._printed_calls = trial.calls
        if not count:
            return []
        return [
            click.style(f"  {one_line(call)}", dim=True)
            for call in trial.last_calls[-count:]
        ]


def _activity(trial: TrialSummary) -> str:
    """Return what a trial is doing, in one short line."""
    return one_line(trial.doing)[: bounds.SHOWN_VALUE_CHARS]


def _progress(summary: RunSummary, trial: TrialFacts, activity: str) -> str:
    """Return the line that is redrawn, cut to the terminal's width."""
    elapsed_s = (now_ms() - summary.process.began_ms) / 1000
    parts = [
        f"step {trial.current_step}",
        activity,
        *trial.spent_texts,
        clock_text(elapsed_s),
    ]
    width = os.get_terminal_size(sys.stderr.fileno()).columns or _DEFAULT_WIDTH
    return " · ".join(parts)[: width - 1]
