"""Forks: runs that continue a recorded trial from a chosen step, for example with another model.

The events before that step are copied to the journal of the new run, as the beginning
of each of its trials. Then the run resumes these trials, as if they had been
interrupted at that step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from controlplane.agent.events import (
    ConversationOpened,
    ModelReplied,
    StepDone,
    StepEvent,
    TrialStarted,
    now_ms,
)
from controlplane.agent.initial_calls.declared_calls import without_down
from controlplane.agent.loop import Prompts, system_prompt
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import BenchmarkError, TaskTry
from controlplane.errors import ReplayDiverged, UsageError
from controlplane.journal.journal_reader import Journal, RecordedTrial
from controlplane.journal.run_events import JournalEvent, TrialLeftOpen
from controlplane.journal.tool_schema_text import tool_schema_from_text
from controlplane.journal.trial_reader import record_of
from controlplane.lifecycle.new_run import Consent, NewRun, plan_to_play_again
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.replay.rebuilding import rebuilt_trial
from controlplane.sandbox.interface import CallError, guarded

PAID_ELSEWHERE: Final = {
    "usage": ModelReplied.model_fields["usage"].default,
    "cost_usd": None,
}
"""The usage and cost of a copied reply: none, because the original run has paid for it."""


@dataclass(frozen=True, slots=True)
class ForkPoint:
    """The point of a recorded trial at which a fork continues.

    `check` verifies that the trial's environment can be rebuilt, and `begin` copies the
    events to a new run.
    """

    trial: RecordedTrial
    step: int
    """The first step that the fork does itself, from 1."""
    note: str
    """A text that the user adds to the last message before that step; may be empty."""
    kept: tuple[JournalEvent, ...]
    """The recorded events before that step."""
    has_new_prompt: bool = False
    """True if the fork uses the new run's system prompt instead of the recorded one."""

    def check(self, resources: RunResources) -> None:
        """Check that the fork can begin: all calls before its step give the recorded results.

        Raises `UsageError` if the benchmark cannot rebuild environments, and
        `ReplayDiverged` if a call has another result than recorded.
        """
        trial_id = self.trial.trial_id
        if not resources.opened.rebuilds_trials:
            name = resources.spec.settings.benchmark
            msg = (
                f"{name} cannot rebuild a trial's environment, so {trial_id} cannot be forked; "
                "run its task again"
            )
            raise UsageError(msg)
        record = record_of(self.kept)
        try:
            with rebuilt_trial(trial_id, record, resources, only_changes=False):
                pass  # Entering the block has started the trial and repeated its calls.
        except ReplayDiverged as error:
            msg = f"the trial {trial_id} cannot be rebuilt as it was: {error}"
            raise ReplayDiverged(msg) from error
        except (BenchmarkError, CallError) as error:
            msg = (
                f"the trial {trial_id} cannot be rebuilt: {error.code}: {error.message}"
            )
            raise UsageError(msg) from error
        finally:
            _release(trial_id, resources)  # `rebuilt_trial` does not end the trial.

    def begin(self, run: Run) -> dict[str, TrialRecord]:
        """Copy the kept events to the journal of a started run, once for each of its trials.

        All trials of the run (several with `--repeats`) are forks of the one recorded
        trial. Returns the record with which each begins, by trial id.
        """
        records: dict[str, TrialRecord] = {}
        for trial_id in run.summary.trials:
            events = self._events_for(trial_id, run.resources.prompts)
            for event in events:
                run.emit(event)
            records[trial_id] = record_of(events)
        return records

    def _events_for(self, trial_id: str, prompts: Prompts | None) -> list[JournalEvent]:
        """Return the kept events, rewritten for a new trial.

        A last event says that the trial is open. So the run resumes it like an
        interrupted one.
        """
        events: list[JournalEvent] = []
        for event in self._kept_with_note():
            changes: dict[str, object] = {"trial_id": trial_id, "at_ms": now_ms()}
            changes.update(self._changed_fields(event, prompts))
            events.append(event.model_copy(update=changes))
        reason = f"forked from {self.trial.journal.run} at step {self.step}"
        events.append(TrialLeftOpen(trial_id=trial_id, reason=reason))
        return events

    def _changed_fields(
        self, event: JournalEvent, prompts: Prompts | None
    ) -> dict[str, object]:
        """Return the fields of a kept event that differ in the fork.

        `prompts` are the texts of the new run.
        """
        match event:
            case TrialStarted():
                # The origin is the id of the first trial in a chain of forks. It seeds the
                # scripts' random numbers, so that a fork gets the same ones.
                return {"origin": event.origin or event.trial_id}
            case ConversationOpened() if self.has_new_prompt:
                return {"system": self._new_system_prompt(event, prompts)}
            case ModelReplied():
                return {**PAID_ELSEWHERE, "cached": True}
            case StepDone():
                return dict(PAID_ELSEWHERE)
            case _:
                return {}

    def _new_system_prompt(
        self, opened: ConversationOpened, prompts: Prompts | None
    ) -> str:
        """Return the system prompt with the texts of the new run.

        It describes the same operations as the recorded prompt: those that worked when
        the conversation was opened.
        """
        declaration = ""
        for event in self.kept:
            if isinstance(event, TrialStarted):
                declaration = event.tool_schema
        working_operations = without_down(
            tool_schema_from_text(declaration), opened.calls
        )
        return system_prompt(working_operations, prompts)

    def _kept_with_note(self) -> list[JournalEvent]:
        """Return the kept events, with the note added to the last message to the model.

        That message is the feedback of the last step or,
        if there is no step, the first message.
        """
        events = list(self.kept)
        if not self.note:
            return events
        addition = f"\n\n[note from the operator]\n{self.note}"
        for index in reversed(range(len(events))):
            event = events[index]
            if isinstance(event, StepDone):
                feedback = (*event.feedback, addition)
                events[index] = event.model_copy(update={"feedback": feedback})
                return events
            if isinstance(event, ConversationOpened):
                first_message = (*event.first_message, addition)
                events[index] = event.model_copy(
                    update={"first_message": first_message}
                )
                return events
        return events


