"""Judges a submission: an answer that a model hands in, with the files that it cites.

The gates judge it first, which are rules in code: the cited files were read, for example. If the
user names a second reader, this model then reads the first answer that the gates accept:

    "420 EUR", which cites /fees.md, not read   -> rejected by a gate; the reader is not asked
    "420 EUR", which cites /fees.md             -> accepted, or rejected by the reader
    "430 EUR", which cites /fees.md             -> accepted; the reader is not asked again
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import Judged, judged_submission
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit.answer_review import reader_verdict
from controlplane.agent.gated_exit.submission_history import SubmissionHistory
from controlplane.agent.gated_exit.trial_case import TrialCase
from controlplane.agent.second_reader import AskReader
from controlplane.agent.second_reader.reviewed_judgement import with_review
from controlplane.agent.submission import GateSettings
from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Judgement


@dataclass(slots=True)
class SubmissionJudge:
    """Judges the submissions of one trial."""

    recorder: Recorder
    """Knows what the calls of the trial have read and changed: the evidence."""
    settings: GateSettings
    """The gates that judge, as the user has set them."""
    trial_case: TrialCase
    """What the gates are told about the trial: the request and the clock, for example."""
    history: SubmissionHistory
    """The earlier submissions, and what was said against them. The caller adds the new one."""
    ask_reader: AskReader | None = None
    """Asks the second reader. Set before the first step, if the user names one."""

    def decide(self, submission: Submission) -> Judged:
        """Return whether a submission is accepted, and what each gate says about it."""
        evidence = self.recorder.evidence_log.view()
        case = self.trial_case.current()
        judgement = self._judgement_of_gates(submission, evidence, case)
        if judgement.accepted:
            ask_reader = None if self.history.is_reviewed else self.ask_reader
            review = reader_verdict(
                ask_reader, self.recorder, submission, evidence, case
            )
            if review is not None:
                judgement = with_review(judgement, review, self.settings.policy)
        call_count = len(self.recorder.current_step.calls)
        return judged_submission(judgement, submission, after_calls=call_count)

    def _judgement_of_gates(
        self, submission: Submission, evidence: Evidence, case: Case
    ) -> Judgement:
        # Some gates object to the same fault only once or twice. So they are told which of their
        # objections the model has read: those of earlier steps.
        step_number = self.recorder.current_step.number
        objections = self.history.objections_before(step_number)
        worker = self.recorder.worker  # the process in which rules of users run
        return self.settings.judge(worker, submission, evidence, case, objections)
