"""Runs the scripts of a recorded trial again, and gives the recorded results to their calls."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from operator import itemgetter
from pathlib import Path
from typing import Final

from controlplane.agent.events import (
    CallRecord,
    Citation,
    Judged,
    StepDone,
    TrialEvent,
    submission_of,
)
from controlplane.agent.evidence import (
    Difference,
    ProvenancePolicy,
    Tape,
    new_recorder,
    parse_policy,
)
from controlplane.agent.gated_exit import NotJudged
from controlplane.agent.limits.spending import Spending
from controlplane.agent.limits.trial_limits import DEFAULT_LIMITS
from controlplane.agent.loop import TrialContext, TrialSession, sandbox_of
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.retry import RetryBudget, RetryLimits, RunBudget
from controlplane.agent.trial_gates import GateSettings
from controlplane.configuration.recorded_settings import replay_settings_here
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import UsageError
from controlplane.gates.verdicts import VERIFY_GATE
from controlplane.journal.journal_reader import Journal
from controlplane.journal.tool_schema_text import tool_schema_from_text
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.lifecycle.resources.gate_policies import gate_policy
from controlplane.lifecycle.resources.run_resources import (
    loop_settings,
    trial_limits,
)
from controlplane.lifecycle.resources.run_sandbox import check_isolation
from controlplane.sandbox import (
    ALL_LAYERS,
    Ending,
    ForkServer,
    Layer,
    Limits,
    Sandbox,
    Worker,
)
from controlplane.sandbox.interface import CallError, Plain, ToolSchema, error_codes

# A recorded trial, and the settings of a rerun of it.

ENDED_BY_SANDBOX: Final = (Ending.LIMIT, Ending.KILLED)
"""The sandbox ended these steps. They are not run again: the machine decides how far they get."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded trial, with everything that the results of its scripts and gates depend on."""

    trial: TrialContext
    tool_schema: ToolSchema
    record: TrialRecord
    provenance: ProvenancePolicy = field(default_factory=ProvenancePolicy)
    """The policy about calls that would change something by a value from untrusted text."""


@dataclass(frozen=True, slots=True)
class RerunSettings:
    """The settings of a rerun."""

    gates: GateSettings = field(default_factory=GateSettings)
    limits: Limits = field(default_factory=Limits)
    isolation: frozenset[Layer] = ALL_LAYERS
    compare_errors: bool = True
    """False under another minor version of Python, whose error messages may differ."""


def recording_of(
    trial: RecordedTrial, server: ForkServer, isolation: frozenset[Layer]
) -> Recording | None:
    """Return what is needed to run a trial again; None if the trial never started.

    Raises `UsageError` if it has scripts, and a layer of `isolation` does not work here.
    """
    record = trial.record
    started = record.started
    if started is None:
        return None
    if any(step.code for step in record.step_summaries):
        check_isolation(server, isolation)
    journal = trial.journal
    # Calls that the journal has go by the limits, which refuse only what a script does beyond.
    limits = DEFAULT_LIMITS
    with suppress(UsageError):  # The settings are not valid any more.
        limits = trial_limits(replay_settings_here(journal))
    provenance = ProvenancePolicy()
    with suppress(ValueError):
        provenance = parse_policy(str(journal.setting("provenance") or "off"))
    context = TrialContext(
        trial.trial_id,
        started.task_id,
        started.instruction,
        record.start_time,
        origin=record.origin,
        limits=limits,
    )
    tool_schema = tool_schema_from_text(started.tool_schema)
    return Recording(context, tool_schema, record, provenance)


def replay_isolation(isolation: str | None = None) -> frozenset[Layer]:
    """Return the layers of the sandbox that isolate replayed scripts.

    The text `isolation` names them or, without it, the setting of this name in the
    environment or controlplane.toml. By default all layers are used. Raises `UsageError`.
    """
    values = {} if isolation is None else {"isolation": isolation}
    resolved = resolve(values, os.environ, Path.cwd())
    return loop_settings(resolved.settings).isolation


