"""Trials in a rebuilt environment: forks of a recorded trial, and recorded answers graded again.

The recorded steps before the fork become the beginning of the new trial's record, so that it is run, resumed and
replayed like a trial that was interrupted there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from controlplane.agent.events import (
    AnswerDone,
    AnswerSent,
    CallRecord,
    ConversationOpened,
    ModelReplied,
    SaidMessage,
    StepDone,
    TrialStarted,
    now_ms,
)
from controlplane.agent.evidence.tape import Tape, TapedModels
from controlplane.agent.loop import Prompts, system_prompt
from controlplane.agent.loop.initial_prompt import without_down
from controlplane.agent.loop.trial_session import reply_of
from controlplane.agent.model import ASK_ASIDE, ModelRequest, Reply
from controlplane.agent.trial_record import TrialRecord
from controlplane.benchmark import BenchmarkError, TaskTry, Trial
from controlplane.errors import ReplayDiverged, UsageError
from controlplane.journal.journal_reader import (
    Journal,
    RecordedTrial,
    TrialReader,
    record_of,
)
from controlplane.journal.run_events import (
    JournalEvent,
    TrialLeftOpen,
    tool_schema_from_text,
)
from controlplane.lifecycle.new_run import Consent, NewRun, replayed_tries
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_resources import RunResources
from controlplane.lifecycle.trial_lifecycle import repeat_calls
from controlplane.sandbox.interface import CallError, guarded


@dataclass(frozen=True, slots=True)
class Rescored:
    """One trial with its recorded score and today's."""

    run: str
    trial_id: str
    task_id: str
    before: float | None
    after: float | None
    """Today's score; None if it is sealed, or if `problem` says why it is missing."""
    details: tuple[str, ...] = ()
    problem: str = ""
    """Why its end state could not be rebuilt or graded; empty without a problem."""


def rescored_trials(journal: Journal, resources: RunResources) -> Iterator[Rescored]:
    """Yield every trial that has ended with an answer, graded again. Raises `UsageError` if the benchmark cannot
    rebuild trials, or if its worlds are no longer those of the run."""
    if not resources.opened.rebuilds_trials:
        msg = f"{journal.opened.benchmark} cannot rebuild the end state of a trial, so its grader cannot grade again"
        raise UsageError(msg)
    resources.check_world(journal.opened.versions.world, f"{journal.run} cannot be graded again")
    for trial in journal.trials.values():
        if trial.summary.is_over and (record := trial.record).answer is not None:
            yield _rescored(trial, record, resources)


def _rescored(recorded: RecordedTrial, record: TrialRecord, resources: RunResources) -> Rescored:
    rescored = Rescored(
        recorded.journal.run, recorded.trial_id, recorded.task_id, recorded.score, None
    )
    answer = record.answer
    assert answer is not None
    try:
        with _rebuilt(recorded.trial_id, record, resources, only_changes=True) as trial:
            trial.environment.answer(answer.message, answer.outcome, answer.refs)
            score = resources.benchmark.end_trial(recorded.trial_id)
    except ReplayDiverged as error:
        return replace(rescored, problem=str(error))
    except (BenchmarkError, CallError) as error:
        return replace(rescored, problem=f"{error.code}: {error.message}")
    if score is None:
        return replace(rescored, problem="its score is sealed")
    return replace(rescored, after=score.score, details=score.details)


@contextlib.contextmanager
def _rebuilt(
    trial_id: str, record: TrialRecord, resources: RunResources, *, only_changes: bool
) -> Iterator[Trial]:
    """Yield a trial, started again, in which the recorded calls, or `only_changes` among them, were repeated. Raises
    `BenchmarkError`, and `ReplayDiverged` if the task is another, or a call gives another result."""
    trial = resources.benchmark.start_trial(trial_id)
    if record.started is not None and trial.instruction != record.started.instruction:
        msg = "its task asks something else today"
        raise ReplayDiverged(msg)
    before = ASK_ASIDE.set(_recorded_side_replies(record))
    try:
        with resources.worker_of(trial):
            if record.initial_prompt is not None:
                _repeat(trial, 0, record.initial_prompt.calls, only_changes=only_changes)
            for step in record.whole_steps:
                _repeat(trial, step.number, step.calls, only_changes=only_changes)
            yield trial
    finally:
        ASK_ASIDE.reset(before)


