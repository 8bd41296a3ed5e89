"""The table of a run's trials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import Console
from rich.text import Text

from controlplane.agent.events import now_ms
from controlplane.facts.trial_facts import reasons_of
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.trial_summary import RUNNING, WAITING, TrialSummary
from controlplane.quantity_texts import (
    clock_text,
    count_text,
    score_style,
    score_text,
    span_text,
)
from controlplane.view.next_commands import trial_arguments
from controlplane.view.printed_columns import print_columns

_HEADS: Final = ("trial", "score", "outcome", "steps", "time")
"""The heads of the columns. Each row has one more cell: a note that is printed below the row."""
_TRIAL_COLUMN_CHARS: Final = 32
"""The column of trial names is not made narrower than this, even on a small terminal."""


@dataclass(frozen=True, slots=True)
class TrialRow:
    """A row of the table of trials, in the terminal and in notebooks."""

    name: str
    """What commands call the trial: its task or, if that has several trials, the trial's id."""
    score: float | None
    outcome: str
    """The trial's outcome, or its state if it has no outcome."""
    steps: int
    time: str
    why: str
    """Why the score is not the best one. For the best score, only how the trial ended."""

    @classmethod
    def of(cls, trial: TrialSummary, name: str, *, is_submitted: bool) -> TrialRow:
        """Return the row of a trial. `is_submitted` says if its run has been submitted."""
        return cls(
            name=name,
            score=trial.score,
            outcome=short_outcomes(trial.outcome) or trial.state,
            steps=trial.step,
            time=_time_text(trial),
            why=_why_text(trial, is_submitted=is_submitted),
        )


def print_trials(
    console: Console, summary: RunSummary, *, max_rows: int | None
) -> bool:
    """Print a table of the worst trials that have started, or of all trials if `max_rows` is None.

    Return True if the table has all trials of the run. Otherwise a last line counts those
    that are left out.
    """
    trials = summary.trials.worst_first
    started = [trial for trial in trials if trial.state != WAITING]
    shown = trials
    left_out: Sequence[TrialSummary] = ()  # of those that have started
    if max_rows is not None:
        shown = started[:max_rows]
        left_out = started[max_rows:]
    print_columns(
        _HEADS,
        _rows(shown, summary),
        narrowest={"trial": _TRIAL_COLUMN_CHARS},
        right_aligned=("score", "steps", "time"),
    )
    if len(shown) == len(trials):
        return True
    waiting = len(trials) - len(started)
    console.print(Text(_left_out_text(left_out, waiting), style="dim"))
    return False


def _rows(
    trials: Sequence[TrialSummary], summary: RunSummary
) -> list[tuple[object, ...]]:
    """Return the cells of each trial: `("orders.3", 0.50, "ok", 7, "1:20", "no citation")`.

    The first five belong to `_HEADS`. The last is the note below the row: why the score is low.
    """
    arguments = trial_arguments(summary)
    rows: list[tuple[object, ...]] = []
    for trial in trials:
        name = arguments[trial.trial_id]
        row = TrialRow.of(trial, name, is_submitted=summary.submitted)
        score = Text(score_text(row.score), style=score_style(row.score))
        rows.append((row.name, score, row.outcome, row.steps, row.time, row.why))
    return rows


def _time_text(trial: TrialSummary) -> str:
    """Return how long a trial took, or has been running; `-` if it has not started."""
    if trial.state == RUNNING and trial.started_ms:
        return clock_text((now_ms() - trial.started_ms) / 1000)
    if trial.elapsed_ms:
        return span_text(trial.elapsed_ms)
    return "-"


def _why_text(trial: TrialSummary, *, is_submitted: bool) -> str:
    """Return the reasons for a trial's score in one line; empty for a full score without remarks.

    Whether the run `is_submitted` matters, since open trials then score 0.
    """
    reasons = reasons_of(trial, is_submitted=is_submitted)
    has_full_score = trial.score is not None and trial.score >= 1
    if reasons.has_answer and has_full_score:
        # Leave out the grader's remarks. What remains is how the trial ended, such as "accepted
        # over objections: citations".
        lines = list(reasons.ending)
    else:
        lines = reasons.lines  # the grader's remarks, too
    return short_outcomes("; ".join(lines))


def _left_out_text(left_out: Sequence[TrialSummary], waiting: int) -> str:
    """Return a line that counts trials: `12 more trials (3 below 1.00), 5 not started`.

    `left_out` are those that have started and are not in the table. `waiting` is the number
    of those that have not started.
    """
    texts = []
    if left_out:
        text = count_text(len(left_out), "more trial")
        scores = [trial.score for trial in left_out if trial.score is not None]
        wrong = [score for score in scores if score < 1]
        if wrong:
            text += f" ({len(wrong):,} below 1.00)"
        texts.append(text)
    if waiting:
        texts.append(f"{waiting:,} not started")
    return ", ".join(texts)


def short_outcomes(text: str) -> str:
    """Return a text with shortened outcomes: `OUTCOME_OK` becomes `OK`."""
    return text.replace("OUTCOME_", "")
