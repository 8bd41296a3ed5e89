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
from controlplane.agent.loop import Prompts, system_prompt
from controlplane.agent.opening.calls import without_failed_tools
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import BenchmarkError, TaskTry
from controlplane.errors import ReplayDiverged, UsageError
from controlplane.journal.run_events import JournalEvent, TrialLeftOpen
from controlplane.journal.tool_schema_text import tool_schema_from_text
from controlplane.journal.trial_reader import RecordedTrial, record_of
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_plan import Consent, RunPlan, plan_to_play_again
from controlplane.replay.regrading import rebuilt_trial
from controlplane.sandbox.interface import CallError, guarded

# Checks before a fork that the environment of its trial can be rebuilt.


# The events before a fork, rewritten for the trials of a new run.
#
# A fork continues a recorded trial from one of its steps. The journal of the new run begins with
# copies of the recorded events before that step, as if the new trial had made these steps itself.

_PAID_ELSEWHERE: Final = {
    "usage": ModelReplied.model_fields["usage"].default,
    "cost_usd": None,
}
"""The fields of a copied reply with the tokens and dollars that it took: none, because they are
already in the totals of the recorded run."""


def _copied(
    events: Sequence[JournalEvent], trial_id: str, system: str | None
) -> list[JournalEvent]:
    """Return copies of a trial's events, with the id of the new trial and the present time.

    `system` is the system prompt of the new run; None to keep the recorded one.
    """
    copies: list[JournalEvent] = []
    for event in events:
        changes: dict[str, object] = {"trial_id": trial_id, "at_ms": now_ms()}
        match event:
            case TrialStarted():
                # The origin is the id of the first trial in a chain of forks. It seeds the
                # scripts' random numbers, so that a fork gets the same ones.
                changes["origin"] = event.origin or event.trial_id
            case ConversationOpened() if system is not None:
                changes["system"] = system
            case ModelReplied():
                # `cached`: no model was asked for this reply.
                changes |= {**_PAID_ELSEWHERE, "cached": True}
            case StepDone():
                changes |= _PAID_ELSEWHERE
            case _:
                pass
        copies.append(event.model_copy(update=changes))
    return copies


def _new_system_prompt(
    events: Sequence[JournalEvent], prompts: Prompts | None
) -> str | None:
    """Return the system prompt of a recorded trial with the texts of the new run.

    It describes the same tools as the recorded prompt: those that worked when the
    conversation was opened. None if none was opened. `prompts` is None if the solver of the new run
    asks no model.
    """
    declaration = ""
    for event in events:
        if isinstance(event, TrialStarted):
            declaration = event.tool_schema
        if isinstance(event, ConversationOpened):
            # Leave out tools that were down: those that failed when they were probed.
            working_tools = without_failed_tools(
                tool_schema_from_text(declaration), event.calls
            )
            return system_prompt(working_tools, prompts)
    return None


