"""Takes whole recorded steps over into a trial, without running their scripts again.

A trial whose process was killed in step 3 goes on there. Its next process first takes over what
steps 1 and 2 did, in the same order, so that it knows what the first process knew:

    recorded                       the trial knows from now on
    a script with its output       which values the script has computed
    a call that a check stopped    that it may be sent if the model insists
    read("/docs/fees.md")          that an answer may cite this file
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.checks.call_checks import CallChecks
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.restored_calls import RestoredCalls
from controlplane.agent.evidence.restored_decisions import remember_decisions
from controlplane.agent.record.inner_calls import calls_by_function
from controlplane.agent.record.trial_step import TrialStep


@dataclass(frozen=True, slots=True)
class RestoredSteps:
    """Takes over the recorded steps of one trial."""

    step_log: StepLog
    """What has happened in the current step: the one that is being taken over."""
    evidence_log: EvidenceLog
    calls: RestoredCalls
    checks: CallChecks
    """Remembers what was decided about calls."""

    def restore(self, recorded: TrialStep) -> None:
        """Make a recorded step the current one, and learn from it as if it had just happened.

        From its submissions, which are only listed here, `GatedExit.restore` learns. Raises
        `ValueError` if the step was cut off.
        """
        self.step_log.begin(recorded.number)
        summary = recorded.summary
        script_output = summary.output if summary.code else ""
        self.evidence_log.add_script(summary.code, script_output)
        self._add_calls(recorded)
        # A citation of a file counts only after the call that has read the file.
        for citation in recorded.citations:
            self.evidence_log.add_citation(citation)
        current = self.step_log.trial_step
        current.citations.extend(recorded.citations)
        current.submissions.extend(recorded.submissions)
        current.replies.extend(recorded.replies)

    def _add_calls(self, recorded: TrialStep) -> None:
        """Add the calls of a step in order, each after what was decided before it was sent.

        A call that a check stopped is not among the calls. What was decided about it has the number
        of the next call. With the calls 0 and 1, this is the order:

            decisions 0, call 0, decisions 1, call 1, decisions 2
        """
        calls_of_functions = calls_by_function(recorded.calls)
        for number, call in enumerate(recorded.calls):
            remember_decisions(self.checks, recorded, number)
            # A function of the environment may ask for calls, whose `outer` is its own number.
            # They are added together with the call of the function.
            is_of_function = call.outer is not None
            if not is_of_function:
                self.calls.add(call, calls_of_functions.get(number, ()))
        remember_decisions(self.checks, recorded, len(recorded.calls))
