"""Opens the session in which a solver works on a trial, and records the start of the attempt."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from controlplane.agent.events import ConversationOpened, TrialStarted
from controlplane.agent.evidence import Environment, Recorder, Tape
from controlplane.agent.evidence.tape.attempt import Attempt
from controlplane.agent.initial_calls.declared_calls import first_calls
from controlplane.agent.loop import LeftOpen, TrialClock, TrialContext, TrialSession
from controlplane.agent.loop.initial_prompt.initial_prompt import (
    failed_searches,
    shortened_notice,
)
from controlplane.agent.model import ASK_ASIDE
from controlplane.benchmark import Trial, TrialStub
from controlplane.journal.run_events import JournalEvent
from controlplane.journal.tool_schema_text import tool_schema_to_text
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.resources.side_models import SideModels
from controlplane.lifecycle.trials.trial_reports import TrialReports
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import ToolSchema


@dataclass(frozen=True, slots=True)
class TrialOpening:
    """The opening of one attempt at a trial that the benchmark has started."""

    resources: RunResources
    stub: TrialStub
    trial: Trial
    attempt: Attempt
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
        recorder = self._recorder(environment, worker)
        self.resources.operations.check_names(recorder.tool_schema)
        self._warn_of_doubtful_tools(recorder.tool_schema)
        # To save time, the calls for the initial prompt run while the time is asked for.
        self._begin_first_calls(recorder)
        now = self._time_in_environment(recorder)
        # The start event precedes all other events of the attempt in the journal.
        self._emit_start(recorder.tool_schema, now)

        session = TrialSession(
            self._context(now),
            recorder,
            self.resources.gates,
            stop=self.reports.controls.stop,
            budget=self.resources.budget,
            clock=clock,
        )
        clock.continue_from(self.attempt.record.all_steps.used_s)
        _connect_side_models(session, side_models)
        return session

    def _recorder(self, environment: Environment, worker: Worker) -> Recorder:
        """Return the recorder, through which the solver makes all calls.

        It plays the tape, the recorded steps of earlier attempts: if the solver makes a call
        of these steps again, it gets the recorded result, and nothing is called.
        """
        trial = self.trial
        is_rebuilt = trial.is_fresh and self.resources.opened.rebuilds_trials
        tape = Tape(self.attempt.record, is_fresh=trial.is_fresh, is_rebuilt=is_rebuilt)
        return Recorder(
            trial.trial_id, environment, self._emit_work_event, worker=worker, tape=tape
        )

    def _begin_first_calls(self, recorder: Recorder) -> None:
        """Begin the calls for the initial prompt, if there is one. They only read."""
        if self.resources.spec.makes_initial_prompt:
            for declared in first_calls(recorder.tool_schema):
                recorder.calls_made.begin_ahead(
                    declared.operation.name, declared.call.arguments
                )

    def _time_in_environment(self, recorder: Recorder) -> datetime | None:
        """Return the time of the environment's clock; None if it has none.

        Raises `LeftOpen` if the run stops.
        """
        now = recorder.calls_made.clock()
        if self.reports.controls.stop.is_set():
            raise LeftOpen  # The stop may have cut off the call, so `now` may be missing.
        return now

    def _emit_start(self, tool_schema: ToolSchema, now: datetime | None) -> None:
        """Write the start event, which says which unfinished step this attempt continues."""
        trial = self.trial
        record = self.attempt.record
        step = record.all_steps.open
        self.reports.emit(
            TrialStarted(
                trial_id=trial.trial_id,
                task_id=trial.task_id,
                instruction=trial.instruction,
                now=now.isoformat() if now else "",
                tool_schema=tool_schema_to_text(tool_schema),
                # The id that seeds the scripts' random numbers.
                origin=record.origin,
                # The attempt continues in this step, after this many recorded calls.
                step=step.number,
                number=len(step.calls),
                begins_anew=self.attempt.begins_anew,
            )
        )

    def _context(self, now: datetime | None) -> TrialContext:
        """Return the facts that the solver may know."""
        trial = self.trial
        record = self.attempt.record
        settings = self.resources.spec.settings
        return TrialContext(
            trial.trial_id,
            trial.task_id,
            trial.instruction,
            now,
            number=_number_among_trials(self.stub),
            origin=record.origin,
            time_limit_s=trial.time_limit_s,
            max_calls=settings.max_calls,
            max_cost_usd=settings.trial_cost,
            context_tokens=self.resources.models.context_tokens,
            is_resumed=record.is_resumed,
        )

    # Notices

    def _emit_work_event(self, event: JournalEvent) -> None:
        """Emit an event of the solver's work.

        Tell the user once if all searches of the initial prompt were refused, or if it
        does not fit into the model's context.
        """
        self.reports.emit(event)
        if isinstance(event, ConversationOpened):
            for notice in (failed_searches(event.calls), shortened_notice(event)):
                if notice:
                    self.resources.notices.show_once(notice)

    def _warn_of_doubtful_tools(self, tool_schema: ToolSchema) -> None:
        """Tell the user once which tools do not say whether they change something.

        To be safe, they are treated as if they did.
        """
        names = tool_schema.doubtful
        if names:
            self.resources.notices.show_once(
                "nothing says whether these tools change something, so each is taken to: "
                f"{', '.join(names)}. For those that only read, say so: "
                f"--reads {','.join(names)} (without those that change something)"
            )


def _connect_side_models(session: TrialSession, side_models: SideModels) -> None:
    """Let the grader, the simulated user and the second reader of answers ask their models.

    These requests are made aside, outside of the solver's conversation. The session
    records them, too.
    """
    ask_aside = partial(session.side_requests.ask, side_models.ask)
    session.exit.judge.ask_reader = ask_aside
    ASK_ASIDE.set(ask_aside)  # for the benchmark's grader and simulated user


def _number_among_trials(stub: TrialStub) -> int:
    """Return the number of a trial among those of its task, from 1.

    A run tries a task in several worlds, or several times in one world. One of the two
    numbers then stays 0, and the other counts the trials. In a run with both, two
    trials may get the same number.
    """
    world_from_0 = stub.number or 0
    return world_from_0 + stub.repeat + 1