def _recorded_side_replies(record: TrialRecord) -> Callable[[ModelRequest], Reply]:
    """Return what answers the benchmark's requests to its model as they were answered then, by role and order."""
    models = TapedModels(Tape(record, is_replay=True))

    def answer(request: ModelRequest) -> Reply:
        texts = tuple(map(SaidMessage.of, request.messages))
        replied = models.side_reply(request.role, texts)
        if replied is None:
            msg = (
                f"the benchmark asks its model {request.role!r} something that is not in the record"
            )
            raise ReplayDiverged(msg)
        return reply_of(replied)

    return answer


def _repeat(trial: Trial, step: int, calls: Sequence[CallRecord], *, only_changes: bool) -> None:
    """Repeat the calls of a step. Raises `ReplayDiverged` if one comes out otherwise."""
    for call, outcome in repeat_calls(trial, calls, only_changes=only_changes):
        problem = _difference(call, outcome)
        if problem:
            msg = f"in step {step}, the call {call.operation} {problem}"
            raise ReplayDiverged(msg)


def _difference(call: CallRecord, outcome: object) -> str:
    """Return how the outcome of a repeated call differs from the recorded one; empty if it does not."""
    if outcome is None:
        return "was cut off, so its end state is not known"
    if isinstance(outcome, CallError):
        same = call.error is not None and call.error.code == str(outcome.code)
        return "" if same else f"fails today: {outcome.message}"
    if call.error is not None:
        return "failed then and succeeds today"
    return "" if outcome == call.result else "gives another result today"


FREE: Final = {"usage": ModelReplied.model_fields["usage"].default, "cost_usd": None}
"""Usage and cost of a kept reply: the parent run paid for it."""


@dataclass(frozen=True, slots=True)
class ForkPoint:
    """The first new step of a fork, and the recorded events that it keeps."""

    trial: RecordedTrial
    step: int
    """The first step that is done again, from 1."""
    note: str
    """Text added to the model's last message before that step; may be empty."""
    kept: tuple[JournalEvent, ...]
    has_new_prompt: bool = False
    """The system prompt is that of the new run; the kept conversation follows it."""

    def check(self, resources: RunResources) -> None:
        """Repeat every recorded call before the fork in a rebuilt environment of the recorded trial. Raises
        `UsageError` if the benchmark cannot rebuild trials, and `ReplayDiverged` if a call gives another result, which
        shows that the environment differs."""
        trial_id = self.trial.trial_id
        if not resources.opened.rebuilds_trials:
            name = resources.spec.settings.benchmark
            msg = f"{name} cannot rebuild a trial's environment, so {trial_id} cannot be forked; run its task again"
            raise UsageError(msg)
        try:
            with _rebuilt(trial_id, record_of(self.kept), resources, only_changes=False):
                pass
        except ReplayDiverged as error:
            msg = f"the trial {trial_id} cannot be rebuilt as it was: {error}"
            raise ReplayDiverged(msg) from error
        except (BenchmarkError, CallError) as error:
            msg = f"the trial {trial_id} cannot be rebuilt: {error.code}: {error.message}"
            raise UsageError(msg) from error
        finally:
            release = getattr(resources.benchmark, "release", resources.benchmark.end_trial)
            with contextlib.suppress(
                BenchmarkError, CallError
            ):  # It has no end that could be graded.
                guarded("release", lambda: release(trial_id))

    def begin(self, run: Run) -> dict[str, TrialRecord]:
        """Write the kept events to the journal of a started run, once for each of its trials; return their records."""
        records: dict[str, TrialRecord] = {}
        for trial_id in run.summary.trials:
            reader = TrialReader()
            for event in self._events_for(trial_id, run.resources.prompts):
                run.emit(event)
                reader.add(event)
            records[trial_id] = reader.record
        return records

    def _events_for(self, trial_id: str, prompts: Prompts | None) -> Iterator[JournalEvent]:
        tool_schema = ""
        last = max(
            (
                at
                for at, event in enumerate(self.kept)
                if isinstance(event, (ConversationOpened, StepDone))
            ),
            default=-1,
        )
        for at, event in enumerate(self.kept):
            changes: dict[str, object] = {"trial_id": trial_id, "at_ms": now_ms()}
            match event:
                case TrialStarted():
                    changes["origin"], tool_schema = (
                        event.origin or event.trial_id,
                        event.tool_schema,
                    )
                case ConversationOpened() if self.has_new_prompt:
                    offered = without_down(tool_schema_from_text(tool_schema), event.calls)
                    changes["system"] = system_prompt(offered, prompts)
                case ModelReplied():
                    changes |= {**FREE, "cached": True}
                case StepDone():
                    changes |= FREE
            if at == last and self.note:
                field = "feedback" if isinstance(event, StepDone) else "first_message"
                changes[field] = (
                    *getattr(event, field),
                    "\n\n[note from the operator]\n" + self.note,
                )
            yield event.model_copy(update=changes)
        reason = f"forked from {self.trial.journal.run} at step {self.step}"
        yield TrialLeftOpen(trial_id=trial_id, reason=reason)


