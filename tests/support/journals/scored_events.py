"""The events of a trial with a score, as the journal of a run has them."""

from dataclasses import dataclass

from controlplane.agent.events import AnswerSent, ModelReplied, TrialStarted
from controlplane.agent.model import Usage
from controlplane.journal.run_events import (
    AllottedTrial,
    JournalEvent,
    Scored,
    TrialEnded,
)

NOW = "2026-04-22T09:30:00+00:00"
"""The time in the world of every trial."""


@dataclass(frozen=True, slots=True)
class ScoredTrial:
    """A trial that a journal is to have."""

    allotted: AllottedTrial
    """Its id, task and world, as the start of the run announces it."""
    score: float | str | None
    """A text is why it has none."""


def trial_events(trial: ScoredTrial, instruction: str) -> list[JournalEvent]:
    """Return the events of a trial of one step, which takes a second and costs a cent.

    The model replies with the script `=1+1`, and the answer 7 is sent and scored.
    """
    trial_id = trial.allotted.trial_id
    return [
        TrialStarted(
            trial_id=trial_id,
            task_id=trial.allotted.task_id,
            instruction=instruction,
            now=NOW,
            tool_schema="",
        ),
        ModelReplied(
            trial_id=trial_id,
            step=1,
            reply="=1+1",
            usage=Usage(prompt_tokens=100, completion_tokens=10),
            cost_usd=0.01,
        ),
        AnswerSent(
            trial_id=trial_id, step=1, message="7", outcome="OUTCOME_OK", refs=()
        ),
        TrialEnded(trial_id=trial_id, how="answered", elapsed_ms=1000),
        Scored(
            trial_id=trial_id,
            score=None if isinstance(trial.score, str) else trial.score,
            details=() if trial.score == 1 else ("wrong",),
            unscored=trial.score if isinstance(trial.score, str) else "",
        ),
    ]
