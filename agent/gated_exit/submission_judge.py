"""Judges one submission of a trial: by gates and rules, and then by a second reader.

Gates and rules are code: they check, for example, that the cited files were read. The second
reader is a model. If the user configures one, it reads the first answer that passes.

    "420 EUR", which cites /fees.md, not read   -> rejected by a gate; the reader is not asked
    "420 EUR", which cites /fees.md             -> accepted, or rejected by the reader
    "430 EUR", after the reader has objected    -> accepted: the reader is asked only once
"""

from __future__ import annotations

from controlplane.agent.events import Judged
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit.submission_history import SubmissionHistory
from controlplane.agent.gated_exit.workspace_rules import WorkspaceRules
from controlplane.agent.second_reader import AskReader, review_of
from controlplane.agent.second_reader.reviewed_judgement import with_review
from controlplane.agent.submission import GateSettings
from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Verdict


class SubmissionJudge:
    """Judges the submissions of one trial by its evidence: what its calls have returned."""

    def __init__(
        self, recorder: Recorder, instruction: str, settings: GateSettings, now: str
    ) -> None:
        """`now` is the trial's clock, in ISO 8601."""
        self.recorder = recorder
        """Has the evidence, and the environment's declaration."""
        self.instruction = instruction
        self.settings = settings
        """Which gates and rules the user has changed, and the rule sets in use."""
        self.now = now
        self.rules = WorkspaceRules(recorder.tool_schema.rules_document)
        """The text of the workspace's rules."""
        self.history = SubmissionHistory()
        """The earlier submissions. On some objections, the model may insist."""
        self.ask_reader: AskReader | None = None
        """Asks the second reader, a model that reviews answers; None without one."""

    def decide(self, submission: Submission) -> Judged:
        """Return whether a submission is accepted, and what each rule says about it.

        The caller adds it to the `history`.
        """
        step = self.recorder.current_step
        after_calls = len(step.calls)  # Calls that the gates make are not counted.
        case = self._case()
        evidence = self.recorder.evidence_log.view()
        settings = self.settings
        if case.is_uncited:
            settings = settings.without_citations()  # no gates and rules about them

        judgement = settings.judge(
            self.recorder.worker,
            submission,
            evidence,
            case,
            # The model has read what was objected in earlier steps, and may insist.
            self.history.objections_before(step.number),
        )
        if judgement.accepted:
            review = self._review(submission, evidence, case)
            if review is not None:
                judgement = with_review(judgement, review, settings.policy)
        return Judged.of(judgement, submission, after_calls=after_calls)

    def _case(self) -> Case:
        """Return what gates and rules are told about the trial."""
        tool_schema = self.recorder.tool_schema
        return Case(
            instruction=self.instruction,
            rules=self.rules.text,
            rules_path=tool_schema.rules_document,
            internal_errors_before=self.history.internal_errors,
            now=self.now,
            is_uncited=not tool_schema.is_cited,
        )

    def _review(
        self, submission: Submission, evidence: Evidence, case: Case
    ) -> Verdict | None:
        """Return the second reader's verdict on an accepted submission; None if it has none.

        If an earlier attempt of the trial has recorded this submission, the recorded verdict
        counts, and nobody is asked.
        """
        step = self.recorder.current_step
        number = len(step.submissions)  # of this submission in its step, from 0
        return self.recorder.submissions.review(
            step.number,
            number,
            ask=lambda: self._new_review(submission, evidence, case),
        )

    def _new_review(
        self, submission: Submission, evidence: Evidence, case: Case
    ) -> Verdict | None:
        """Ask the second reader, and return its verdict; None if it was asked before.

        It is asked about one submission of a trial, if the user wants a second reader.
        """
        is_due = self.settings.has_reader and not self.history.is_reviewed
        if self.ask_reader is None or not is_due:
            return None
        return review_of(self.ask_reader, submission, evidence, case)