def _with_note(events: Sequence[JournalEvent], note: str) -> tuple[JournalEvent, ...]:
    """Return the events, with a note of the user added to the last message to the model.

    That message is the feedback of the last step or, if there is no step, the first message.
    The model then reads: "… [note from the operator] Look into /archive, too."
    """
    noted = list(events)
    addition = f"\n\n[note from the operator]\n{note}"
    for index in reversed(range(len(noted))):
        event = noted[index]
        if isinstance(event, StepDone):
            feedback = (*event.feedback, addition)
            noted[index] = event.model_copy(update={"feedback": feedback})
            break
        if isinstance(event, ConversationOpened):
            message = (*event.first_message, addition)
            noted[index] = event.model_copy(update={"first_message": message})
            break
    return tuple(noted)


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
    has_new_prompt: bool
    """True if the fork uses the new run's system prompt instead of the recorded one."""

    def check(self, resources: RunResources) -> None:
        """Check that all calls before the step give the recorded results.

        Raises `UsageError` and `ReplayDiverged`.
        """
        # Make the recorded calls of a trial again, and compare their results.
        record = record_of(self.kept)
        if not resources.opened.rebuilds_trials:
            name = resources.spec.settings.benchmark
            msg = (
                f"{name} cannot rebuild a trial's environment, so {self.trial.trial_id} cannot be forked; "
                "run its task again"
            )
            raise UsageError(msg)
        try:
            with rebuilt_trial(
                self.trial.trial_id, record, resources, only_changes=False
            ):
                pass  # Entering the block has started the trial and repeated its calls.
        except ReplayDiverged as error:
            msg = (
                f"the trial {self.trial.trial_id} cannot be rebuilt as it was: {error}"
            )
            raise ReplayDiverged(msg) from error
        except (BenchmarkError, CallError) as error:
            msg = f"the trial {self.trial.trial_id} cannot be rebuilt: {error.code}: {error.message}"
            raise UsageError(msg) from error
        finally:
            # `rebuilt_trial` does not end the trial. A trial whose start failed may hold
            # resources, too.
            benchmark = resources.benchmark
            release = getattr(benchmark, "release", benchmark.end_trial)
            # `guarded` turns every error of the benchmark's code into a `CallError`.
            with suppress(BenchmarkError, CallError):
                guarded("release", lambda: release(self.trial.trial_id))

    def begin(self, run: Run) -> dict[str, TrialRecord]:
        """Copy the kept events to the journal of a started run, once for each of its trials.

        All trials of the run (several with `--repeats`) are forks of the one recorded
        trial. Returns the record with which each begins, by trial id.
        """
        kept = _with_note(self.kept, self.note) if self.note else self.kept
        system = None
        if self.has_new_prompt:
            system = _new_system_prompt(kept, run.resources.prompts)
        reason = f"forked from {self.trial.journal.run} at step {self.step}"
        records: dict[str, TrialRecord] = {}
        for trial_id in run.summary.trials:
            events = _copied(kept, trial_id, system)
            # The trial is open, so the run resumes it like an interrupted one.
            events.append(TrialLeftOpen(trial_id=trial_id, reason=reason))
            for event in events:
                run.emit(event)
            records[trial_id] = record_of(events)
        return records


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
    trial: RecordedTrial,
    step: int,
    changes: Mapping[str, object],
    consent: Consent,
    *,
    note: str = "",
    repeats: int = 1,
) -> RunPlan:
    """Return the plan of a run with `repeats` trials that continue a recorded trial before a step.

    - `step`: the first step that the new trials do themselves. They take over everything before it.
    - `changes`: the settings that replace recorded ones, such as `{"model": "b"}`. With a `prompt`,
      the new trials begin with its system prompt.
    - `consent`: what the user allows the run, since the journal may be somebody else's.
    - `note`: a text to add to the last message before that step.

    Raises `UsageError`, for example if there is no such step, and for a note or a new prompt if the
    trial's solver records no conversation.
    """
    journal = trial.journal
    record = trial.record
    if not record.has_begun:
        msg = f"the trial {trial.trial_id} of {journal.run} has not begun, so there is nothing to fork"
        raise UsageError(msg)
    # The step that sent the answer is the last one at which a trial can be forked, since none follows
    # it. Without such a step, it is the one after the last complete step.
    last_step = record.step_of_answer
    if last_step is None:
        last_step = record.whole_steps[-1].number + 1 if record.whole_steps else 1
    if not 1 <= step <= last_step:
        msg = f"--step {step}: the trial {trial.trial_id} can be forked at its steps 1 to {last_step}"
        raise UsageError(msg)
    has_new_prompt = "prompt" in changes
    solver = journal.setting("agent")
    if (note or has_new_prompt) and solver != "cited":
        change = "--note is added to" if note else "--prompt begins"
        msg = f"{change} a conversation, and the solver {solver} of {journal.run} does not record one"
        raise UsageError(msg)
    summary = trial.summary
    if not summary.task_id or summary.number is None:
        msg = f"the journal of {journal.run} does not say which try of its task {summary.trial_id} is"
        raise UsageError(msg)

    kept = tuple(_events_before(step, trial.events()))
    point = ForkPoint(trial, step, note, kept, has_new_prompt)
    tries = tuple(
        TaskTry(summary.task_id, summary.number, repeat) for repeat in range(repeats)
    )
    return plan_to_play_again(journal, tries, changes, consent, fork=point)
