"""What is known when an attempt at a trial begins, for the journal and for the solver."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from controlplane.agent.events import TrialStarted
from controlplane.agent.evidence.tape.resuming.attempt import Attempt
from controlplane.agent.loop import TrialContext
from controlplane.agent.record.recorded_start import is_resumed, origin_of
from controlplane.benchmark import PlannedTrial, Trial
from controlplane.configuration.run_settings import RunSettings
from controlplane.journal.tool_schema_text import tool_schema_to_text
from controlplane.sandbox.interface import ToolSchema


@dataclass(frozen=True, slots=True)
class AttemptFacts:
    """The facts about an attempt that begins."""

    planned_trial: PlannedTrial
    trial: Trial
    attempt: Attempt
    now: datetime | None
    """The time of the environment's clock; None if it has none."""

    def start_event(self, tool_schema: ToolSchema) -> TrialStarted:
        """Return the event of the start, which says which unfinished step is continued."""
        trial = self.trial
        record = self.attempt.record
        step = record.all_steps.open
        return TrialStarted(
            trial_id=trial.trial_id,
            task_id=trial.task_id,
            instruction=trial.instruction,
            now=self.now.isoformat() if self.now else "",
            tool_schema=tool_schema_to_text(tool_schema),
            # The id that seeds the scripts' random numbers.
            origin=origin_of(record),
            # The attempt continues in this step, after this many recorded calls.
            step=step.number,
            number=len(step.calls),
            begins_anew=self.attempt.drops_record,
        )

    def context(
        self, settings: RunSettings, context_tokens: int | None
    ) -> TrialContext:
        """Return the facts that the solver may know.

        `context_tokens` is the size of the context of its model; None if it is unknown.
        """
        trial = self.trial
        record = self.attempt.record
        return TrialContext(
            trial.trial_id,
            trial.task_id,
            trial.instruction,
            self.now,
            number=number_among_trials(self.planned_trial),
            origin=origin_of(record),
            time_limit_s=trial.time_limit_s,
            max_calls=settings.max_calls,
            max_cost_usd=settings.trial_cost,
            context_tokens=context_tokens,
            is_resumed=is_resumed(record),
        )


def number_among_trials(planned_trial: PlannedTrial) -> int:
    """Return the number of a trial among those of its task, from 1.

    A run tries a task in several worlds, or several times in one world. One of the two
    numbers then stays 0, and the other counts the trials. In a run with both, two
    trials may get the same number.
    """
    world_from_0 = planned_trial.number or 0
    return world_from_0 + planned_trial.repeat + 1