def rerun_settings(
    journal: Journal,
    rule_sets: tuple[str, ...],
    isolation: frozenset[Layer],
    *,
    compare_errors: bool,
) -> RerunSettings:
    """Return the settings of a rerun with these `rule_sets` and this `isolation`."""
    settings = replay_settings_here(journal)
    loop = loop_settings(settings)
    policy = gate_policy(settings.gates, settings.rule_sets, rule_sets)
    if journal.is_own:
        # Only the language layer influences the results of scripts. So it is on or off
        # as in the run. In a journal of somebody else it is not switched off.
        isolation = isolation - {Layer.LANGUAGE}
        if Layer.LANGUAGE in loop.isolation:
            isolation = isolation | {Layer.LANGUAGE}
    return RerunSettings(
        GateSettings(policy, rule_sets), loop.limits, isolation, compare_errors
    )


# Runs a recorded trial again, and yields where it differs from the record.
#
# The scripts of the trial run again. If its solver wrote no scripts, the recorded calls,
# citations and submissions are relived in their order. Calls get their recorded
# results. Each step begins with the recorded state, so that a difference in one
# step does not cause others.

# Tells differences in the texts of errors, which depend on the version of Python, from others.


def _is_of_error_texts(difference: Difference) -> bool:
    """Return True if only the texts of errors differ."""
    if difference.field == "error":
        return True
    recorded = difference.recorded
    now = difference.now
    if not (isinstance(recorded, Judged) and isinstance(now, Judged)):
        return False
    return _without_error_texts(recorded) == _without_error_texts(now)


def _without_error_texts(judged: Judged) -> Judged:
    """Return a judgement without the reason of gate 7, which quotes errors of a script's `verify`.

    The message contains all reasons, so it is removed, too.
    """
    verdicts = []
    for verdict in judged.verdicts:
        if verdict.gate == VERIFY_GATE:
            verdict = verdict.model_copy(update={"reason": ""})
        verdicts.append(verdict)
    return judged.model_copy(update={"message": "", "verdicts": tuple(verdicts)})


# Relives those recorded actions of a solver that no script relives: calls, citations, submissions.


def _relive_actions(step: TrialStep, session: TrialSession) -> None:
    """Relive the citations, submissions and calls of a step in their recorded order."""
    # Actions are sorted by the number of calls before them. For a citation between the
    # second and the third call, and for the third call itself, this number is 2. The
    # citation came first. Sorting keeps the order of equal numbers, so the list has
    # citations and submissions before calls.
    actions: list[tuple[int, CallRecord | Citation | Judged]] = []
    for citation in step.citations:
        actions.append((citation.after_calls, citation))
    for judged in step.submissions:
        if judged.submitted_parts is not None:
            actions.append((judged.submitted_parts.after_calls, judged))
    for number, call in enumerate(step.calls):
        # A function of the environment makes calls itself: `outer` is the call of the
        # function. To relive that call relives them, too.
        is_made_by_function = call.outer is not None
        if not is_made_by_function:
            actions.append((number, call))

    for _, action in sorted(actions, key=itemgetter(0)):
        # An action that was refused in the trial is refused again, with an exception.
        with suppress(CallError, NotJudged, ValueError):
            _relive(action, session)


def _relive(content: CallRecord | Citation | Judged, session: TrialSession) -> None:
    """Relive one action. Raises the errors of the session."""
    match content:
        case Citation():
            session.check_citation(content.path, content.reason, content.quote)
        case Judged():
            session.submit(submission_of(content))
        case CallRecord():
            # Without checks and limits, since it has passed them in the trial
            session.begin_step()
            result = session.recorder.calls.relive(content)
            session.gated_exit.learn_call(content.operation, content.arguments, result)


# A session in which the steps of a recorded trial run again, without an environment.
#
# Calls get their recorded results.


