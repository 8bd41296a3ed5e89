"""Journals of runs that are over, with the scores that a test needs.

    path = scored_journal(tmp_path / "r1.jsonl", {"t01": [1.0, 0.0]})

is a run with two trials of the task `t01`, of which the first was right. A journal records a run: it
is a file of JSON lines, one for each event.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import (
    ParentRun,
    RunClosed,
    RunOpened,
    RunStarted,
    RunSubmitted,
    Setting,
    Versions,
)
from tests.support.journals.scored_events import trial_events
from tests.support.journals.scored_trials import Scores, scored_trials


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
        settings=(Setting(name="seed", value=seed, source="default"),),
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
