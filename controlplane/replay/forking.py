"""Forks: runs that continue a recorded trial from a chosen step, for example with another model.

The events before that step are copied to the journal of the new run, as the beginning
of each of its trials. Then the run resumes these trials, as if they had been
interrupted at that step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from controlplane.agent.events import (
    ConversationOpened,
    StepEvent,
    TrialStarted,
)
from controlplane.agent.record.recorded_answer import step_of_answer
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import TaskTry
from controlplane.errors import UsageError
from controlplane.journal.journal_reader import Journal
from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.journal.run_events import JournalEvent, TrialLeftOpen
from controlplane.journal.trial_reader import record_of
from controlplane.lifecycle.playing_again import Consent, plan_to_play_again
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_plan import RunPlan
from controlplane.replay.fork_check import check_can_be_rebuilt
from controlplane.replay.forked_events import ForkedEvents, with_note


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
        """Check that all calls before the step give the recorded results.

        Raises `UsageError` and `ReplayDiverged`.
        """
        check_can_be_rebuilt(self.trial.trial_id, record_of(self.kept), resources)

    def begin(self, run: Run) -> dict[str, TrialRecord]:
        """Copy the kept events to the journal of a started run, once for each of its trials.

        All trials of the run (several with `--repeats`) are forks of the one recorded
        trial. Returns the record with which each begins, by trial id.
        """
        kept = with_note(self.kept, self.note) if self.note else self.kept
        forked = ForkedEvents(kept, self.has_new_prompt)
        reason = f"forked from {self.trial.journal.run} at step {self.step}"
        records: dict[str, TrialRecord] = {}
        for trial_id in run.summary.trials:
            events = forked.rewritten(trial_id, run.resources.prompts)
            # The trial is open, so the run resumes it like an interrupted one.
            events.append(TrialLeftOpen(trial_id=trial_id, reason=reason))
            for event in events:
                run.emit(event)
            records[trial_id] = record_of(events)
        return records


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
    answering_step = step_of_answer(record)
    if answering_step is not None:
        return answering_step
    if record.whole_steps:
        return record.whole_steps[-1].number + 1
    return 1


def _events_before(step: int, events: Iterable[JournalEvent]) -> Iterator[JournalEvent]:
    """Yield a trial's start, its initial prompt, and the events of the steps before `step`.

    Other events, such as a notice or the trial's end, are not taken over.
    """
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
) -> RunPlan:
    """Return the plan of a run with `repeats` trials that continue from a fork point.

    `changes` are the settings that replace recorded ones: `{"model": "b"}`. `consent` is what the user
    allows the run, since the journal may be somebody else's. Raises `UsageError`.
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
    """Return the fork point before a step of the trial that the user names, such as `orders.3`.

    Raises `UsageError` if there is no such trial or step, and for a note or a new prompt if the
    trial's solver records no conversation.
    """
    recorded = journal.trials[journal.find_trial(trial)]
    point = _fork_point(recorded, step, note, has_new_prompt=has_new_prompt)
    solver = journal.setting("agent")
    if (note or has_new_prompt) and solver != "cited":
        change = "--note is added to" if note else "--prompt begins"
        msg = f"{change} a conversation, and the solver {solver} of {journal.run} does not record one"
        raise UsageError(msg)
    return point