@dataclass(frozen=True, slots=True)
class _NoEnvironment:
    """Replaces the environment in a rerun. A call that has no recorded result raises an error."""

    tool_schema: ToolSchema

    def call(self, operation: str, arguments: object) -> dict[str, Plain]:
        msg = f"the record holds no result for {operation}({arguments})"
        raise CallError(error_codes.INTERNAL, msg)

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        msg = "nothing is answered from a record"
        raise CallError(error_codes.INTERNAL, msg)

    def now(self) -> datetime | None:
        return None


def _session_on(
    tape: Tape, recording: Recording, worker: Worker, gates: GateSettings
) -> TrialSession:
    """Return a session, opened with the recorded prompt, whose calls get results from a tape.

    Two things are as in the recorded trial: the provenance policy (about values from untrusted
    text in calls), and, whatever `gates` says, whether the benchmark judges calls before they
    are made (the pre-call check).
    """
    environment = _NoEnvironment(recording.tool_schema)
    # No model is asked: its replies are on the tape.
    no_requests = RunBudget(RetryBudget(RetryLimits(0, 0.0)), Spending())
    recorder = new_recorder(
        recording.trial.trial_id, environment, _drop_event, worker=worker, tape=tape
    )
    session = TrialSession(recording.trial, recorder, no_requests, gates)
    recorder.call_origins.policy = recording.provenance
    # The check is an operation, so the calls of a trial that used it are in the record.
    pre_call_check = recorder.checks.pre_call_check
    pre_call_check.is_on = any(
        call.operation == pre_call_check.name
        for step in recording.record.whole_steps
        for call in step.calls
    )

    initial_prompt = recording.record.initial_prompt
    if initial_prompt is not None:
        session.open_prompt(lambda _recorder: initial_prompt)
    return session


def _drop_event(event: TrialEvent) -> None:
    """Do nothing: a rerun writes no journal."""


def rerun(
    recording: Recording, server: ForkServer, settings: RerunSettings
) -> Iterator[Difference | None]:
    """Run each recorded step again, and yield its first difference; None if there is none."""
    for differences in run_again(recording, server, settings):
        first = None
        for difference in differences:
            is_compared = settings.compare_errors or not _is_of_error_texts(difference)
            if is_compared and first is None:
                first = difference
        yield first


def run_again(
    recording: Recording, server: ForkServer, settings: RerunSettings
) -> Iterator[tuple[Difference, ...]]:
    """Run each recorded step again, and yield all its differences from the record, in order."""
    # The tape plays the record: it gives calls their recorded results, and notes where
    # the rerun differs.
    tape = Tape(recording.record, is_replay=True)
    with Worker(server, isolation=settings.isolation) as worker:
        session = _session_on(tape, recording, worker, settings.gates)
        with sandbox_of(session, server, settings.limits, settings.isolation) as box:
            for step in recording.record.whole_steps:
                tape.differences.clear()
                _run_step_again(step, session, box)
                # Restore the recorded scratchpad, since this step may have left a different one.
                box.restore(dict(step.summary.scratchpad))
                yield tuple(tape.differences)


def _run_step_again(step: TrialStep, session: TrialSession, box: Sandbox) -> None:
    """Run a step's script again or, without a script, relive the step's recorded actions.

    At the end of the step, the session compares it with the record.
    """
    recorded = step.summary
    if recorded.ending in ENDED_BY_SANDBOX:
        session.restore_step(step)  # Use the recorded step without running it.
        return
    with session.step() as step_again:
        if not recorded.code:
            _relive_actions(step, session)
            # A step without a script has nothing more to compare than its actions.
            step_again.done = recorded
            return
        result = box.run(recorded.code, step=recorded.step)
        # Submit the answer again that the last script of a trial left, if the step has one.
        for judged in step.submissions:
            # The script did not submit it itself.
            if judged.submitted_parts is not None:
                with suppress(CallError, NotJudged):
                    _relive(judged, session)
        step_again.done = StepDone(
            trial_id=recorded.trial_id,
            step=recorded.step,
            code=recorded.code,
            output=result.output,
            error=result.error,
            ending=str(result.ending),
            scratchpad=result.scratchpad,
        )
