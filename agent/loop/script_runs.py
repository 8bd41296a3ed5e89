"""Runs a trial's scripts for its session, and runs a recorded trial again, reporting where it differs.

In a rerun scripts run again, and submissions and citations of a solver without scripts are judged again. Calls,
citations and verdicts that the record has are answered from it, so that one difference does not lead to others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from operator import itemgetter

from agent.events import Judged, StepDone
from agent.evidence.recorder import Recorder
from agent.evidence.step_record import Difference, ResumeState, StepTrace
from agent.first_message.sections import READ_ALL
from agent.loop.trial_session import TrialContext, TrialSession
from agent.submission.gated_exit import GateSettings, NotJudged
from gates.submission import Submission
from gates.verdict import VERIFY_GATE
from sandbox import ALL_LAYERS, Ending, ForkServer, Layer, Limits, Refusal, Sandbox, StepResult, Verify, Worker
from sandbox.interface import CallError, Plain, ToolSchema, error_codes


class ScriptHost:
    """Implements `sandbox.interface.Host` for one trial."""

    def __init__(self, session: TrialSession) -> None:
        self._session = session
        read_all = f"harness.tools.{READ_ALL}(path)" if session.tool_schema.operation(READ_ALL) else "start_line"
        self.call = partial(session.call, read_all=read_all)
        """Makes a declared call. Raises `CallError`."""
        self.call_all = session.call_all
        """Makes the calls of a function, and returns their outcomes."""

    def cite(self, path: str, reason: str, quote: str = "") -> str:
        """Return the spelling under which `path` may be cited. Raises `Refusal`."""
        try:
            return self._session.check_citation(path, reason, quote)
        except ValueError as error:
            raise Refusal(str(error)) from None

    def answer(self, scratchpad: Mapping[str, Plain], verify: Verify) -> None:
        """Submit through the gates. Raises `Refusal` with the fix-it text if one rejects."""
        try:
            judged = self._session.submit(Submission.from_scratchpad(scratchpad, verify))
        except NotJudged as error:
            raise Refusal(str(error)) from None
        except CallError as error:
            message = f"The gates accepted the answer, but the environment did not take it ({error})."
            raise Refusal(message) from None
        if not judged.accepted:
            raise Refusal(judged.message)


def sandbox_of(session: TrialSession, server: ForkServer, limits: Limits, isolation: frozenset[Layer]) -> Sandbox:
    """Return the sandbox in which the trial's scripts run; it starts when it is entered. See `ScriptHost`."""
    trial, host = session.trial, ScriptHost(session)
    box = Sandbox(
        session.tool_schema, host, now=trial.now, seed=trial.seed, limits=limits, isolation=isolation, server=server
    )
    box.on_text, session.interrupt = session.take_script, box.interrupt
    session.use_functions(box)
    return box


@dataclass(frozen=True, slots=True)
class Recording:
    """A trial as it was recorded: everything that its scripts and its gates depend on."""

    trial: TrialContext
    tool_schema: ToolSchema
    record: ResumeState


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
    """Replaces the environment of a recorded trial: every call is answered from the record before it gets here."""

    tool_schema: ToolSchema

    def call(self, operation: str, arguments: object) -> dict[str, Plain]:
        raise CallError(error_codes.INTERNAL, f"the record holds no result for {operation}({arguments})")

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        msg = "nothing is answered from a record"
        raise CallError(error_codes.INTERNAL, msg)

    def now(self) -> datetime | None:
        return None


def rerun(recording: Recording, server: ForkServer, settings: RerunSettings) -> Iterator[Difference | None]:
    """Run each recorded step again; yield None for a step that agrees, or its first difference."""
    for step, result, differences in run_again(recording, server, settings):
        yield _first_difference(step, result, differences, settings)


