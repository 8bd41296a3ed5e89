"""Judges one submission of a trial: by gates and rules, and then by a second reader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controlplane.agent.events import Judged
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.tape import TapedModels
from controlplane.agent.gated_exit.submission_history import SubmissionHistory
from controlplane.agent.second_reader import AskReader, review_of
from controlplane.agent.submission import GateSettings
from controlplane.gates.submission import Case, Submission, Verdict


@dataclass(slots=True)
class SubmissionJudge:
    """Judges submissions by the evidence: what the calls of the trial have returned."""

    recorder: Recorder
    """Has the evidence, and the environment's declaration."""
    instruction: str
    settings: GateSettings
    now: str = ""
    """The trial's clock, in ISO 8601."""
    ask_reader: AskReader | None = None
    """Asks the second reader, a model that reviews answers; None without one."""

    def judge(
        self, submission: Submission, rules: str, history: SubmissionHistory
    ) -> Judged:
        """Judge a submission. `rules` are the text of the workspace's rules.

        The second reader is asked once in a trial, about the first submission that the
        gates and all rules accept.
        """
        recorder = self.recorder
        after_calls = len(recorder.trace.calls)  # Judging may make further calls.
        case = self._case(rules, history)
        evidence = recorder.evidence_log.view()
        settings = self.settings
        if case.is_uncited:
            settings = settings.without_citations()
        judgement = settings.judge(
            recorder.worker,
            submission,
            evidence,
            case,
            history.objections_before(recorder.trace.number),
        )

        def review_now() -> Verdict | None:
            is_due = self.settings.has_reader and not history.is_reviewed
            if self.ask_reader is None or not is_due:
                return None
            return review_of(self.ask_reader, submission, evidence, case)

        if judgement.accepted:
            review = self._review(review_now)
            if review is not None:
                judgement = self.settings.add_review(judgement, review)
        return Judged.of(judgement, submission, after_calls=after_calls)

    def _case(self, rules: str, history: SubmissionHistory) -> Case:
        """Return what the gates are told about the trial."""
        tool_schema = self.recorder.tool_schema
        return Case(
            instruction=self.instruction,
            rules=rules,
            rules_path=tool_schema.rules_document,
            internal_errors_before=history.internal_errors,
            now=self.now,
            is_uncited=tool_schema.citations == "none",
        )

    def _review(self, review_now: Callable[[], Verdict | None]) -> Verdict | None:
        """Return the second reader's verdict; None if there is none.

        If an earlier attempt of the trial has recorded this submission, its verdict counts.
        """
        step = self.recorder.trace  # the current step, so far
        number = len(step.submissions)  # of this submission in its step, from 0
        recorded_reviews = TapedModels(self.recorder.tape)
        return recorded_reviews.review(step.number, number, review_now)
