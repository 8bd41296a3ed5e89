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
from controlplane.agent.evidence.environment import Environment
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.call_origins import CallOrigins
from controlplane.agent.evidence.restored_calls import RestoredCalls
from controlplane.agent.evidence.sending.function_calls import FunctionCalls
from controlplane.agent.evidence.sending.sent_calls import SentCalls
from controlplane.agent.evidence.sending.trial_calls import TrialCalls
from controlplane.agent.evidence.tape import (
    Tape,
    TapedAnswers,
    TapedCalls,
    TapedJournal,
    TapedStart,
    TapedSubmissions,
)
from controlplane.agent.evidence.tape.tape import given_or_empty
from controlplane.agent.evidence.tape.taped_approvals import TapedApprovals
from controlplane.agent.evidence.tape.taped_stops import TapedStops
from controlplane.agent.record.trial_record import TrialRecord
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

        journal, submissions, answers, start    from `tape`, `emit` and the environment
        evidence_log, call_origins              from the tool schema
        learner                                 adds outcomes to these two
        sent_calls                              uses the tape, `journal` and the learner
        functions, calls                        use `sent_calls`
        checks                                  use `calls` and `call_origins`
        restored_calls                          uses the learner and `checks`

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
        """Create the parts, each after those that it uses.

        `tape` has the recorded steps that the trial repeats; by default there are none. A class
        with `Taped` in its name looks there first: what is recorded is not done or written again.

            calls            binds the arguments of a call: `read("/a.md")` -> path="/a.md"
              sent_calls     returns the outcome that the tape has, or else
                live           makes the call in the environment,
                journal        writes the call with its outcome,
                learner        adds the outcome to `evidence_log` and `call_origins`
        """
        self.trial_id = trial_id
        self.tool_schema: ToolSchema = environment.tool_schema
        self.worker = worker
        """A process that computes on texts from outside. Without it, this process does that."""
        self.step = CurrentStep()
        """What has happened in the current step."""

        # 1. The journal. A repeated step has events that it has already, so the writers leave
        # out those that are on the tape.
        self.tape = given_or_empty(tape)
        self.emit = emit
        """Writes any event to the journal, without a look at the tape."""
        self.journal = TapedJournal(self.tape, emit)
        """Writes calls, notices, the memory use of scripts, and whole steps."""
        self.submissions = TapedSubmissions(self.tape, emit)
        """Writes what scripts cite and submit."""

        # 2. The environment, for what is not on the tape
        live = LiveCalls(environment)
        self.answers = TapedAnswers(self.tape, self.step, live, emit)
        """Sends answers, and writes how they fared."""
        self.start = TapedStart(self.tape, live)
        """Asks for the time of the clock, and starts the first calls."""

        # 3. What the trial learns from its calls
        self.evidence_log = EvidenceLog(self.tool_schema)
        """What the trial has read, written and executed so far."""
        self.call_origins = CallOrigins(self.tool_schema, self.evidence_log)
        """Finds where the arguments of the trial's calls come from."""
        self.pre_call_check = PreCallCheck(self.tool_schema)
        """The environment's function that judges changing calls."""
        learner = CallLearner(
            tool_schema=self.tool_schema,
            step=self.step,
            evidence_log=self.evidence_log,
            call_origins=self.call_origins,
            pre_call_check=self.pre_call_check,
        )

        # 4. What makes calls
        taped_calls = TapedCalls(self.tape, self.step, self.tool_schema)
        self.sent_calls = SentCalls(
            trial_id=trial_id,
            tool_schema=self.tool_schema,
            taped_calls=taped_calls,
            live=live,
            journal=self.journal,
            step=self.step,
            learner=learner,
        )
        """Sends calls, and writes their outcomes to the journal."""
        self.functions = FunctionCalls(
            self.tool_schema, self.sent_calls, taped_calls, self.pre_call_check
        )
        """Calls the functions of the benchmark, which may make calls of their own."""
        self.calls = TrialCalls(self.tool_schema, self.sent_calls, self.functions)
        """Makes the calls of scripts and checks."""

        # 5. What judges calls before they are sent, and what takes them from the tape
        self.checks = self._new_checks()
        """Judges a call that may change something before it is sent."""
        self.restored_calls = RestoredCalls(
            self.step, learner, self.checks, taped_calls
        )
        """Adds recorded calls, without making them again."""

    def _new_checks(self) -> CallChecks:
        """Return the two checks of a changing call, such as `pay(amount=500)`.

        - The environment's own function may object. If the model makes the same call again, it
          insists, so the function is not asked again: `stops` knows the stopped calls.
        - The rule on origins objects to values that stand only in running text, or lets the
          user decide: `approvals`.

        In repeated steps, the recorded decisions count (`Taped...`).
        """
        stops = TapedStops(self.trial_id, self.step, self.tape, self.emit)
        approvals = TapedApprovals(self.trial_id, self.step, self.tape, self.emit)
        return CallChecks(
            step=self.step,
            call_origins=self.call_origins,
            environment_check=EnvironmentCheck(
                self.pre_call_check, self.calls, stops.stopped_calls
            ),
            origin_rule=OriginRule(self.call_origins, approvals),
            stops=stops,
        )

    @property
    def current_step(self) -> TrialStep:
        """What has happened in the current step. Its calls are kept without their results."""
        return self.step.trial_step

    @property
    def record(self) -> TrialRecord:
        """What the journal has of the trial's earlier attempt; empty for a new trial."""
        return self.tape.record

    def restore(self, step: TrialStep) -> None:
        """Make a recorded step the current one, and learn from it as if it had just happened.

        Its script does not run, and its calls are not made again. `GatedExit.restore` does the
        same for its submissions.
        """
        self.step.begin(step.number)
        summary = step.summary
        script_output = summary.output if summary.code else ""
        self.evidence_log.record_script(summary.code, script_output)
        self.restored_calls.add_step(step)
        # The calls have read what the citations name, so they come first.
        for citation in step.citations:
            self.add_citation(citation)
        self.current_step.replies.extend(step.replies)

    def add_citation(self, citation: Citation) -> None:
        """Add a citation to the step. If it quotes a file that may be cited, keep the quotation."""
        self.current_step.citations.append(citation)
        if citation.quote and citation.spelling:
            self.evidence_log.citations.add_quotation(citation.spelling, citation.quote)
