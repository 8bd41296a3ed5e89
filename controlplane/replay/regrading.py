"""Grades recorded trials anew: their changes are made in a new environment, which is graded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from controlplane.agent.events import AnswerSent, CallRecord
from controlplane.agent.evidence import Tape
from controlplane.agent.evidence.environment_resume import repeat_calls
from controlplane.agent.evidence.tape import RecordedSideReplies
from controlplane.agent.loop.trial_session import messages_of, reply_of
from controlplane.agent.model import ASK_SIDE_MODEL, ModelRequest, Reply
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import BenchmarkError, Trial
from controlplane.errors import ReplayDiverged, UsageError
from controlplane.journal.journal_reader import Journal
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.lifecycle.resources.playable_tasks import check_world
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.sandbox.interface import CallError

# Brings a new environment into a recorded state, by repeating the recorded calls.
#
# An environment may ask a model during a call, for example to simulate a user. It gets
# the recorded replies here, and no model is asked.


@contextmanager
def rebuilt_trial(
    trial_id: str, record: TrialRecord, resources: RunResources, *, only_changes: bool
) -> Iterator[Trial]:
    """Start a trial anew, repeat the recorded calls in its environment, and yield the trial.

    With `only_changes`, calls that only read are not repeated. Raises `BenchmarkError`
    if the trial does not start, and `ReplayDiverged` if its task or the outcome of a
    call is no longer the same.
    """
    trial = resources.benchmark.start_trial(trial_id)
    if record.has_other_instruction(trial.instruction):
        msg = "its task asks something else today"
        raise ReplayDiverged(msg)
    # If the benchmark asks its models, it gets the recorded replies.
    # A tape returns what it has recorded, in order.
    replies = RecordedSideReplies(Tape(record, is_replay=True))

    def reply_to(request: ModelRequest) -> Reply:
        role = request.role
        replied = replies.recorded_reply(role, messages_of(request))
        if replied is None:
            msg = f"the benchmark asks its model {role!r} something that is not in the record"
            raise ReplayDiverged(msg)
        return reply_of(replied)

    token = ASK_SIDE_MODEL.set(reply_to)
    try:
        with resources.sandbox.worker_of(trial):
            if record.initial_prompt is not None:
                _repeat_calls(
                    trial, 0, record.initial_prompt.calls, only_changes=only_changes
                )
            for step in record.whole_steps:
                _repeat_calls(trial, step.number, step.calls, only_changes=only_changes)
            yield trial
    finally:
        ASK_SIDE_MODEL.reset(token)


def _repeat_calls(
    trial: Trial, step: int, calls: Sequence[CallRecord], *, only_changes: bool
) -> None:
    """Repeat the calls of a step. Raises `ReplayDiverged` if an outcome differs."""
    repeats_reads = trial.repeats_all_calls or not only_changes
    for repeated in repeat_calls(trial.environment, calls, repeats_reads=repeats_reads):
        if repeated.difference:
            name = repeated.recorded.operation
            msg = f"in step {step}, the call {name} {repeated.difference}"
            raise ReplayDiverged(msg)


# Grades recorded answers again, in environments that are rebuilt to the recorded end state.


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
