"""Judges one submission of a trial: by gates and rules, and then by a second reader.

Gates and rules are code: they check, for example, that the cited files were read. The second
reader is a model. If the user configures one, it reads the first answer that passes.

    "420 EUR", which cites /fees.md, not read   -> rejected by a gate; the reader is not asked
    "420 EUR", which cites /fees.md             -> accepted, or rejected by the reader
    "430 EUR", after the reader has objected    -> accepted: the reader is asked only once
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import Judged
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.tape import TapedModels
from controlplane.agent.gated_exit.submission_history import SubmissionHistory
from controlplane.agent.second_reader import AskReader, review_of
from controlplane.agent.second_reader.reviewed_judgement import with_review
from controlplane.agent.submission import GateSettings
from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Verdict


@dataclass(slots=True)
class SubmissionJudge:
    """Judges submissions by the evidence: what the calls of the trial have returned."""

    recorder: Recorder
    """Has the evidence, and the environment's declaration."""
    instruction: str
    """The task of the trial, as the model was told."""
    settings: GateSettings
    """Which gates and rules the user has changed, and the rule sets in use."""
    now: str = ""
    """The trial's clock, in ISO 8601."""
    ask_reader: AskReader | None = None
    """Asks the second reader, a model that reviews answers; None without one."""

    def judge(
        self, submission: Submission, rules: str, history: SubmissionHistory
    ) -> Judged:
        """Return whether a submission is accepted, and what each rule says about it.

        `rules` is the text of the workspace's rules. `history` has the earlier submissions
        of the trial: on some objections, the model may insist after it has read them.
        """
        step = self.recorder.current_step
        after_calls = len(step.calls)  # Calls that the gates make are not counted.
        case = self._case(rules, history)
        evidence = self.recorder.evidence_log.view()
        settings = self.settings
        if case.is_uncited:
            settings = settings.without_citations()  # no gates and rules about them
        # The model has read what was objected in earlier steps, and may insist on its answer.
        read_objections = history.objections_before(step.number)

        judgement = settings.judge(
            self.recorder.worker, submission, evidence, case, read_objections
        )
        if judgement.accepted:
            review = self._review(submission, evidence, case, history)
            if review is not None:
                judgement = with_review(judgement, review, settings.policy)
        return Judged.of(judgement, submission, after_calls=after_calls)

    def _case(self, rules: str, history: SubmissionHistory) -> Case:
        """Return what gates and rules are told about the trial."""
        tool_schema = self.recorder.tool_schema
        return Case(
            instruction=self.instruction,
            rules=rules,
            rules_path=tool_schema.rules_document,
            internal_errors_before=history.internal_errors,
            now=self.now,
            is_uncited=not tool_schema.is_cited,
        )

    def _review(
        self,
        submission: Submission,
        evidence: Evidence,
        case: Case,
        history: SubmissionHistory,
    ) -> Verdict | None:
        """Return the second reader's verdict on an accepted submission; None if it has none.

        The reader is asked once in a trial. If an earlier attempt of the trial has recorded
        this submission, the recorded verdict counts, and nobody is asked.
        """

        def ask_now() -> Verdict | None:
            is_due = self.settings.has_reader and not history.is_reviewed
            if self.ask_reader is None or not is_due:
                return None
            return review_of(self.ask_reader, submission, evidence, case)

        step = self.recorder.current_step
        number = len(step.submissions)  # of this submission in its step, from 0
        recorded_reviews = TapedModels(self.recorder.tape)
        return recorded_reviews.review(step.number, number, ask_now)
