"""Puts together the parts of a trial that make its calls, and learn from them.

A trial that is *resumed* after its process was killed, or *replayed*, repeats recorded steps.
They are on its *tape*: its calls get their outcomes from there, and do not reach the
environment.
"""

from __future__ import annotations

from controlplane.agent.events import Citation, Emit
from controlplane.agent.evidence.calls.call_learner import CallLearner
from controlplane.agent.evidence.calls.current_step import CurrentStep
from controlplane.agent.evidence.calls.live_calls import LiveCalls
from controlplane.agent.evidence.calls.pre_call_check import PreCallCheck
from controlplane.agent.evidence.checks.call_checks import CallChecks
from controlplane.agent.evidence.checks.environment_check import EnvironmentCheck
from controlplane.agent.evidence.checks.origin_rule import OriginRule
from controlplane.agent.evidence.checks.stop_records import StopRecords
from controlplane.agent.evidence.checks.user_approvals import UserApprovals
from controlplane.agent.evidence.environment import Environment
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.call_origins import CallOrigins
from controlplane.agent.evidence.restored_calls import RestoredCalls
from controlplane.agent.evidence.sending.function_calls import FunctionCalls
from controlplane.agent.evidence.sending.sent_calls import SentCalls
from controlplane.agent.evidence.sending.trial_calls import TrialCalls
from controlplane.agent.evidence.tape import (
    RecordedCalls,
    Tape,
    TapedAnswers,
    TapedCalls,
    TapedJournal,
    TapedStart,
    TapedSteps,
    TapedStops,
    TapedSubmissions,
    TapedUser,
)
from controlplane.agent.evidence.tape.tape import given_or_empty
from controlplane.agent.record.trial_step import TrialStep
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import ToolSchema


class Recorder:
    """The parts of one trial that make its calls, write them to the journal and learn from them.

    A call of a script, such as `write("/a.md", ...)`, passes through them in this order:

    1. `checks` judges it, because it may change something.
    2. `calls` makes it. `sent_calls` sends it, or takes its outcome from the tape, and writes
       it to the journal.
    3. `evidence_log` and `call_origins` learn from its outcome.

    So the parts are made in this order, each after those that it uses:

        the tape's parts                        from `tape`, `emit` and the environment
        evidence_log, call_origins              from the tool schema
        learner                                 adds outcomes to these two
        sent_calls                              uses the tape's parts and the learner
        functions, calls                        use `sent_calls`
        checks                                  use `calls` and `call_origins`
        restored_calls                          use the learner and `checks`

    Created when the trial starts, and used by one thread at a time.
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
        """`tape` has the recorded steps that the trial repeats. By default there are none."""
        self.trial_id = trial_id
        self.tool_schema: ToolSchema = environment.tool_schema
        self.worker = worker
        """A process that computes on texts from outside. Without it, this process does that."""
        self.step = CurrentStep()
        """What has happened in the current step."""

        # What repeats recorded steps, as far as the tape goes
        self.tape = given_or_empty(tape)
        self.emit = emit
        """Writes every event to the journal. For events that are never repeated from the tape."""
        self.journal = TapedJournal(self.tape, emit)
        """Writes only those events to the journal that the tape does not have."""
        self.taped_steps = TapedSteps(self.tape, emit)
        """Writes whole steps to the journal, unless the tape has them."""
        self.submissions = TapedSubmissions(self.tape, emit)
        """Writes what scripts cite and submit to the journal, unless the tape has it."""
        live = LiveCalls(environment)
        self.answers = TapedAnswers(self.tape, live, emit)
        """Sends answers to the environment, unless the tape has their outcomes."""
        self.start = TapedStart(self.tape, live)
        """Begins the trial, as far as the tape does not have its beginning."""
        recorded_calls = RecordedCalls(self.tape, self.step)

        # What the trial learns from its calls
        self.evidence_log = EvidenceLog(self.tool_schema)
        """What the trial has read, written and executed so far."""
        self.call_origins = CallOrigins(self.tool_schema, self.evidence_log)
        """Finds where the arguments of the trial's calls come from."""
        self.pre_call_check = PreCallCheck(self.tool_schema)
        """The environment's function that judges changing calls."""
        learner = self._new_learner()

        # What makes calls
        self.sent_calls = self._new_sent_calls(live, learner)
        """Sends calls, and writes their outcomes to the journal."""
        self.functions = FunctionCalls(
            self.tool_schema, self.sent_calls, recorded_calls, self.pre_call_check
        )
        """Calls the functions of the benchmark, which may make calls of their own."""
        self.calls = TrialCalls(self.tool_schema, self.sent_calls, self.functions)
        """Makes the calls of scripts and checks."""

        # What judges calls before they are sent, and what repeats them
        self.checks = self._new_checks()
        """Judges a call that may change something before it is sent."""
        self.restored_calls = RestoredCalls(
            self.step, learner, self.checks, recorded_calls
        )
        """Adds recorded calls, without making them again."""

    def _new_learner(self) -> CallLearner:
        """Return what adds the outcome of each call to the evidence and the origins."""
        return CallLearner(
            self.tool_schema,
            self.step,
            self.evidence_log,
            self.call_origins,
            self.pre_call_check,
        )

    def _new_sent_calls(self, live: LiveCalls, learner: CallLearner) -> SentCalls:
        """Return what sends calls. `live` makes those whose outcomes are not on the tape."""
        return SentCalls(
            self.trial_id,
            self.tool_schema,
            TapedCalls(self.tape, self.tool_schema),
            live,
            self.journal,
            self.step,
            learner,
        )

    def _new_checks(self) -> CallChecks:
        """Return the checks of changing calls: the environment's, and the rule on origins."""
        taped_stops = TapedStops(self.tape, self.emit)
        stops = StopRecords(self.trial_id, self.step, taped_stops)
        taped_user = TapedUser(self.tape, self.emit)
        approvals = UserApprovals(self.trial_id, self.step, taped_user)
        return CallChecks(
            self.step,
            self.call_origins,
            EnvironmentCheck(self.pre_call_check, self.calls, stops.stopped_calls),
            OriginRule(self.call_origins, approvals),
            stops,
        )

    @property
    def current_step(self) -> TrialStep:
        """What has happened in the current step. Its calls are without their results."""
        return self.step.trial_step

    def add_citation(self, citation: Citation) -> None:
        """Add a citation to the step, and its quotation to the evidence."""
        self.current_step.citations.append(citation)
        if citation.quote and citation.spelling:
            self.evidence_log.citations.add_quotation(citation.spelling, citation.quote)