def run_again(
    recording: Recording, server: ForkServer, settings: RerunSettings
) -> Iterator[tuple[StepDone, StepResult | None, list[Difference]]]:
    """Run each recorded step again; yield it with the new result of its script, and with the differences of its
    calls, citations and verdicts.

    The result is None for a step without a script, and for a step that the sandbox ended: how far that step came
    depends on the machine, so it is taken as recorded.
    """
    trial = recording.trial
    with Worker(server, isolation=settings.isolation) as worker:
        environment = NoEnvironment(recording.tool_schema)
        recorder = Recorder(trial.trial_id, environment, lambda event: None, worker=worker, only_recorded=True)
        session = TrialSession(trial, recorder, settings.gates, resume_state=recording.record)
        if recording.record.initial_prompt is not None:
            session.take_initial_prompt(recording.record.initial_prompt)
        with sandbox_of(session, server, settings.limits, settings.isolation) as box:
            for done in recording.record.steps:
                if done.ending in (Ending.LIMIT, Ending.KILLED):
                    session.take_recorded(done)
                    box.restore(dict(done.scratchpad), steps_done=done.step)
                    yield done, None, []
                    continue
                result = None
                with session.step():
                    if done.code:
                        result = box.run(done.code, step=done.step)
                    else:
                        _submit_again(done, session)
                _compare_counts(done, session.trace)
                yield done, result, session.trace.differences
                if result is not None and result.scratchpad != done.scratchpad:
                    box.restore(dict(done.scratchpad), steps_done=done.step)


def _submit_again(done: StepDone, session: TrialSession) -> None:
    """Repeat a step of a solver without scripts: its calls, citations and submissions, in order."""
    session.trace.record = replace(session.trace.record, held=[])  # Only calls that were sent are repeated.
    acts: list[tuple[int, Callable[[], object]]] = [
        *(
            (citation.after_calls, partial(session.check_citation, citation.path, citation.reason, citation.quote))
            for citation in done.citations
        ),
        *(
            (verdict.submitted_parts.after_calls, partial(session.submit, verdict.submission()))
            for verdict in done.verdicts
            if verdict.submitted_parts is not None
        ),
        *(
            (number, partial(session.call, call.operation, call.arguments, in_verify=call.in_verify))
            for number, call in enumerate(done.calls)
            if call.outer is None  # The reads of a function result come with it.
        ),
    ]
    for _, act in sorted(acts, key=itemgetter(0)):
        with suppress(CallError, NotJudged, ValueError):
            act()


def _compare_counts(done: StepDone, trace: StepTrace) -> None:
    counts = ("calls", len(done.calls), len(trace.calls)), ("verdicts", len(done.verdicts), len(trace.submissions))
    for name, recorded, now in counts:
        if recorded != now:
            trace.differs(name, recorded, now)


def _first_difference(
    step: StepDone, result: StepResult | None, differences: Sequence[Difference], settings: RerunSettings
) -> Difference | None:
    for difference in differences:
        recorded, now = difference.recorded, difference.now
        if isinstance(recorded, Judged) and isinstance(now, Judged) and not settings.compare_errors:
            recorded, now = _without_error_texts(recorded), _without_error_texts(now)
        if recorded != now:
            return difference
    if result is None:
        return None
    pairs: list[tuple[str, object, object]] = [
        ("output", step.output, result.output),
        ("ending", step.ending, str(result.ending)),
        ("scratchpad", step.scratchpad, result.scratchpad),
    ]
    if settings.compare_errors:
        pairs.append(("error", step.error, result.error))
    return next((Difference(step.step, name, before, now) for name, before, now in pairs if before != now), None)


def _without_error_texts(judged: Judged) -> Judged:
    """Return the judgement without the reason of gate 7, which says how the script's own verify failed.

    The message goes too: it is made of the reasons.
    """
    verdicts = tuple(
        one.model_copy(update={"reason": ""}) if one.gate == VERIFY_GATE else one for one in judged.verdicts
    )
    return judged.model_copy(update={"message": "", "verdicts": verdicts})
