"""Puts together the parts of a trial that make its calls, and learn from them.

A script calls `write("/a.md", "fee 7")`. The parts of the `Recorder` handle this call in order:

    checks            may stop the call, because it changes something
    calls             gets the outcome of the call, and writes both to the journal
    evidence_log      knows from now on that the trial has written /a.md
    call_origins      knows from now on which texts the call has returned

A trial that goes on after its process was killed repeats its recorded steps, the *tape*. There,
outcomes come from the tape, and nothing is written again.
"""

from __future__ import annotations

from controlplane.agent.events import Citation, Emit
from controlplane.agent.evidence.calls.call_learner import CallLearner
from controlplane.agent.evidence.calls.live_calls import LiveCalls
from controlplane.agent.evidence.calls.pre_call_check import PreCallCheck
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.checks.call_checks import CallChecks
from controlplane.agent.evidence.checks.environment_check import EnvironmentCheck
from controlplane.agent.evidence.checks.insistence import Insistence
from controlplane.agent.evidence.checks.origin_check import OriginCheck
from controlplane.agent.evidence.checks.user_approval import UserApproval
from controlplane.agent.evidence.environment import Environment
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.call_origins import CallOrigins
from controlplane.agent.evidence.restored_calls import RestoredCalls
from controlplane.agent.evidence.sending.call_recorder import CallRecorder
from controlplane.agent.evidence.sending.sent_calls import SentCalls
from controlplane.agent.evidence.sending.trial_calls import TrialCalls
from controlplane.agent.evidence.tape import (
    Tape,
    TapedApprovals,
    TapedCalls,
    TapedJournal,
    TapedStops,
    TapedSubmissions,
)
from controlplane.agent.evidence.tape.tape import given_or_empty
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.record.trial_step import TrialStep
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import ToolSchema


class Recorder:
    """Makes the calls of one trial, writes them to the journal, and learns from them.

    Created when the trial starts, and used by one thread at a time. Each part is an attribute,
    which its users call directly: `recorder.calls.make("read", {"path": "/a.md"})`.
    """

    def __init__(
        self,
        trial_id: str,
        environment: Environment,
        emit: Emit,
        *,
        worker: Worker | None = None,
        tape: Tape | None = None,
    ) -> None:
        """Create the parts, each after those that it uses.

        `tape` has the recorded steps that the trial repeats; by default there are none.
        """
        self.trial_id = trial_id
        self.tool_schema: ToolSchema = environment.tool_schema
        self.worker = worker
        """A process that computes on texts from outside. Without it, this process does that."""
        self.emit = emit
        """Writes any event to the journal, without a look at the tape."""
        self.tape = given_or_empty(tape)
        self.step_log = StepLog()
        """What has happened in the current step."""

        # What the trial knows
        self.evidence_log = EvidenceLog(self.tool_schema)
        """What it has read, written and executed so far. An answer may cite this."""
        self.call_origins = CallOrigins(self.tool_schema, self.evidence_log)
        """Which values were in which text, to say where the arguments of a call come from."""
        self.pre_call_check = PreCallCheck(self.tool_schema)
        """The environment's function that judges changing calls."""

        # What writes to the journal: the events that are not on the tape
        self.journal = TapedJournal(self.tape, emit)
        """Writes calls, notices, the memory use of scripts, and whole steps."""
        self.submissions = TapedSubmissions(self.tape, emit)
        """Writes what scripts cite and submit, and finds recorded reviews."""

        # What makes calls, and what may stop them before they are made
        self.live = LiveCalls(environment)
        """Reaches the environment, without the journal."""
        call_recorder = self._new_call_recorder()
        self.sent_calls = SentCalls(call_recorder, self.live)
        """Sends calls to the environment. Several reads may run at a time."""
        self.calls = TrialCalls(self.sent_calls, call_recorder, self.pre_call_check)
        """Makes one call of the environment, or of a function of the benchmark."""
        self.checks = self._new_checks()
        """Judges a call that may change something."""
        self.restored_calls = RestoredCalls(
            self.step_log,
            self.tape,
            call_recorder.learner,
            self.checks,
        )
        """Adds recorded calls to the current step, without making them."""

    def _new_call_recorder(self) -> CallRecorder:
        """Return what writes calls to the journal, and learns from the outcome of each."""
        learner = CallLearner(
            self.tool_schema,
            self.step_log,
            self.evidence_log,
            self.call_origins,
            self.pre_call_check,
        )
        return CallRecorder(
            self.trial_id,
            self.tool_schema,
            self.step_log,
            TapedCalls(self.tape, self.step_log, self.tool_schema),
            self.journal,
            learner,
        )

    def _new_checks(self) -> CallChecks:
        """Return the two checks of a changing call, such as `pay(amount=500)`.

        - The environment's own function may object. If the model makes the same call again, it
          insists, so the function is not asked again: `stops` knows the stopped calls.
        - The check of origins objects to values that stand only in running text. The model
          may insist on the call (`Insistence`), or the user decides (`UserApproval`).
        """
        stops = TapedStops(self.trial_id, self.step_log, self.tape, self.emit)
        approvals = TapedApprovals(self.trial_id, self.step_log, self.tape, self.emit)
        return CallChecks(
            call_origins=self.call_origins,
            environment_check=EnvironmentCheck(self.pre_call_check, self.calls, stops),
            origin_check=OriginCheck(
                self.step_log,
                Insistence(),
                UserApproval(self.call_origins, approvals),
                stops,
            ),
            stops=stops,
        )

    @property
    def current_step(self) -> TrialStep:
        """The events of the current step. Its calls are kept without their results."""
        return self.step_log.trial_step

    @property
    def record(self) -> TrialRecord:
        """What the journal has of the trial's earlier attempt; empty for a new trial."""
        return self.tape.record

    def restore(self, recorded: TrialStep) -> None:
        """Make a recorded step the current one, and learn from it as if it had just happened.

        Its script does not run, and its calls are not made again. `GatedExit.restore` does the
        same for its submissions. Raises `ValueError` if the step was cut off.
        """
        self.step_log.begin(recorded.number)
        summary = recorded.summary
        script_output = summary.output if summary.code else ""
        self.evidence_log.record_script(summary.code, script_output)
        self.restored_calls.add_step(recorded)
        # The calls have read what the citations name, so they come first.
        for citation in recorded.citations:
            self.add_citation(citation)
        self.current_step.replies.extend(recorded.replies)

    def add_citation(self, citation: Citation) -> None:
        """Add a citation to the step. If it quotes a file that may be cited, keep the quotation."""
        self.current_step.citations.append(citation)
        if citation.quote and citation.spelling:
            self.evidence_log.citations.add_quotation(citation.spelling, citation.quote)
