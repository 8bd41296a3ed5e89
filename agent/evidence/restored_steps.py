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

        `GatedExit.restore` learns from its submissions. Raises `ValueError` if the step was cut
        off.
        """
        self.step_log.begin(recorded.number)
        summary = recorded.summary
        script_output = summary.output if summary.code else ""
        self.evidence_log.add_script(summary.code, script_output)
        self._add_calls(recorded)
        # The calls have read what the citations name, so they come first.
        for citation in recorded.citations:
            self.evidence_log.add_citation(citation)
        current = self.step_log.trial_step
        current.citations.extend(recorded.citations)
        current.submissions.extend(recorded.submissions)
        current.replies.extend(recorded.replies)

    def _add_calls(self, recorded: TrialStep) -> None:
        """Add the calls of a step in order, each after what was decided before it was sent.

        A stopped call is not among the calls. Its decision has the number of the next sent call:

            decision 0, call 0, decision 1, call 1, decision 2

        The last decision is about a call that was stopped after all others.
        """
        calls_of_functions = calls_by_function(recorded.calls)
        for number, call in enumerate(recorded.calls):
            remember_decisions(self.checks, recorded, number)
            # A call that a function has asked for is added together with the function's call.
            is_of_function = call.outer is not None
            if not is_of_function:
                self.calls.add(call, calls_of_functions.get(number, ()))
        remember_decisions(self.checks, recorded, len(recorded.calls))
