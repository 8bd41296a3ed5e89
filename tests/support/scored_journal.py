"""Journals of runs with the scores that a test needs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from agent.events import AnswerSent, ModelReplied
from agent.model.model_protocol import Usage
from controlplane.journal.journal_lines import JournalWriter
from controlplane.journal.run_events import (
    AllottedTrial,
    ParentRun,
    RunClosed,
    RunOpened,
    RunStarted,
    RunSubmitted,
    Scored,
    Setting,
    TrialEnded,
    TrialStarted,
    Versions,
)

Scores = Mapping[str, Sequence[float | None]]

NOW = "2026-04-22T09:30:00+00:00"


def scored_journal(
    path: Path,
    scores: Scores,
    *,
    seed: int = 0,
    benchmark: str = "ecom",
    world: str = "w1",
    parent: str = "",
    how: Literal["rerun", "fork"] = "rerun",
    numbers: Mapping[str, Sequence[int]] | None = None,
    outcome: str = "OUTCOME_OK",
) -> Path:
    """Write the journal of a run that is over: for each task the scores of its tries, None for a sealed one."""
    tries = [
        (task, (numbers or {}).get(task, range(len(each)))[at], score)
        for task, each in scores.items()
        for at, score in enumerate(each)
    ]
    versions = Versions(controlplane="1", python="3.11", gates="g", prompts="p", world=world)
    settings = (Setting(name="seed", value=seed, source="default"),)
    heads = tuple(AllottedTrial(trial_id=f"{task}-r{at}", task_id=task, number=at) for task, at, _ in tries)
    opened = RunOpened(
        run=path.stem,
        name="",
        benchmark=benchmark,
        model="m",
        settings=settings,
        versions=versions,
        parent=ParentRun(run=parent, how=how) if parent else None,
    )
    with JournalWriter(path, create=True) as journal:
        journal.write(opened)
        journal.write(RunStarted(run_id="r", trials=heads))
        for task, at, score in tries:
            trial = f"{task}-r{at}"
            asked = f"What is {task} in world {tries[0][1] if how == 'fork' else at} of {seed}?"
            journal.write(TrialStarted(trial_id=trial, task_id=task, instruction=asked, now=NOW, surface=""))
            usage = Usage(prompt_tokens=100, completion_tokens=10)
            journal.write(ModelReplied(trial_id=trial, step=1, reply="=1+1", usage=usage, cost_usd=0.01))
            journal.write(AnswerSent(trial_id=trial, step=1, message="7", outcome=outcome, refs=()))
            journal.write(TrialEnded(trial_id=trial, how="answered", elapsed_ms=1000))
            journal.write(Scored(trial_id=trial, score=score, details=() if score == 1 else ("wrong",)))
        journal.write(RunSubmitted(forced=False, state="evaluated", score=None))
        journal.write(RunClosed(how="finished", exit_code=0))
    return path
