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
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.resume import (
    Attempt,
)
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
from controlplane.benchmark import (
    PlannedTrial,
    Trial,
)
from controlplane.errors import Unreachable
from controlplane.fault_texts import error_text
from controlplane.journal.run_events import JournalEvent
from controlplane.journal.tool_schema_text import tool_schema_to_text
from controlplane.lifecycle.resources.models import SideModels
from controlplane.lifecycle.resources.run_resources import (
    Notices,
    RunResources,
)
from controlplane.lifecycle.run_controls import (
    Emit,
    RunControls,
    TrialReports,
)
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import (
    CallError,
    Plain,
    ToolSchema,
    bounds,
    check_result,
    error_codes,
)

# Watches the calls of a trial, which tell how well the benchmark can be reached.


@dataclass(frozen=True, slots=True)
class CallWatch:
    """Reports outages of the benchmark to the run, and faults of the environment's code."""

    controls: RunControls
    report_fault: Callable[[BaseException], None]
    """Called with each exception that is a fault of the environment's code."""

    @property
    def run_stops(self) -> bool:
        return self.controls.stop.is_set()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Make one call in the block, and tell the run whether the benchmark answered it.

        Only a `CallError` is an expected failure of a call.
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
    watch: CallWatch
    """Tells the run how well the benchmark can be reached."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one declared call. Raises `CallError`.

        If a call that only reads failed because the run stops, raises `LeftOpen`: the
        trial ends for now, and the call is made again when the trial is resumed.
        """
        with self._handled_failure(operation, arguments):
            # `watching` reports an exception of the environment's code, or an outage, to the run.
            with self.watch.watching():
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
                with self.watch.watching():
                    result: dict[str, Plain] = get_result()
                check_result(operation, result)
                return result

        return wait_for_result

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's one answer. Raises `CallError`."""
        with self.watch.watching():
            self.environment.answer(message, outcome, refs)

    def now(self) -> datetime | None:
        """Return the environment's clock; None if it has none. Raises `CallError`."""
        with self.watch.watching():
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
                self.watch.report_fault(TypeError(error.message))
            only_reads = not self.tool_schema.may_change(operation, arguments)
            if only_reads and self._is_due_to_stop(error):
                raise LeftOpen from error
            raise

    def _is_due_to_stop(self, error: CallError) -> bool:
        """Return True if the run stops, and the call failed by a fault of the environment.

        A call with wrong arguments would fail again, so its failure is not due to the stop.
        """
        return self.watch.run_stops and failure_of(error.code).is_environment_fault


# The environment of a trial, as the solver's calls reach it.


@contextmanager
def open_environment(
    trial: Trial,
    clock: TrialClock,
    resources: RunResources,
    reports: TrialReports,
    started: TrialStarted | None,
) -> Iterator[Environment]:
    """Yield the trial's environment, with the tools of the user's MCP servers.

    The servers are started for this trial, and end with it. `started` is the record of an earlier
    attempt that is continued; None without one.
    """
    watched = _watched(trial.environment, clock, resources, reports, started)
    tools = resources.spec.tools
    if tools is None:
        yield watched
        return
    from controlplane.mcp.tool_environment import with_tools

    # The user's `--reads` names tools of these servers that change nothing.
    tools = replace(tools, reads=resources.operations.reads)
    with with_tools(watched, tools, clock) as environment:
        for notice in environment.notices:
            resources.notices.show_once(notice)
        yield environment


def _watched(
    environment: Environment,
    clock: TrialClock,
    resources: RunResources,
    reports: TrialReports,
    started: TrialStarted | None,
) -> WatchedEnvironment:
    """Return the benchmark's environment as one whose calls are timed and whose faults are shown.

    Two protocols are optional. A `Waiting` environment retries calls by itself and so has to know
    when the trial's time is over; a `Printing` one shows the user what its calls print.
    """
    if isinstance(environment, Waiting):
        environment.ends_at = clock.deadline
    if isinstance(environment, Printing):
        environment.show_output = reports.output
    return WatchedEnvironment(
        environment,
        resources.operations.of(environment, started),
        CallWatch(reports.controls, reports.fault),
    )


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
            if is_of_server and event.error.code == error_codes.PERMISSION_DENIED:
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
        session.gated_exit.ask_reader = ask_side_model
    ASK_SIDE_MODEL.set(ask_side_model)  # for the benchmark's grader and simulated user
