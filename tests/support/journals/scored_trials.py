"""Trials that a journal is to have, each with a score, and the events of each.

`scored_trials({"t01": [1.0, 0.0]}, {}, one_world=False)` are two trials of the task `t01`, in the
worlds 0 and 1. A trial has a *world*: the files and records that its agent finds.
"""

from collections.abc import Mapping, Sequence

from controlplane.journal.run_events import AllottedTrial
from tests.support.journals.scored_events import ScoredTrial

Scores = Mapping[str, Sequence[float | None]]
"""The scores of each task's trials: `{"t01": [1.0, None]}`; None for a score that the benchmark
keeps to itself."""


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
