"""Grades recorded trials anew: today's grader on the recorded answer and the rebuilt end state of the trial's world."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from agent.events import CallRecord
from controlplane.benchmark import BenchmarkError, Trial
from controlplane.errors import UsageError
from controlplane.journal.journal_content import Journal, RecordedTrial, TrialRecord
from controlplane.lifecycle.run_resources import RunResources
from sandbox.interface import CallError


@dataclass(frozen=True, slots=True)
class Rescored:
    """One trial with its recorded score and today's."""

    trial_id: str
    task_id: str
    before: float | None
    after: float | None
    """None if it is sealed, or if `problem` says why there is none."""
    details: tuple[str, ...] = ()
    """Today's grader's words."""
    problem: str = ""
    """Why its end state could not be rebuilt; empty if it could."""


def rescored_trials(journal: Journal, resources: RunResources) -> Iterator[Rescored]:
    """Yield every trial that has ended with an answer, graded anew.

    Raises `UsageError` if the benchmark cannot rebuild trials, or if its worlds are no longer those of the run.
    """
    if not resources.opened.rebuilds_trials:
        msg = f"{journal.opened.benchmark} cannot rebuild the end state of a trial, so its grader cannot be asked again"
        raise UsageError(msg)
    resources.check_world(journal.opened.versions.world, f"{journal.run} cannot be graded anew")
    for trial in journal.trials.values():
        if trial.summary.is_over and (record := trial.record).answer is not None:
            yield _rescored(trial, record, resources)


def _rescored(recorded: RecordedTrial, record: TrialRecord, resources: RunResources) -> Rescored:
    known = Rescored(recorded.trial_id, recorded.task_id, recorded.score, None)

    def without_score(problem: str) -> Rescored:
        return Rescored(known.trial_id, known.task_id, known.before, None, problem=problem)

    benchmark, answer = resources.benchmark, record.answer
    assert answer is not None
    try:
        trial = benchmark.start_trial(recorded.trial_id)
        if record.started is not None and trial.instruction != record.started.instruction:
            return without_score("its task asks something else today")
        with resources.new_aide() as aide:
            if trial.use_aide is not None and resources.opened.aide_modules:
                trial.use_aide(aide)
            for call in _calls(record):
                if not trial.environment.surface.may_change(call.operation, call.arguments):
                    continue
                if problem := made_again(trial, call):
                    return without_score(problem)
            trial.environment.answer(answer.message, answer.outcome, answer.refs)
            score = benchmark.end_trial(recorded.trial_id)
    except (BenchmarkError, CallError) as error:
        return without_score(f"{error.code}: {error.message}")
    if score is None:
        return without_score("its score is sealed")
    return Rescored(known.trial_id, known.task_id, known.before, score.score, score.details)


def _calls(record: TrialRecord) -> Iterable[CallRecord]:
    return (call for step in record.steps for call in step.calls)


def made_again(trial: Trial, call: CallRecord) -> str:
    """Make a recorded call again; return why the world is not as it was, or an empty string if it is."""
    environment = trial.environment
    if call.result is None and call.error is None:
        return f"the call {call.operation} was cut off, so its end state is not known"
    try:
        result: object = environment.call(call.operation, dict(call.arguments))
    except CallError as error:
        same = call.error is not None and call.error.code == str(error.code)
        return "" if same else f"the call {call.operation} fails today: {error.message}"
    if call.error is not None:
        return f"the call {call.operation} failed then and succeeds today"
    return "" if result == call.result else f"the call {call.operation} gives another result today"
