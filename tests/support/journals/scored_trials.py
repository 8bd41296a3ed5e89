"""Trials that a journal is to have, each with a score, and the events of each.

`scored_trials({"t01": [1.0, 0.0]}, {}, one_world=False)` are two trials of the task `t01`, in the
worlds 0 and 1. A trial has a *world*: the files and records that its agent finds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from controlplane.agent.events import AnswerSent, ModelReplied, TrialStarted
from controlplane.agent.model import Usage
from controlplane.journal.run_events import (
    AllottedTrial,
    JournalEvent,
    Scored,
    TrialEnded,
)

Scores = Mapping[str, Sequence[float | None]]
"""The scores of each task's trials: `{"t01": [1.0, None]}`; None for a score that the benchmark
keeps to itself."""


NOW = "2026-04-22T09:30:00+00:00"
"""The time in the world of every trial."""


@dataclass(frozen=True, slots=True)
class ScoredTrial:
    """A trial that a journal is to have."""

    allotted: AllottedTrial
    """Its id, task and world, as the start of the run announces it."""
    score: float | None


def scored_trials(
    scores: Scores, numbers: Mapping[str, Sequence[int]], *, one_world: bool
) -> list[ScoredTrial]:
    """Return a trial for each score.

    `{"t01": [1.0, 0.0]}` -> `t01-r0` in world 0 and `t01-r1` in world 1; or with `one_world`, the
    tries 0 and 1 in world 0.
    """
    trials: list[ScoredTrial] = []
    for task_id, task_scores in scores.items():
        task_numbers = numbers.get(task_id, range(len(task_scores)))
        for number, score in zip(task_numbers, task_scores, strict=True):
            allotted = AllottedTrial(
                trial_id=f"{task_id}-r{number}",
                task_id=task_id,
                number=0 if one_world else number,
                repeat=number if one_world else 0,
            )
            trials.append(ScoredTrial(allotted, score))
    return trials


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
            score=trial.score,
            details=() if trial.score == 1 else ("wrong",),
        ),
    ]
