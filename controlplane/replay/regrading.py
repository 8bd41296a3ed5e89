"""Grades recorded answers again, in environments that are rebuilt to the recorded end state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from controlplane.agent.events import AnswerSent
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import BenchmarkError
from controlplane.errors import ReplayDiverged, UsageError
from controlplane.journal.journal_reader import Journal
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.lifecycle.resources.player_rules import check_world
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.replay.rebuilding import rebuilt_trial
from controlplane.sandbox.interface import CallError


@dataclass(frozen=True, slots=True)
class Rescored:
    """One trial with its recorded score and today's."""

    run: str
    trial_id: str
    task_id: str
    before: float | None
    after: float | None
    """Today's score; None if there is none, for the reason in `problem` or `unscored`."""
    details: tuple[str, ...] = ()
    unscored: str = ""
    """Why the grader gives no score; empty if it gives one."""
    problem: str = ""
    """Why its end state could not be rebuilt or graded; empty if it could."""


def rescored_trials(journal: Journal, resources: RunResources) -> Iterator[Rescored]:
    """Yield the new and the recorded score of every trial that has ended with an answer.

    Raises `UsageError` if the benchmark cannot rebuild trials, or if its worlds are no
    longer those of the run.
    """
    if not resources.opened.rebuilds_trials:
        name = journal.opened.benchmark
        msg = f"{name} cannot rebuild the end state of a trial, so its grader cannot grade again"
        raise UsageError(msg)
    check_world(
        resources,
        journal.opened.versions.world,
        f"{journal.run} cannot be graded again",
    )
    for trial in journal.trials.values():
        if not trial.summary.is_over:
            continue
        record = trial.record
        if record.answer is not None:
            yield _rescored(trial, record, record.answer, resources)


def _rescored(
    trial: RecordedTrial,
    record: TrialRecord,
    answer: AnswerSent,
    resources: RunResources,
) -> Rescored:
    """Rebuild the end state of a trial, give the recorded answer, and grade it."""
    trial_id = trial.trial_id
    rescored = Rescored(trial.journal.run, trial_id, trial.task_id, trial.score, None)
    try:
        with rebuilt_trial(trial_id, record, resources, only_changes=True) as rebuilt:
            rebuilt.environment.answer(answer.message, answer.outcome, answer.refs)
            score = resources.benchmark.end_trial(trial_id)
    except ReplayDiverged as error:
        return replace(rescored, problem=str(error))
    except (BenchmarkError, CallError) as error:
        return replace(rescored, problem=f"{error.code}: {error.message}")
    if score is None:
        return replace(rescored, problem="its score is sealed")
    score = score.within(resources.opened.scale)
    return replace(
        rescored, after=score.score, unscored=score.unscored, details=score.details
    )
