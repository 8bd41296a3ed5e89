"""What a page shows of a trial: its anchor, and the reasons for its score."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.view.results.trial_reasons import reasons_of
from controlplane.view.tables.trial_table import short_outcomes


@dataclass(frozen=True, slots=True)
class TrialFacts:
    """One trial on a page."""

    anchor: str
    """The anchor of its page: `trial-RUN-NUMBER`."""
    run: int
    """The index of its run in the report, from 0."""
    summary: TrialSummary

    @property
    def reasons(self) -> list[str]:
        """The reasons for its score: the grader's lines, the answer, and how the trial ended."""
        return [short_outcomes(line) for line in reasons_of(self.summary).lines]

    @property
    def faults(self) -> tuple[str, ...]:
        """The reasons by which failed trials are grouped.

        They do not include the answer, since trials with different answers may have the
        same fault.
        """
        reasons = reasons_of(self.summary)
        return (*reasons.grader, *reasons.ending)


def has_failed(trial: TrialFacts) -> bool:
    """Return True if a trial scored 0, has no score for good, or ended without an answer.

    A fallback, which the control plane submits, is not an answer. A trial that is still
    open, or whose score the benchmark still hides, has not failed. Neither has one with
    a score between 0 and 1, which may be the average of many plays.
    """
    summary = trial.summary
    if summary.own_score is not None:
        return summary.own_score <= 0
    return bool(summary.why_unscored) or (
        summary.is_over and summary.state != "answered"
    )
