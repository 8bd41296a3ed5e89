"""The parts of a trial that make its calls, write them to the journal, and learn from them.

A script calls `write("/a.md", "fee 7")`. The parts handle this call in order:

    checks            may stop the call, because it changes something
    calls             gets the outcome of the call, and writes both to the journal
    evidence_log      knows from now on that the trial has written /a.md
    call_origins      knows from now on which texts the call has returned
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import Emit
from controlplane.agent.evidence.calls.pre_call_check import PreCallCheck
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.checks.call_checks import CallChecks
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.call_origins import CallOrigins
from controlplane.agent.evidence.restored_calls import RestoredCalls
from controlplane.agent.evidence.restored_steps import RestoredSteps
from controlplane.agent.evidence.sending.trial_calls import TrialCalls
from controlplane.agent.evidence.tape import (
    Tape,
    TapedAnswers,
    TapedCitations,
    TapedJournal,
    TapedStart,
    TapedSubmissions,
)
from controlplane.agent.record.trial_step import TrialStep
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import ToolSchema


@dataclass(frozen=True, slots=True)
class Recorder:
    """The parts, which their users call directly: `recorder.calls.make("read", ...)`."""

    trial_id: str
    tool_schema: ToolSchema
    worker: Worker | None
    """A process that computes on texts from outside. Without it, this process does that."""
    emit: Emit
    """Writes any event to the journal, without a look at the tape."""
    tape: Tape
    """The recorded steps that the trial repeats. Empty in a new trial."""
    step_log: StepLog
    """What has happened in the current step."""
    evidence_log: EvidenceLog
    """What the trial has read, written and executed. An answer may cite this."""
    call_origins: CallOrigins
    """Which text has which values, to say where the arguments of a call come from."""
    pre_call_check: PreCallCheck
    """The environment's function that judges changing calls."""
    checks: CallChecks
    """Judges a call that may change something."""
    calls: TrialCalls
    """Makes calls of the environment, and of the benchmark's functions."""
    start: TapedStart
    """Gets the time at the start, and starts calls of the initial prompt early."""
    journal: TapedJournal
    """Writes notices and whole steps, unless they are recorded; the next three write the rest."""
    citations: TapedCitations
    submissions: TapedSubmissions
    answers: TapedAnswers
    restored_calls: RestoredCalls
    restored_steps: RestoredSteps
    """Takes over a recorded step, without making its calls again."""

    @property
    def current_step(self) -> TrialStep:
        """The events of the current step. Its calls are kept without their results."""
        return self.step_log.trial_step
