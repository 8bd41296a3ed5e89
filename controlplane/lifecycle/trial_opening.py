"""Opens what a solver works with in a trial, its environment and its session, and records the start.

A trial may take several attempts: if a run is interrupted, the next attempt continues the trial
from its record.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from controlplane.agent.events import (
    CallEvent,
    ConversationOpened,
    TrialStarted,
)
from controlplane.agent.evidence import (
    Environment,
    Printing,
    Tape,
    Waiting,
    new_recorder,
)
from controlplane.agent.evidence.resume import Attempt
from controlplane.agent.evidence.tape import NextEnvironment
from controlplane.agent.failure_codes import failure_of
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
from controlplane.errors import Unreachable, error_text
from controlplane.journal.run_events import JournalEvent
from controlplane.journal.tool_schema_text import tool_schema_to_text
from controlplane.lifecycle.resources.offered_operations import (
    check_operations_of_trial,
    offered_operations,
)
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.run_controls import RunControls, TrialReports
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import (
    CallError,
    Plain,
    ToolSchema,
    bounds,
    check_result,
    error_codes,
)

# The environment of a trial, whose calls are watched and checked.


@dataclass(frozen=True, slots=True)
class WatchedEnvironment:
    """Passes calls on to a trial's environment, and checks the results.

    The environment is code of a benchmark, and may be out of order: it may raise anything, return
    something that is not plain data, or fail since its platform is down. The run is told of that.
    """

    environment: Environment
    """The benchmark's own environment."""
    tool_schema: ToolSchema
    """The declared operations that the trial may use."""
    controls: RunControls
    """Tells the run how well the benchmark can be reached."""
    report_fault: Callable[[BaseException], None]
    """Called with each exception that is a fault of the environment's code."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one declared call. Raises `CallError`.

        If a call that only reads failed because the run stops, raises `LeftOpen`: the
        trial ends for now, and the call is made again when the trial is resumed.
        """
        with self._handled_failure(operation, arguments):
            with self._watching():
                result = self.environment.call(operation, arguments)
            check_result(operation, result)
            return result

    def begin(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> Callable[[], dict[str, Plain]]:
        """Begin a call that only reads, and return a function that waits for its result.

        That function returns and raises as `call` does. If the environment has no
        `begin`, the function makes the whole call.
        """
        environment_begin = getattr(self.environment, "begin", None)
        if environment_begin is None:
            return lambda: self.call(operation, arguments)
        get_result = environment_begin(operation, arguments)

        def wait_for_result() -> dict[str, Plain]:
            with self._handled_failure(operation, arguments):
                with self._watching():
                    result: dict[str, Plain] = get_result()
                check_result(operation, result)
                return result

        return wait_for_result

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's one answer. Raises `CallError`."""
        with self._watching():
            self.environment.answer(message, outcome, refs)

    def now(self) -> datetime | None:
        """Return the environment's clock; None if it has none. Raises `CallError`."""
        with self._watching():
            return self.environment.now()

    @contextmanager
    def _handled_failure(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> Iterator[None]:
        """Handle the failure of the call in the block, or of the check of its result.

        Every failure goes on to the caller. Before that, two kinds are treated here:
        - `check_result` finds a defect of the environment's code: it is reported to the run.
        - The run stops, which cuts calls off: `LeftOpen` is raised instead, unless the call may
          have changed something. Its failure has to be recorded.
        """
        try:
            yield
        except CallError as error:
            if error.host_broke:  # a defect, such as a result that is not plain data
                self.report_fault(TypeError(error.message))
            only_reads = not self.tool_schema.may_change(operation, arguments)
            # A call with wrong arguments would fail again, so its failure is not due to the stop.
            may_be_due_to_stop = failure_of(error.code).is_environment_fault
            if only_reads and self.controls.stop.is_set() and may_be_due_to_stop:
                raise LeftOpen from error
            raise

    @contextmanager
    def _watching(self) -> Iterator[None]:
        """Make one call in the block, and tell the run whether the benchmark answered it.

        Only a `CallError` is an expected failure of a call. Other exceptions of the environment's
        code are faults, which are reported.
        """
        began_at = time.monotonic()
        try:
            yield
        except CallError as error:
            self._note_failed_call(error, began_at)
            raise
        except BaseException as error:
            # Errors of the product itself, such as `LeftOpen`, may pass through a call.
            # They have the attribute `leaves_step`. All others are faults of the
            # environment's code.
            is_error_of_product = getattr(error, "leaves_step", False)
            if not is_error_of_product:
                self.report_fault(error)
            if isinstance(error, (Exception, KeyboardInterrupt)):
                raise
            # Code of a benchmark may call `sys.exit`, which must not end this process.
            msg = f"{type(error).__name__}: {error_text(error)}"
            raise RuntimeError(msg) from error
        self.controls.health.note_answer()

    def _note_failed_call(self, error: CallError, began_at: float) -> None:
        """Pause the run if the benchmark refuses its key or has been down for too long."""
        failure = failure_of(error.code)
        if error.code == error_codes.UNAUTHENTICATED:
            text = f"the benchmark refuses the calls of trials ({error})"
            self.controls.pause(Unreachable(text))
        elif failure.is_outage:
            outage_s = self.controls.health.note_unreachable_call(began_at)
            if outage_s > bounds.LONGEST_OUTAGE_S:
                text = (
                    f"the benchmark has not been reached for {outage_s:.0f} s ({error})"
                )
                self.controls.pause(Unreachable(text))
        elif not failure.is_environment_fault:
            # The request was wrong, and the benchmark said so. It can be reached.
            self.controls.health.note_answer()


# The environment of a trial as the solver's calls reach it, and the session of the solver.


@dataclass(frozen=True, slots=True)
class TrialOpening:
    """Opens what the solver works with in one attempt at a trial that the benchmark has started."""

    resources: RunResources
    """What all trials of the run share, such as its gates and its budget."""
    planned_trial: PlannedTrial
    """The trial as the benchmark allotted it: its id, and its task if that is known."""
    trial: Trial
    """The trial as the benchmark started it, with its instruction."""
    attempt: Attempt
    """This attempt, with the record of the steps of earlier ones."""
    limits: TrialLimits
    reports: TrialReports

    @contextmanager
    def open_environment(self, clock: TrialClock) -> Iterator[Environment]:
        """Yield the trial's environment, with the tools of the user's MCP servers.

        The servers are started for this trial, and end with it.
        """
        resources = self.resources
        # Two protocols are optional. A `Waiting` environment retries calls by itself and so has to
        # know when the trial's time is over; a `Printing` one shows the user what its calls print.
        environment = self.trial.environment
        if isinstance(environment, Waiting):
            environment.ends_at = clock.deadline
        if isinstance(environment, Printing):
            environment.show_output = self.reports.output
        watched = WatchedEnvironment(
            environment,
            offered_operations(resources, environment, self.attempt.record.started),
            self.reports.controls,
            self.reports.fault,
        )
        tools = resources.spec.tools
        if tools is None:
            yield watched
            return
        from controlplane.mcp.tool_environment import with_tools

        # The user's `--reads` names tools of these servers that change nothing.
        tools = replace(tools, reads=resources.reads)
        with with_tools(watched, tools, clock) as with_servers:
            for notice in with_servers.notices:
                resources.notices.show_once(notice)
            yield with_servers

    def open_session(
        self, environment: Environment, worker: Worker, clock: TrialClock
    ) -> TrialSession:
        """Record the start of this attempt, and return the solver's session.

        Raises `LeftOpen` if the run stops.
        """
        # 1. The recorder makes the calls of the environment, and emits an event for each. The tape
        #    has the recorded steps of earlier attempts: if the solver makes a call of these again,
        #    it gets the recorded result, and the environment is not called.
        resources = self.resources
        record = self.attempt.record
        recorder = new_recorder(
            self.trial.trial_id,
            environment,
            self._emit,
            worker=worker,
            tape=Tape(record, next_environment=self._next_environment()),
        )
        tool_schema = recorder.tool_schema
        check_operations_of_trial(resources, tool_schema)
        self._warn_of_doubtful_tools(tool_schema)

        # 2. Ask for the time of the environment's clock, if it has one. To save time, the calls for
        #    the initial prompt run meanwhile. None of these calls emits an event yet.
        if resources.spec.makes_initial_prompt:
            for declared in call_batches(tool_schema).first:  # They only read.
                recorder.begin_early(declared.operation.name, declared.arguments)
        now = recorder.start_time()
        if self.reports.controls.stop.is_set():
            # The stop may have cut off the call, so `now` may be missing.
            raise LeftOpen

        # 3. Record the start, before all other events of the attempt, and make the session.
        self.reports.emit(self._start_event(now, tool_schema))
        context = TrialContext(
            self.trial.trial_id,
            self.trial.task_id,
            self.trial.instruction,
            now,
            number=_number_among_trials(self.planned_trial),
            origin=record.origin,
            limits=self.limits,
            context_tokens=resources.models.context_tokens,
            is_resumed=record.is_resumed,
        )
        session = TrialSession(
            context,
            recorder,
            resources.budget,
            resources.gates,
            stop=self.reports.controls.stop,
            clock=clock,
        )
        resources.call_settings.apply_to(recorder)
        # The time of earlier attempts counts, too.
        clock.continue_from(record.used_s)
        self._connect_side_models(session)
        return session

    def _next_environment(self) -> NextEnvironment:
        """Return what the environment of this attempt has of the changes of earlier ones."""
        if not self.trial.is_fresh:
            return NextEnvironment.SAME
        if self.resources.opened.rebuilds_trials:
            return NextEnvironment.REBUILT  # by making their calls again
        return NextEnvironment.NEW

    def _start_event(
        self, now: datetime | None, tool_schema: ToolSchema
    ) -> TrialStarted:
        """Return the event of the start, which says which unfinished step is continued."""
        record = self.attempt.record
        step = record.open_step
        return TrialStarted(
            trial_id=self.trial.trial_id,
            task_id=self.trial.task_id,
            instruction=self.trial.instruction,
            now=now.isoformat() if now else "",
            tool_schema=tool_schema_to_text(tool_schema),
            # The id that seeds the scripts' random numbers.
            origin=record.origin,
            # The attempt continues in this step, after this many recorded calls.
            step=step.number,
            number=len(step.calls),
            begins_anew=self.attempt.drops_record,
        )

    def _emit(self, event: JournalEvent) -> None:
        """Emit an event of the solver's work.

        Tell the user once if a call of a server's tool was not allowed, if all searches of the
        initial prompt were refused, or if it does not fit into the model's context.
        """
        self.reports.emit(event)
        show_once = self.resources.notices.show_once
        if isinstance(event, CallEvent) and event.tool_refusal:
            show_once(event.tool_refusal)
        if isinstance(event, ConversationOpened):
            for notice in (
                failed_searches_notice(event.calls),
                shortened_notice(event),
            ):
                if notice:
                    show_once(notice)

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

    def _connect_side_models(self, session: TrialSession) -> None:
        """Let the grader, the simulated user and the second reader of answers ask their models.

        These side requests are made outside of the solver's conversation. The session
        records them, too.
        """
        assert self.resources.setup is not None  # This process plays trials.
        side_models = self.resources.setup.side_models
        ask_side_model = partial(session.ask_for_others, side_models.reply_to)
        if side_models.has_reader:
            session.gated_exit.ask_reader = ask_side_model
        ASK_SIDE_MODEL.set(ask_side_model)  # for the benchmark's grader and user


def _number_among_trials(planned_trial: PlannedTrial) -> int:
    """Return the number of a trial among those of its task, from 1.

    A run tries a task in several worlds, or several times in one world. One of the two
    numbers then stays 0, and the other counts the trials. In a run with both, two
    trials may get the same number.
    """
    world_from_0 = planned_trial.number or 0
    return world_from_0 + planned_trial.repeat + 1
