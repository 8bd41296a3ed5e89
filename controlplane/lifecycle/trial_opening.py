"""Opens the session in which a solver works on a trial, and records the start of the attempt.

A trial may take several attempts: if a run is interrupted, the next attempt continues the trial
from its record.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from controlplane.agent.events import CallEvent, ConversationOpened, TrialStarted
from controlplane.agent.evidence import Environment, Tape, new_recorder
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.resume import Attempt
from controlplane.agent.evidence.tape import NextEnvironment
from controlplane.agent.loop import (
    LeftOpen,
    TrialClock,
    TrialContext,
    TrialLimits,
    TrialSession,
)
from controlplane.agent.loop.system_prompt import (
    failed_searches_notice,
    shortened_notice,
)
from controlplane.agent.model import ASK_SIDE_MODEL
from controlplane.agent.opening.calls import call_batches
from controlplane.benchmark import PlannedTrial, Trial
from controlplane.journal.run_events import JournalEvent
from controlplane.journal.tool_schema_text import tool_schema_to_text
from controlplane.lifecycle.resources.models import SideModels
from controlplane.lifecycle.resources.run_resources import Notices, RunResources
from controlplane.lifecycle.run_controls import Emit, TrialReports
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import ToolSchema
from controlplane.sandbox.interface.error_codes import PERMISSION_DENIED

# What is known when an attempt at a trial begins, for the journal and for the solver.


@dataclass(frozen=True, slots=True)
class _AttemptFacts:
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
        step = record.open_step
        return TrialStarted(
            trial_id=trial.trial_id,
            task_id=trial.task_id,
            instruction=trial.instruction,
            now=self.now.isoformat() if self.now else "",
            tool_schema=tool_schema_to_text(tool_schema),
            # The id that seeds the scripts' random numbers.
            origin=record.origin,
            # The attempt continues in this step, after this many recorded calls.
            step=step.number,
            number=len(step.calls),
            begins_anew=self.attempt.drops_record,
        )

    def context(self, limits: TrialLimits, context_tokens: int | None) -> TrialContext:
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
            number=_number_among_trials(self.planned_trial),
            origin=record.origin,
            limits=limits,
            context_tokens=context_tokens,
            is_resumed=record.is_resumed,
        )


def _number_among_trials(planned_trial: PlannedTrial) -> int:
    """Return the number of a trial among those of its task, from 1.

    A run tries a task in several worlds, or several times in one world. One of the two
    numbers then stays 0, and the other counts the trials. In a run with both, two
    trials may get the same number.
    """
    world_from_0 = planned_trial.number or 0
    return world_from_0 + planned_trial.repeat + 1


# Tells the user once per run what is doubtful about the tools or the initial prompt of trials.


@dataclass(frozen=True, slots=True)
class _OpeningNotices:
    """Passes on the events of the solver's work, and shows notices about them."""

    emit_event: Emit
    notices: Notices

    def emit(self, event: JournalEvent) -> None:
        """Emit an event of the solver's work.

        Tell the user once if a call of a server's tool was not allowed, if all searches of the
        initial prompt were refused, or if it does not fit into the model's context.
        """
        self.emit_event(event)
        if isinstance(event, CallEvent) and event.error is not None:
            is_of_server = "." in event.operation  # as in `git.git_commit`
            if is_of_server and event.error.code == PERMISSION_DENIED:
                # The message names the option that allows the call.
                self.notices.show_once(event.error.message)
        if isinstance(event, ConversationOpened):
            for notice in (
                failed_searches_notice(event.calls),
                shortened_notice(event),
            ):
                if notice:
                    self.notices.show_once(notice)

    def warn_of_doubtful_tools(self, tool_schema: ToolSchema) -> None:
        """Tell the user once which tools do not say whether they change something.

        To be safe, they are treated as if they did.
        """
        names = tool_schema.doubtful
        if names:
            self.notices.show_once(
                "nothing says whether these tools change something, so each is taken to: "
                f"{', '.join(names)}. For those that only read, say so: "
                f"--reads {','.join(names)} (without those that change something)"
            )