def _release(trial_id: str, resources: RunResources) -> None:
    """Let the benchmark free a rebuilt trial.

    `release` does that without grading the trial. A benchmark without it ends the trial.
    """
    benchmark = resources.benchmark
    release = getattr(benchmark, "release", benchmark.end_trial)
    # `guarded` turns every error of the benchmark's code into a `CallError`.
    with suppress(BenchmarkError, CallError):
        guarded("release", lambda: release(trial_id))


def _fork_point(
    trial: RecordedTrial, step: int, note: str = "", *, has_new_prompt: bool = False
) -> ForkPoint:
    """Return the point before a step of a recorded trial, from which a new trial continues it.

    The new trial, a fork, takes over everything before `step`. Raises `UsageError` if
    the recorded trial did not get that far.
    """
    record = trial.record
    if not record.has_begun:
        msg = (
            f"the trial {trial.trial_id} of {trial.journal.run} has not begun, "
            "so there is nothing to fork"
        )
        raise UsageError(msg)
    last_step = _last_step(record)
    if not 1 <= step <= last_step:
        msg = f"--step {step}: the trial {trial.trial_id} can be forked at its steps 1 to {last_step}"
        raise UsageError(msg)
    kept = tuple(_events_before(step, trial.events()))
    return ForkPoint(trial, step, note, kept, has_new_prompt)


def _last_step(record: TrialRecord) -> int:
    """Return the last step at which a trial can be forked.

    It is the step that sent the answer, since no step follows it. Without such a step,
    it is the one after the last complete step.
    """
    if record.step_of_answer is not None:
        return record.step_of_answer
    if record.all_steps.whole:
        return record.all_steps.whole[-1].number + 1
    return 1


def _events_before(step: int, events: Iterable[JournalEvent]) -> Iterator[JournalEvent]:
    """Yield a trial's start, its initial prompt, and the events of the steps before `step`."""
    has_started = False
    for event in events:
        match event:
            case TrialStarted():
                # A trial that was interrupted has started several times. Keep the first.
                if not has_started:
                    yield event
                has_started = True
            case ConversationOpened():
                yield event
            case StepEvent() if event.is_part_of_step and event.step < step:
                yield event
            case _:
                pass


def fork_plan(
    journal: Journal,
    point: ForkPoint,
    repeats: int,
    changes: Mapping[str, object],
    consent: Consent,
) -> NewRun:
    """Return the plan of a run with `repeats` trials that continue from a fork point.

    `changes` are the settings that replace recorded ones.
    """
    summary = point.trial.summary
    if not summary.task_id or summary.number is None:
        msg = f"the journal of {journal.run} does not say which try of its task {summary.trial_id} is"
        raise UsageError(msg)
    tries: Sequence[TaskTry] = [
        TaskTry(summary.task_id, summary.number, repeat) for repeat in range(repeats)
    ]
    return plan_to_play_again(journal, tuple(tries), changes, consent, fork=point)


def opened_fork_point(
    journal: Journal,
    trial: str,
    step: int,
    *,
    note: str = "",
    has_new_prompt: bool = False,
) -> ForkPoint:
    """Return the fork point before a step of the trial that the user names.

    Raises `UsageError` for a note or a new prompt
    if the trial's solver records no conversation.
    """
    recorded = journal.trials[journal.find_trial(trial)]
    point = _fork_point(recorded, step, note, has_new_prompt=has_new_prompt)
    solver = journal.setting("agent")
    if (note or has_new_prompt) and solver != "cited":
        change = "--note is added to" if note else "--prompt begins"
        msg = f"{change} a conversation, and the solver {solver} of {journal.run} does not record one"
        raise UsageError(msg)
    return point
