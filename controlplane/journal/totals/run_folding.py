"""Adds the events of a journal to the totals of its run, one at a time.

To fold an event is to add it to totals: an event of a trial to those of the trial and of the run.
"""

from __future__ import annotations

from controlplane.agent.events import (
    AnswerSent,
    CallApproval,
    CallEvent,
    CallOutput,
    CallStopped,
    EndpointLearned,
    Judged,
    ModelAsked,
    ModelReplied,
    Noticed,
    StepDone,
    TrialStarted,
)
from controlplane.gates.verdicts import RULE_FAILED
from controlplane.journal.run_events import (
    JournalEvent,
    RunClosed,
    RunNotice,
    RunOpened,
    RunPolled,
    RunResumed,
    RunStarted,
    RunSubmitted,
    Scored,
    TrialEnded,
    TrialFailed,
    TrialLeftOpen,
)
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.trial_summary import (
    FAILED,
    OPEN,
    RUNNING,
    Objections,
    Spent,
    TrialSummary,
    approval_key,
    call_key,
)
from controlplane.score_scale import ScoreScale

# Adds the events of a trial to its totals.


def _fold_into(run: RunSummary, trial: TrialSummary, event: JournalEvent) -> None:
    """Add an event of a trial, other than a call, to its totals and those of its run."""
    match event:
        case TrialStarted():
            _fold_start_of_trial(trial, event)
        case ModelAsked():
            trial.doing = "thinking"
        case ModelReplied():
            trial.step = event.step
            trial.doing = "running"
            _count_reply(run, trial, event)
        case EndpointLearned():
            # What one trial has learned about an endpoint, such as a parameter that
            # is refused, serves all trials.
            learned = event.capabilities
            run.learned[learned.endpoint, learned.model] = learned
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
            for judged in event.verdicts:
                _count_objections(run, trial, judged)
        case AnswerSent():
            trial.outcome = event.outcome
            trial.answer = event.message
            trial.refs = event.refs
            trial.failed = event.failed
            trial.doing = "answering"
        case Scored():
            _fold_score(trial, event)
        case Noticed():
            run.notices.append(event.text)
            if event.retry:
                trial.doing = event.text
                run.retries += 1
        case TrialEnded() | TrialFailed() | TrialLeftOpen():
            _fold_end(trial, event)
        case _:
            pass  # The totals do not use this event.


def _fold_start_of_trial(trial: TrialSummary, event: TrialStarted) -> None:
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
    trial.score = _rounded_score(event.score)
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


def _rounded_score(recorded: float | None) -> float | None:
    """Return a score, or exactly 1.0 if it is within 1e-9 of that.

    A grader that adds up parts may miss the full score by a rounding error.
    """
    if recorded is not None and abs(recorded - 1.0) < 1e-9:
        return 1.0
    return recorded


def fold_event(run: RunSummary, event: JournalEvent) -> None:
    """Add the next event of the journal to the totals."""
    run.process.note_time(event.at_ms)
    trial_id: str | None = getattr(event, "trial_id", None)
    if trial_id is None:
        _fold_run_event(run, event)
        return
    trial = run.trials.get(trial_id)
    if trial is None:
        trial = TrialSummary(trial_id)
        run.trials[trial_id] = trial
    if isinstance(event, CallEvent):
        # Most events are calls, and the other totals do not need them.
        trial.count_call(event)
    else:
        _fold_into(run, trial, event)


def _fold_run_event(run: RunSummary, event: JournalEvent) -> None:
    """Add an event about the run as a whole."""
    match event:
        case RunOpened():
            run.opened = event
        case RunStarted():
            _fold_start(run, event)
        case RunSubmitted() | RunPolled():
            _fold_submission(run, event)
        case RunNotice():
            run.notices.append(event.text)
        case RunClosed():
            run.trials.mark_stopped()
            run.process.end(event.how, event.error, event.exit_code)
        case RunResumed():
            _fold_resumption(run, event)
        case _:
            pass  # The totals do not use this event.


def _fold_start(run: RunSummary, event: RunStarted) -> None:
    run.run_id = event.run_id
    run.process.began_ms = event.at_ms
    counts_without_score = 0.0
    if event.scale is not None:
        run.recorded_scale = ScoreScale.from_recorded(event.scale)
        counts_without_score = run.recorded_scale.without_score
    for trial in event.trials:
        run.trials[trial.trial_id] = TrialSummary(
            trial.trial_id,
            trial.task_id,
            trial.number,
            trial.repeat,
            counts_without_score=counts_without_score,
        )


def _fold_submission(run: RunSummary, event: RunSubmitted | RunPolled) -> None:
    """Record what the benchmark says about the submitted run. An evaluation is final."""
    run.submitted = True
    if run.state != "evaluated":
        run.state = event.state
        run.run_score = _rounded_score(event.score)


def _fold_resumption(run: RunSummary, event: RunResumed) -> None:
    # If the earlier process was killed, no event says that its trials stopped.
    run.trials.mark_stopped()
    if event.model and run.opened is not None:
        run.opened = run.opened.with_model(event.model, event.model_settings)
    run.process.begin_anew(event.at_ms)
    run.earlier_notices = len(run.notices)


def _count_reply(run: RunSummary, trial: TrialSummary, event: ModelReplied) -> None:
    """Add the tokens and cost of a reply to the totals of the trial and the run."""
    spent = Spent.on(event)
    trial.spent.add(spent)
    trial.by_role[event.role].add(spent)
    run.spent.add(spent)
    run.by_role[event.role].add(spent)
    if event.cached:
        run.cached += 1


def _count_objections(run: RunSummary, trial: TrialSummary, judged: Judged) -> None:
    """Count the objections of gates and rules to a submission.

    An objection is a rejection, or overridden if the submission was accepted anyway.
    """
    rejected = tuple(verdict.key for verdict in judged.rejections)
    overridden = tuple(verdict.key for verdict in judged.overridden)
    trial.submissions.append(Objections(rejected, overridden))
    run.rejections.update(rejected)
    if judged.accepted:
        run.overridden.update(overridden)
    for verdict in judged.verdicts:
        # A rule that raises an exception instead of judging says so in its reason.
        has_raised = verdict.reason.startswith(RULE_FAILED)
        if verdict.result != "not_applicable" or not has_raised:
            continue
        if verdict.key not in trial.broken:
            run.notices.append(f"{verdict.key}: {verdict.reason}")
        # All trials begin with the same empty mapping, so it is replaced.
        trial.broken = {**trial.broken, verdict.key: verdict.reason}
