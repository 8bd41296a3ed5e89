"""Trials that a journal is to have, each with a score, and the events of each.

`scored_trials({"t01": [1.0, 0.0]}, {}, one_world=False)` are two trials of the task `t01`, in the
worlds 0 and 1. A trial has a *world*: the files and records that its agent finds.
"""

from collections.abc import Mapping, Sequence

from controlplane.journal.run_events import AllottedTrial
from tests.support.journals.scored_events import ScoredTrial

Scores = Mapping[str, Sequence[float | str | None]]
"""The scores of each task's trials: `{"t01": [1.0, None, "no reward"]}`; None for a score that the
benchmark keeps to itself, a text for why there is none."""


def scored_trials(
    scores: Scores, numbers: Mapping[str, Sequence[int]], *, one_world: bool
) -> list[ScoredTrial]:
    """Return a trial for each score. The trials of a task are numbered:

    - `{"t01": [1.0, 0.0]}` has the trials `t01-r0` and `t01-r1`
    - with `numbers={"t01": [4, 7]}`, these are `t01-r4` and `t01-r7`

    The number is that of the trial's world; or if all trials are in `one_world`, which is world 0,
    the number of the try.
    """
    trials: list[ScoredTrial] = []
    for task_id, task_scores in scores.items():
        task_numbers = numbers.get(task_id, range(len(task_scores)))
        for number, score in zip(task_numbers, task_scores, strict=True):
            allotted = AllottedTrial(
                trial_id=f"{task_id}-r{number}",
                task_id=task_id,
                number=0 if one_world else number,  # of the world
                repeat=number if one_world else 0,  # number of the try in this world
            )
            trials.append(ScoredTrial(allotted, score))
    return trials
