"""Journals of runs that are over, with the scores that a test needs.

    path = scored_journal(tmp_path / "r1.jsonl", {"t01": [1.0, 0.0]})

is a run with two trials of the task `t01`, of which the first was right. A journal records a run: it
is a file of JSON lines, one for each event.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from controlplane.agent.events import AnswerSent, ModelReplied, TrialStarted
from controlplane.agent.model import Usage
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import (
    AllottedTrial,
    JournalEvent,
    ParentRun,
    ResolvedSetting,
    RunClosed,
    RunOpened,
    RunStarted,
    RunSubmitted,
    Scored,
    TrialEnded,
    Versions,
)

# The events of a trial with a score, as the journal of a run has them.

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


# Trials that a journal is to have, each with a score, and the events of each.
#
# `scored_trials({"t01": [1.0, 0.0]}, {}, one_world=False)` are two trials of the task `t01`, in the
# worlds 0 and 1. A trial has a *world*: the files and records that its agent finds.

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


def scored_journal(
    path: Path,
    scores: Scores,
    *,
    seed: int = 0,
    benchmark: str = "ecom",
    world_version: str = "w1",
    parent: str = "",
    how: Literal["rerun", "fork"] = "rerun",
    numbers: Mapping[str, Sequence[int]] | None = None,
    one_world: bool = False,
) -> Path:
    """Write the journal of a run that is over, with these scores, and return its path.

    A trial has a *world*: the files and records that its agent finds, in a `world_version`. The
    scores `{"t01": [1.0, 0.0]}` are those of the task t01

    - in the worlds 0 and 1;
    - twice in the world 0 if all trials are in `one_world`;
    - in the worlds 4 and 5 with `numbers={"t01": [4, 5]}`.

    `parent` is the id of the run that this one continues: a *rerun* plays some of its trials again,
    a *fork* plays one of them several times, from a step in the middle on.
    """
    trials = scored_trials(scores, numbers or {}, one_world=one_world)
    opened = RunOpened(
        run=path.stem,
        name="",
        benchmark=benchmark,
        model="m",
        settings=(ResolvedSetting(name="seed", value=seed, source="default"),),
        versions=Versions(
            controlplane="1", python="3.11", gates="g", prompts="p", world=world_version
        ),
        parent=ParentRun(run=parent, how=how) if parent else None,
    )
    allotted_trials = tuple(trial.allotted for trial in trials)
    with JournalWriter(path, create=True) as journal:
        journal.write(opened)
        journal.write(RunStarted(run_id="r", trials=allotted_trials))
        for trial in trials:
            world = trial.allotted.number
            if how == "fork":  # All are in the world of the trial that it continues.
                world = trials[0].allotted.number
            instruction = (
                f"What is {trial.allotted.task_id} in world {world} of {seed}?"
            )
            for event in trial_events(trial, instruction):
                journal.write(event)
        journal.write(RunSubmitted(forced=False, state="evaluated", score=None))
        journal.write(RunClosed(how="finished", exit_code=0))
    return path
