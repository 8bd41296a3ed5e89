"""Runs a recorded trial's scripts again, against its recorded calls, and says where anything differs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from agent.events.call_records import CallFailure, Judged, VerdictRecord
from agent.events.trial_events import ConversationOpened, StepDone
from agent.evidence.environment import Environment
from agent.evidence.recorder import Recorder
from agent.loop.trial_context import seed_of
from agent.submission.gated_exit import GatedExit, GateSettings
from agent.submission.trial_host import TrialHost
from gates.checks import VERIFY_GATE
from sandbox import ALL_WALLS, Ending, ForkServer, Limits, Sandbox, StepResult, Wall
from sandbox.interface import CallError, Plain, Surface, error_codes


@dataclass(frozen=True, slots=True)
class Recording:
    """A trial as it was recorded: everything that its scripts and its gates depend on."""

    trial_id: str
    task_id: str
    instruction: str
    now: datetime
    surface: Surface
    opening: ConversationOpened | None
    steps: tuple[StepDone, ...]
    answers: Mapping[int, tuple[CallFailure | None, ...]] = field(default_factory=dict)
    """By step, what came of each answer that its script handed in; null for one that was taken."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first thing of a step that was not as recorded."""

    step: int
    field: str
    recorded: object
    now: object


@dataclass(frozen=True, slots=True)
class RerunSettings:
    """What a rerun compares, and what it runs with."""

    gates: GateSettings = field(default_factory=GateSettings)
    limits: Limits = field(default_factory=Limits)
    walls: frozenset[Wall] = ALL_WALLS
    compare_verdicts: bool = True
    """False where the gates are not the recorded ones."""
    compare_errors: bool = True
    """False under another minor version of Python, whose error texts differ, in verdicts too."""


class NoEnvironment(Environment):
    """Stands where an environment stood; every call is to come from the record before it is asked."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface

    @property
    def surface(self) -> Surface:
        return self._surface

    def call(self, operation: str, arguments: object) -> dict[str, Plain]:
        raise CallError(error_codes.INTERNAL, f"the record holds no result for {operation}({arguments})")

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        msg = "nothing is answered from a record"
        raise CallError(error_codes.INTERNAL, msg)

    def now(self) -> datetime | None:
        return None


def rerun(recording: Recording, server: ForkServer, settings: RerunSettings) -> Iterator[Difference | None]:
    """Run each recorded step again; yield None for one that agrees, or its first difference, and then stop."""
    gated = GatedExit(recorder_of(recording), lambda event: None, recording.instruction, settings.gates)
    for step, result in run_again(recording, gated, server, settings):
        difference = _difference(step, result, gated, settings) if result is not None else None
        yield difference
        if difference is not None:
            return


def recorder_of(recording: Recording) -> Recorder:
    """Return the trial's environment, which answers from the record alone."""
    return Recorder(recording.trial_id, NoEnvironment(recording.surface), lambda event: None)


def run_again(
    recording: Recording, gated: GatedExit, server: ForkServer, settings: RerunSettings
) -> Iterator[tuple[StepDone, StepResult | None]]:
    """Run the scripts again over `gated`, and yield each step with what its script gave now.

    None for a step without a script, and for one that a wall ended: how far that came depends on the machine, so it is
    taken as it was recorded.
    """
    recorder = gated.recorder
    if recording.opening is not None:
        recorder.replay(recording.opening.calls)
        gated.rules = recording.opening.rules
    with Sandbox(
        recording.surface,
        TrialHost(recorder, gated),
        now=recording.now,
        seed=seed_of(recording.trial_id),
        limits=settings.limits,
        walls=settings.walls,
        server=server,
    ) as box:
        for step in recording.steps:
            if not step.code:
                yield step, None
            elif step.ending in (Ending.LIMIT, Ending.KILLED):
                take_as_recorded(step, gated, box)
                yield step, None
            else:
                recorder.begin_step(step.step, step.calls, only_recorded=True)
                gated.judged = []
                gated.recorded = deque(recording.answers.get(step.step, ()))
                yield step, box.run(step.code, step=step.step)


def take_as_recorded(step: StepDone, gated: GatedExit, box: Sandbox) -> None:
    """Bring evidence, gates and sandbox to where they stood after `step`, without running its script."""
    gated.recorder.replay(step.calls)
    gated.internal_errors += sum(each.outcome == "OUTCOME_ERR_INTERNAL" for each in step.verdicts)
    box.restore(dict(step.scratchpad), steps_done=step.step)


def _difference(step: StepDone, result: StepResult, gated: GatedExit, settings: RerunSettings) -> Difference | None:
    recorder = gated.recorder
    if recorder.divergence is not None:
        found = recorder.divergence
        return Difference(step.step, f"calls[{found.number}]", found.recorded, found.made)
    if len(recorder.calls) != len(step.calls):
        return Difference(step.step, "calls", len(step.calls), len(recorder.calls))
    pairs: list[tuple[str, object, object]] = [
        ("output", step.output, result.output),
        ("ending", step.ending, str(result.ending)),
        ("scratchpad", step.scratchpad, result.scratchpad),
    ]
    if settings.compare_errors and (settings.compare_verdicts or not step.verdicts):
        # A rejection's text is in the error too.
        pairs.append(("error", step.error, result.error))
    if settings.compare_verdicts:
        recorded, judged = step.verdicts, tuple(gated.judged)
        if not settings.compare_errors:
            recorded, judged = _without_error_texts(recorded), _without_error_texts(judged)
        pairs.append(("verdicts", recorded, judged))
    for name, before, now in pairs:
        if before != now:
            return Difference(step.step, name, before, now)
    return None


def _without_error_texts(submissions: tuple[Judged, ...]) -> tuple[Judged, ...]:
    """Return what was judged without the reason of gate 7, which tells how the script's own verify failed.

    The message goes too: it is made of the reasons.
    """
    return tuple(
        each.model_copy(update={"message": "", "verdicts": tuple(_without_error_text(one) for one in each.verdicts)})
        for each in submissions
    )


def _without_error_text(verdict: VerdictRecord) -> VerdictRecord:
    return verdict.model_copy(update={"reason": ""}) if verdict.gate == VERIFY_GATE else verdict