def fork_point(
    trial: RecordedTrial, step: int, note: str = "", *, has_new_prompt: bool = False
) -> ForkPoint:
    """Return the fork point before a step of a trial. Raises `UsageError` if the trial did not get that far."""
    record = trial.record
    if record.started is None:
        msg = f"the trial {trial.trial_id} of {trial.journal.run} has not begun, so there is nothing to fork"
        raise UsageError(msg)
    most = _last_step(record)
    if not 1 <= step <= most:
        msg = f"--step {step}: the trial {trial.trial_id} can be forked at its steps 1 to {most}"
        raise UsageError(msg)
    return ForkPoint(trial, step, note, tuple(_events_before(trial.events(), step)), has_new_prompt)


def _last_step(record: TrialRecord) -> int:
    """Return the last step that can be done again: the step that answered, else the one after the last."""
    answered: list[int] = []
    for step in record.all_steps:
        if any(answer.error is None for answer in step.answers):
            answered.append(step.number)
    if record.answer is not None and not (record.answer.fallback or record.answer.late):
        answered.append(record.answer.step)
    if answered:
        return min(answered)
    return record.whole_steps[-1].number + 1 if record.whole_steps else 1


def _events_before(events: Iterable[JournalEvent], step: int) -> Iterator[JournalEvent]:
    has_started = False
    for event in events:
        if isinstance(event, TrialStarted):
            if not has_started:
                yield event
            has_started = True
        elif isinstance(event, (AnswerSent, AnswerDone)) and event.late:
            continue
        elif isinstance(event, ConversationOpened) or getattr(event, "step", step) < step:
            yield event


def fork_plan(
    journal: Journal,
    point: ForkPoint,
    repeats: int,
    changes: Mapping[str, object],
    consent: Consent,
) -> NewRun:
    """Return the plan of a run that continues from a step of a trial, `repeats` times."""
    summary = point.trial.summary
    if not summary.task_id or summary.number is None:
        msg = (
            f"the journal of {journal.run} does not say which try of its task {summary.trial_id} is"
        )
        raise UsageError(msg)
    tries = []
    for repeat in range(repeats):
        tries.append(TaskTry(summary.task_id, summary.number, repeat))
    return replayed_tries(journal, tuple(tries), changes, consent, fork=point)


def opened_fork_point(
    journal: Journal, trial: str, step: int, *, note: str = "", has_new_prompt: bool = False
) -> ForkPoint:
    """Return the step of a trial from which a fork continues.

    A note, and another prompt, become part of the conversation. Raises `UsageError` if the trial's
    solver does not record one.
    """
    recorded = journal.trials[journal.find_trial(trial)]
    point = fork_point(recorded, step, note, has_new_prompt=has_new_prompt)
    solver = journal.setting("agent")
    if (note or has_new_prompt) and solver != "cited":
        change = "--note is added to" if note else "--prompt begins"
        msg = (
            f"{change} a conversation, and the solver {solver} of {journal.run} does not record one"
        )
        raise UsageError(msg)
    return point