@dataclass(frozen=True, slots=True)
class TrialOpening:
    """The opening of one attempt at a trial that the benchmark has started."""

    resources: RunResources
    """What all trials of the run share, such as its gates and its budget."""
    planned_trial: PlannedTrial
    """The trial as the benchmark allotted it: its id, and its task if that is known."""
    trial: Trial
    """The trial as the benchmark started it, with its instruction."""
    limits: TrialLimits
    attempt: Attempt
    """This attempt, with the record of the steps of earlier ones."""
    reports: TrialReports

    def open_session(
        self,
        environment: Environment,
        worker: Worker,
        clock: TrialClock,
        side_models: SideModels,
    ) -> TrialSession:
        """Record the start of this attempt, and return the solver's session.

        Raises `LeftOpen` if the run stops.
        """
        # 1. The recorder makes the calls of the environment, and emits an event for each.
        #    `_OpeningNotices` passes these on to the journal, and may show the user a warning.
        resources = self.resources
        notices = _OpeningNotices(self.reports.emit, resources.notices)
        recorder = new_recorder(
            self.trial.trial_id,
            environment,
            notices.emit,
            worker=worker,
            tape=self._tape(),
        )
        tool_schema = recorder.tool_schema
        resources.operations.check_names(tool_schema)
        notices.warn_of_doubtful_tools(tool_schema)

        # 2. Ask for the time. To save time, the calls for the initial prompt run meanwhile. None of
        #    these calls emits an event yet.
        if resources.spec.makes_initial_prompt:
            _begin_first_calls(recorder)
        now = self._time_in_environment(recorder)

        # 3. Record the start, before all other events of the attempt, and make the session.
        facts = _AttemptFacts(self.planned_trial, self.trial, self.attempt, now)
        self.reports.emit(facts.start_event(tool_schema))
        session = TrialSession(
            facts.context(self.limits, resources.models.context_tokens),
            recorder,
            resources.budget,
            resources.gates,
            stop=self.reports.controls.stop,
            clock=clock,
        )
        resources.call_settings.apply_to(recorder)
        # The time of earlier attempts counts, too.
        clock.continue_from(self.attempt.record.used_s)
        _connect_side_models(session, side_models)
        return session

    def _tape(self) -> Tape:
        """Return the tape, the recorded steps of earlier attempts.

        If the solver makes a call of these steps again, it gets the recorded result, and
        the environment is not called.
        """
        return Tape(self.attempt.record, next_environment=self._next_environment())

    def _next_environment(self) -> NextEnvironment:
        """Return what the environment of this attempt has of the changes of earlier ones."""
        if not self.trial.is_fresh:
            return NextEnvironment.SAME
        if self.resources.opened.rebuilds_trials:
            return NextEnvironment.REBUILT  # by making their calls again
        return NextEnvironment.NEW

    def _time_in_environment(self, recorder: Recorder) -> datetime | None:
        """Return the time of the environment's clock; None if it has none.

        Raises `LeftOpen` if the run stops.
        """
        now = recorder.start_time()
        if self.reports.controls.stop.is_set():
            raise LeftOpen  # The stop may have cut off the call, so `now` may be missing.
        return now


def _begin_first_calls(recorder: Recorder) -> None:
    """Begin the calls for the initial prompt. They only read."""
    for declared in call_batches(recorder.tool_schema).first:
        recorder.begin_early(declared.operation.name, declared.arguments)


def _connect_side_models(session: TrialSession, side_models: SideModels) -> None:
    """Let the grader, the simulated user and the second reader of answers ask their models.

    These side requests are made outside of the solver's conversation. The session
    records them, too.
    """
    ask = session.requests.ask_for_others
    ask_side_model = partial(ask, side_models.reply_to)
    if side_models.has_reader:
        session.gated_exit.judge.ask_reader = ask_side_model
    ASK_SIDE_MODEL.set(ask_side_model)  # for the benchmark's grader and simulated user
