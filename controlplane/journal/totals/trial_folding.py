"""Adds the events of a trial to its totals."""

from __future__ import annotations

from controlplane.agent.events import (
    AnswerSent,
    CallApproval,
    CallOutput,
    CallStopped,
    ModelAsked,
    ModelReplied,
    Noticed,
    StepDone,
    TrialStarted,
)
from controlplane.journal.run_events import (
    JournalEvent,
    Scored,
    TrialEnded,
    TrialFailed,
    TrialLeftOpen,
)
from controlplane.journal.totals.call_keys import approval_key, call_key
from controlplane.journal.totals.trial_summary import (
    FAILED,
    OPEN,
    RUNNING,
    TrialSummary,
)


def fold_into(trial: TrialSummary, event: JournalEvent) -> None:
    """Add an event of a trial, other than a call, to its totals."""
    match event:
        case TrialStarted():
            _fold_start(trial, event)
        case ModelAsked():
            trial.doing = "thinking"
        case ModelReplied():
            trial.step = event.step
            trial.doing = "running"
        case CallStopped():
            # A check held the call back. `then` is what became of it: `repeated and sent`.
            trial.stopped[call_key(event)] = event.then
        case CallApproval():
            trial.stopped[approval_key(event)] = event.answer
        case CallOutput():
            trial.output = event.text
        case StepDone():
            trial.step = event.step
            trial.steps_done = event.step
        case AnswerSent():
            _fold_answer(trial, event)
        case Scored():
            _fold_score(trial, event)
        case Noticed() if event.retry:
            trial.doing = event.text
        case TrialEnded() | TrialFailed() | TrialLeftOpen():
            _fold_end(trial, event)
        case _:
            pass  # The totals of a trial do not use this event.


def _fold_answer(trial: TrialSummary, event: AnswerSent) -> None:
    trial.outcome = event.outcome
    trial.answer = event.message
    trial.refs = event.refs
    trial.failed = event.failed
    trial.doing = "answering"


def _fold_start(trial: TrialSummary, event: TrialStarted) -> None:
    """Record the start of an attempt: the first one, one that resumes, or one from scratch.

    One from scratch forgets the steps and the answer of the attempts before.
    """
    trial.task_id = event.task_id
    trial.instruction = event.instruction
    trial.state = RUNNING
    trial.reason = ""
    trial.started_ms = event.at_ms
    trial.doing = "reading"
    trial.output = ""
    if event.begins_anew:
        trial.step = 0
        trial.steps_done = 0
        trial.outcome = ""
        trial.answer = ""
        trial.refs = ()


def _fold_score(trial: TrialSummary, event: Scored) -> None:
    """Record a trial's score. A later event without a score does not delete it."""
    if event.score is None and trial.score is not None:
        return
    trial.score = rounded_score(event.score)
    trial.details = event.details
    trial.metrics = event.metrics
    trial.unscored = event.unscored if event.score is None else ""


def _fold_end(
    trial: TrialSummary,
    event: TrialEnded | TrialFailed | TrialLeftOpen,
) -> None:
    """Record that work on a trial has ended, or stopped until the run is resumed."""
    match event:
        case TrialEnded():
            trial.elapsed_ms = trial.earlier_ms + event.elapsed_ms
            trial.out_of_budget = event.out_of_budget
            # Do not count a last, incomplete step, which a replay does not show either.
            trial.step = trial.steps_done
            trial.stop(event.how, event.reason)
        case TrialFailed():
            # A trial that the benchmark could not end stays open, so that a resumed run ends it.
            state = FAILED if event.phase == "start" else OPEN
            trial.stop(state, f"could not {event.phase}: {event.error}")
        case TrialLeftOpen():
            if trial.state == RUNNING:
                trial.earlier_ms += max(0, event.at_ms - trial.started_ms)
            trial.stop(OPEN, event.reason)


def rounded_score(recorded: float | None) -> float | None:
    """Return a score, or exactly 1.0 if it is within 1e-9 of that.

    A grader that adds up parts may miss the full score by a rounding error.
    """
    if recorded is not None and abs(recorded - 1.0) < 1e-9:
        return 1.0
    return recorded
