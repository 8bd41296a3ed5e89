"""Judges one submission of a trial: by gates and rules, and then by a second reader.

Gates and rules are code: they check, for example, that the cited files were read. The second
reader is a model. If the user configures one, it reads the first answer that passes.

    "420 EUR", which cites /fees.md, not read   -> rejected by a gate; the reader is not asked
    "420 EUR", which cites /fees.md             -> accepted, or rejected by the reader
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import Judged, judged_submission
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit.answer_review import AnswerReview
from controlplane.agent.gated_exit.submission_history import SubmissionHistory
from controlplane.agent.gated_exit.workspace_rules import WorkspaceRules
from controlplane.agent.submission import GateSettings
from controlplane.gates.submission import Case, Submission


@dataclass(frozen=True, slots=True)
class SubmissionJudge:
    """Judges the submissions of one trial by its evidence: what its calls have returned."""

    recorder: Recorder
    """Has the evidence, and the environment's declaration."""
    instruction: str
    """The request that the answer is for."""
    now: str
    """The trial's clock, in ISO 8601."""
    settings: GateSettings
    """The gates and the rule sets that judge, with the user's changes of both."""
    rules: WorkspaceRules
    """The text of the workspace's rules."""
    history: SubmissionHistory
    """The submissions before, and what was objected to them. The caller adds the new one."""
    review: AnswerReview
    """Asks the second reader."""

    def decide(self, submission: Submission) -> Judged:
        """Return whether a submission is accepted, and what each rule says about it."""
        step = self.recorder.current_step
        after_calls = len(step.calls)  # Calls that the gates make are not counted.
        evidence = self.recorder.evidence_log.view()
        case = self._case()

        # 1. The gates and rules. Some object to the same fault only once or twice. So they are
        #    told which of their objections the model has read: those of earlier steps.
        judgement = self.settings.judge(
            self.recorder.worker,  # the process in which rules of users run
            submission,
            evidence,
            case,
            self.history.objections_before(step.number),
        )
        # 2. The second reader
        if judgement.accepted:
            judgement = self.review.add_to(judgement, submission, evidence, case)
        return judged_submission(judgement, submission, after_calls=after_calls)

    def _case(self) -> Case:
        """Return what gates and rules are told about the trial, beside its evidence."""
        tool_schema = self.recorder.tool_schema
        return Case(
            instruction=self.instruction,
            rules=self.rules.text,
            rules_path=tool_schema.rules_document,
            internal_errors_before=self.history.internal_errors,
            now=self.now,
            is_uncited=not tool_schema.is_cited,
        )
