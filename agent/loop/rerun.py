"""Runs a recorded trial again on its own tape, and says where it differs.

Scripts run again; of a solver without scripts the calls, citations and submissions are repeated in the journal's order.
What stands on the tape holds, so that one difference does not lead to others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

from controlplane.agent.events import Citation, Judged, StepDone
from controlplane.agent.evidence.provenance_policy import ProvenancePolicy
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.tape import Difference, Tape
from controlplane.agent.loop.cited_loop import sandbox_of
from controlplane.agent.loop.trial_session import TrialContext, TrialSession
from controlplane.agent.submission import GateSettings, NotJudged
from controlplane.agent.trial_record import TrialRecord, TrialStep
from controlplane.gates.submission import VERIFY_GATE
from controlplane.sandbox import ALL_LAYERS, Ending, ForkServer, Layer, Limits, Sandbox, Worker
from controlplane.sandbox.interface import CallError, Plain, ToolSchema, error_codes


@dataclass(frozen=True, slots=True)
class Recording:
    """A trial as it was recorded: everything that its scripts and its gates depend on."""

    trial: TrialContext
    tool_schema: ToolSchema
    record: TrialRecord
    provenance: ProvenancePolicy = field(default_factory=ProvenancePolicy)
    """What happened to changing calls with values from running text alone."""


@dataclass(frozen=True, slots=True)
class RerunSettings:
    """The settings of a rerun, and what it compares."""

    gates: GateSettings = field(default_factory=GateSettings)
    limits: Limits = field(default_factory=Limits)
    isolation: frozenset[Layer] = ALL_LAYERS
    compare_errors: bool = True
    """False under another minor version of Python, whose error texts differ, in verdicts too."""


@dataclass(frozen=True, slots=True)
class NoEnvironment:
    """Replaces the environment of a recorded trial: every call is answered from the tape before it gets here."""

    tool_schema: ToolSchema

    def call(self, operation: str, arguments: object) -> dict[str, Plain]:
        raise CallError(
            error_codes.INTERNAL, f"the record holds no result for {operation}({arguments})"
        )

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        msg = "nothing is answered from a record"
        raise CallError(error_codes.INTERNAL, msg)

    def now(self) -> datetime | None:
        return None


def rerun(
    recording: Recording, server: ForkServer, settings: RerunSettings
) -> Iterator[Difference | None]:
    """Run each recorded step again; yield None for a step that agrees, or its first difference."""
    for differences in run_again(recording, server, settings):
        yield _first_difference(differences, compare_errors=settings.compare_errors)


def run_again(
    recording: Recording, server: ForkServer, settings: RerunSettings
) -> Iterator[tuple[Difference, ...]]:
    """Run each recorded step again, and yield its differences from the record, in order.

    A step that the sandbox ended is taken as recorded: how far it came depends on the machine.
    """
    tape = Tape(recording.record, is_replay=True)
    with Worker(server, isolation=settings.isolation) as worker:
        session = _session_of(recording, tape, worker, settings.gates)
        with sandbox_of(session, server, settings.limits, settings.isolation) as box:
            for step in recording.record.whole_steps:
                done = step.done
                assert done is not None
                tape.differences.clear()
                _live_again(step, done, session, box)
                yield tuple(tape.differences)


def _session_of(
    recording: Recording, tape: Tape, worker: Worker, gates: GateSettings
) -> TrialSession:
    """Return a session on the tape, whose initial prompt is taken as recorded."""
    recorder = Recorder(
        recording.trial.trial_id,
        NoEnvironment(recording.tool_schema),
        lambda event: None,
        worker=worker,
        tape=tape,
    )
    session = TrialSession(recording.trial, recorder, gates)
    recorder.call_origins.policy = recording.provenance
    session.has_pre_call_check = _was_checked(recording, recorder.checks.check_name)
    opened = recording.record.initial_prompt
    if opened is not None:
        session.open(lambda recorder: opened)
    return session


def _was_checked(recording: Recording, check_name: str) -> bool:
    """Say whether the pre-call check judged the trial's calls."""
    for step in recording.record.whole_steps:
        for call in step.calls:
            if check_name and call.operation == check_name:
                return True
    return False


def _live_again(step: TrialStep, done: StepDone, session: TrialSession, box: Sandbox) -> None:
    """Run a step's script again, or repeat what a solver without scripts did."""
    if done.ending in (Ending.LIMIT, Ending.KILLED):
        session.take_step(step)
        box.restore(dict(done.scratchpad))
        return
    with session.step() as step_again:
        if done.code:
            result = box.run(done.code, step=done.step)
            step_again.done = StepDone(
                trial_id=done.trial_id,
                step=done.step,
                code=done.code,
                output=result.output,
                error=result.error,
                ending=str(result.ending),
                scratchpad=result.scratchpad,
            )
        else:
            _repeat_actions(step, session)
            step_again.done = done
    box.restore(dict(done.scratchpad))


@dataclass(frozen=True, slots=True)
class _Action:
    """Something that a solver without scripts did, and the number of calls that it had made before."""

    after_calls: int
    repeat: Callable[[], object]


def _repeat_actions(step: TrialStep, session: TrialSession) -> None:
    """Repeat the calls, citations and submissions of a step, in the journal's order."""
    actions: list[_Action] = []
    for citation in step.citations:
        actions.append(_Action(citation.after_calls, _citing(session, citation)))
    for judged in step.submissions:
        if judged.submitted_parts is not None:
            actions.append(
                _Action(judged.submitted_parts.after_calls, _submitting(session, judged))
            )
    for number, call in enumerate(step.calls):
        if call.outer is None:  # The reads of a function's result come with it.
            actions.append(_Action(number, _calling(session, step, number)))
    for action in sorted(actions, key=lambda action: action.after_calls):
        with suppress(CallError, NotJudged, ValueError):
            action.repeat()


def _citing(session: TrialSession, citation: Citation) -> Callable[[], object]:
    return lambda: session.check_citation(citation.path, citation.reason, citation.quote)


def _submitting(session: TrialSession, judged: Judged) -> Callable[[], object]:
    return lambda: session.submit(judged.submission())


def _calling(session: TrialSession, step: TrialStep, number: int) -> Callable[[], object]:
    call = step.calls[number]
    return lambda: session.repeat_call(call.operation, call.arguments, in_verify=call.in_verify)


def _first_difference(
    differences: Sequence[Difference], *, compare_errors: bool
) -> Difference | None:
    """Return the first difference that counts; without `compare_errors`, texts of errors do not."""
    for difference in differences:
        if compare_errors:
            return difference
        recorded, now = difference.recorded, difference.now
        if difference.field == "error":
            continue
        if isinstance(recorded, Judged) and isinstance(now, Judged):
            recorded, now = _without_error_texts(recorded), _without_error_texts(now)
        if recorded != now:
            return difference
    return None


def _without_error_texts(judged: Judged) -> Judged:
    """Return the judgement without the reason of gate 7, which says how the script's own verify failed.

    The message goes too: it is made of the reasons.
    """
    verdicts = []
    for verdict in judged.verdicts:
        if verdict.gate == VERIFY_GATE:
            verdict = verdict.model_copy(update={"reason": ""})
        verdicts.append(verdict)
    return judged.model_copy(update={"message": "", "verdicts": tuple(verdicts)})
