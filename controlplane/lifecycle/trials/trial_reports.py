"""What one attempt at a trial reports to the journal and to its run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from controlplane.agent.events import CallOutput, Noticed
from controlplane.benchmark import TrialScore
from controlplane.fault_texts import fault_text
from controlplane.journal.run_events import (
    JournalEvent,
    Scored,
    TrialEnded,
    TrialFailed,
    TrialLeftOpen,
)
from controlplane.journal.totals.trial_summary import BENCHMARK_BROKE
from controlplane.lifecycle.run_controls import RunControls
from controlplane.sandbox.interface import well_formed

Emit: TypeAlias = Callable[[JournalEvent], None]
Phase: TypeAlias = Literal["start", "end"]
HowEnded: TypeAlias = Literal["answered", "fallback", "unanswered"]


def scored_event(trial_id: str, score: TrialScore) -> Scored:
    """Return the event with what the benchmark's grader says about a trial."""
    return Scored(
        trial_id=trial_id,
        score=score.score,
        details=score.details,
        metrics=dict(score.metrics),
        unscored=score.unscored,
    )


@dataclass(frozen=True, slots=True)
class TrialReports:
    """Writes the events about a trial itself, such as its end, not those of the solver's work.

    Each method writes one event to the journal; `fault` writes none for an error that it has
    written before. An attempt at a trial ends by `ended`, `failed` or `left_open`.
    """

    trial_id: str
    emit: Emit
    """Writes an event to the journal."""
    controls: RunControls
    """Signals that all trials of the run share."""
    faults: list[str] = field(default_factory=list)
    """Errors in the benchmark's own code so far, with file and line."""

    def notice(self, text: str) -> None:
        """Show the user a text about the trial."""
        self.emit(Noticed(trial_id=self.trial_id, text=text))

    def output(self, text: str) -> None:
        """Show the output so far of a call that is still running."""
        self.emit(CallOutput(trial_id=self.trial_id, text=well_formed(text)))

    def fault(self, error: BaseException) -> None:
        """Tell the user once of an error in the benchmark's own code. The trial may go on."""
        text = f"{BENCHMARK_BROKE}{fault_text(error)}"
        if text not in self.faults:
            self.faults.append(text)
            self.notice(text)

    def score(self, score: TrialScore) -> None:
        """Report what the benchmark's grader says."""
        self.emit(scored_event(self.trial_id, score))

    def left_open(self, reason: str, *, pause: Exception | None = None) -> None:
        """Report that the trial stays open for a resumed run.

        `pause` is an error that every other trial would meet, too: it pauses the run. If another
        trial has met it, and so told it, this one is only interrupted.
        """
        if pause is not None and not self.controls.pause(pause):
            reason = "interrupted"
        reasons = self._with_faults(reason)
        self.emit(TrialLeftOpen(trial_id=self.trial_id, reason=reasons))

    def failed(self, phase: Phase, reason: str) -> None:
        """Report that the benchmark could not start or end the trial."""
        self.emit(TrialFailed(trial_id=self.trial_id, phase=phase, error=reason))

    def ended(
        self,
        how: HowEnded,
        *,
        reason: str = "",
        out_of_budget: bool = False,
        elapsed_ms: float = 0.0,
    ) -> None:
        """Report that the trial is over: with the solver's answer, the fallback, or neither.

        `reason` says why the solver gave no answer; empty if it did. `out_of_budget` is True if a
        limit of the trial has ended it.
        """
        self.emit(
            TrialEnded(
                trial_id=self.trial_id,
                how=how,
                reason=self._with_faults(reason),
                out_of_budget=out_of_budget,
                elapsed_ms=elapsed_ms,
            )
        )

    def _with_faults(self, reason: str) -> str:
        """Return a reason, after the benchmark's errors, which may have caused it.

        "unanswered in time" -> "the benchmark broke: KeyError: 'id' (a.py, line 12); unanswered in time"
        """
        reasons = [*self.faults, reason]
        return "; ".join(text for text in reasons if text)
