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
from controlplane.agent.evidence.tape import Tape, TapeReader, TrialJournal
from controlplane.agent.evidence.tape.trial_answers import TrialAnswers
from controlplane.agent.evidence.tape.trial_notices import TrialNotices
from controlplane.agent.evidence.tape.trial_start import TrialStart
from controlplane.agent.record.trial_step import TrialStep
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import ToolSchema


@dataclass(frozen=True, slots=True)
class Recorder:
    """The parts, which their users call directly: `recorder.calls.make("read", ...)`."""

    # The trial, and what it repeats
    trial_id: str
    tool_schema: ToolSchema
    worker: Worker | None
    """A process that computes on texts from outside. Without it, this process does that."""
    tape: Tape
    """The recorded steps that the trial repeats. Empty in a new trial."""
    tape_reader: TapeReader
    """Finds what the tape has next."""

    # Makes calls
    pre_call_check: PreCallCheck  # a function of the environment that judges calls
    checks: CallChecks  # judge a call that may change something, also by this function
    calls: TrialCalls  # make calls of the environment, and of the benchmark's functions

    # Knows what the calls have shown
    step_log: StepLog  # what has happened in the current step
    evidence_log: EvidenceLog  # what was read, written and executed: may be cited
    call_origins: CallOrigins  # which text has the values of which arguments

    # Does what the tape does not have, and writes it to the journal
    start: TrialStart  # the time at the start
    journal: TrialJournal  # citations, submissions and whole steps
    notices: TrialNotices  # messages to the user
    answers: TrialAnswers
    emit: Emit  # writes any event, without a look at the tape

    # Takes over recorded steps, without making their calls again
    restored_calls: RestoredCalls
    restored_steps: RestoredSteps

    @property
    def current_step(self) -> TrialStep:
        """The events of the current step. Its calls are kept without their results."""
        return self.step_log.trial_step
