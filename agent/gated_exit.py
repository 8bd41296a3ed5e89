"""The gated exit: the only way for an answer to leave a trial.

`GatedExit` judges the submissions of a trial, and sends the accepted answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from controlplane.agent.events import (
    AnswerDone,
    AnswerSent,
    CallFailure,
    Judged,
    SubmissionJudged,
)
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.tape import TapedModels
from controlplane.agent.limits.submission_limit import SubmissionLimit
from controlplane.agent.second_reader import AskReader, review_of
from controlplane.agent.submission import GateSettings
from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import (
    INTERNAL,
    OUTCOMES,
    REVIEW,
    Case,
    Judgement,
    Submission,
    Verdict,
)
from controlplane.sandbox.interface import CallError, error_codes

MOST_SUBMISSIONS_A_STEP: Final = 3
"""Max submissions of one script. With more, it could guess answers until one passes."""


class NotJudged(Exception):
    """Raised for a submission beyond the limits of its step or trial.

    The message says what to do.
    """


@dataclass(slots=True)
class SubmissionHistory:
    """What a trial has submitted so far, and what the gates said about it."""

    internal_errors: int = 0
    """Number of submissions with the outcome `OUTCOME_ERR_INTERNAL`."""
    last_sendable: Judged | None = None
    """The last submission that may be sent if all were rejected:
    it has an answer, and one of the `OUTCOMES`."""
    is_reviewed: bool = False
    """True once the second reader was asked."""
    objections: dict[str, dict[int, str]] = field(default_factory=dict)
    """The objections of rules with the enforcement `ask`, by rule
    and step: `{"support/counted": {3: "The answer says 4, ..."}}`."""

    def add(self, judged: Judged, step: int) -> None:
        """Add a judged submission of a step."""
        if judged.outcome == INTERNAL:
            self.internal_errors += 1
        elif judged.outcome in OUTCOMES and judged.answer.strip():
            self.last_sendable = judged

        for verdict in judged.verdicts:
            if verdict.key == REVIEW:
                self.is_reviewed = True
            if verdict.result == "reject" and verdict.enforcement == "ask":
                self.objections.setdefault(verdict.key, {})[step] = verdict.reason

    def objections_before(self, step: int) -> dict[str, list[str]]:
        """Return what each rule said before a step: what the model has read."""
        earlier: dict[str, list[str]] = {}
        for rule, by_step in self.objections.items():
            earlier[rule] = [text for number, text in by_step.items() if number != step]
        return earlier


@dataclass(slots=True)
class GatedExit:
    """Judges the submissions of one trial, and sends the accepted one to its environment, once.

    A resumed trial calls `take_submission` and `take_answer` for its recorded steps. They
    update the state without judging or sending anything.
    """

    recorder: Recorder
    instruction: str
    settings: GateSettings = field(default_factory=GateSettings)
    now: str = ""
    """The trial's clock, in ISO 8601."""
    rules: str = ""
    """The text of the workspace's rules, which the session sets."""
    ask_reader: AskReader | None = None
    """Asks the second reader, a model that reviews answers; None without one."""

    limit: SubmissionLimit = field(default_factory=SubmissionLimit)
    """Counts the submissions of completed steps, which the session adds."""
    history: SubmissionHistory = field(default_factory=SubmissionHistory)

    accepted: AnswerSent | None = field(init=False)
    """The last answer that the gates accepted, even in an
    earlier attempt. The environment may have refused it."""
    is_closed: bool = field(init=False)
    """True once nothing more can be submitted:
    the environment took an answer, or ended the trial."""
    is_answered: bool = False
    """True once the environment took an answer in this attempt."""

    def __post_init__(self) -> None:
        tape = self.recorder.tape
        self.accepted = tape.sent_answer
        self.is_closed = tape.is_solved

    # --- Submissions ---

    def submit(self, submission: Submission) -> Judged:
        """Judge `submission`, and send it if it is accepted.

        Raises `CallError` if the trial is over or the environment refuses the answer,
        and `NotJudged` if the step or the trial has no submission left.
        """
        self._refuse_excess()
        step = self.recorder.trace
        event = SubmissionJudged(
            trial_id=self.recorder.trial_id,
            step=step.number,
            number=len(step.submissions),
            judged=self._judge(submission),
        )
        # If an earlier attempt has recorded a judgement of this submission, that one counts.
        judged = self.recorder.journal.submission(event).judged
        # In an earlier attempt, the script's `verify` function may have made calls to check its
        # answer. They are evidence, even if `verify` was not run again.
        self.recorder.restored_calls.add_calls_of_verify()
        self.take_submission(judged)
        if judged.accepted:
            self.send_answer(self._accepted_answer(judged))
        return judged

    def _refuse_excess(self) -> None:
        """Raise `CallError` or `NotJudged` if nothing more may be submitted now."""
        if self.is_closed:
            msg = "the answer was accepted before; the trial is over"
            raise CallError(error_codes.ALREADY_EXISTS, msg)
        step = self.recorder.trace
        refusal = self.limit.refusal(step)
        if refusal:
            raise NotJudged(refusal)
        if len(step.submissions) >= MOST_SUBMISSIONS_A_STEP:
            msg = (
                f"{MOST_SUBMISSIONS_A_STEP} submissions of this script were sent back: "
                "end the script, read what it says, and answer in the next one."
            )
            raise NotJudged(msg)

    def take_submission(self, judged: Judged) -> None:
        """Update the state with a submission of the current step."""
        step = self.recorder.trace
        step.submissions.append(judged)
        self.history.add(judged, step.number)
        if judged.accepted:
            self.accepted = self._accepted_answer(judged)

    def _judge(self, submission: Submission) -> Judged:
        """Judge a submission by gates and rules. If they accept it, ask the second reader."""
        recorder = self.recorder
        step = recorder.trace
        after_calls = len(step.calls)  # Judging may make further calls.
        case = self._case
        evidence = recorder.evidence_log.view()
        settings = self.settings
        if case.is_uncited:
            settings = settings.without_citations()

        judgement = settings.judge(
            recorder.worker,
            submission,
            evidence,
            case,
            self.history.objections_before(step.number),
        )
        if judgement.accepted:
            judgement = self._ask_second_reader(judgement, submission, evidence, case)
        return Judged.of(judgement, submission, after_calls=after_calls)

    @property
    def _case(self) -> Case:
        """What the gates are told about the trial."""
        tool_schema = self.recorder.tool_schema
        return Case(
            instruction=self.instruction,
            rules=self.rules,
            rules_path=tool_schema.rules_document,
            internal_errors_before=self.history.internal_errors,
            now=self.now,
            is_uncited=tool_schema.citations == "none",
        )

    def _ask_second_reader(
        self,
        judgement: Judgement,
        submission: Submission,
        evidence: Evidence,
        case: Case,
    ) -> Judgement:
        """Return an accepting judgement with the second reader's verdict, if there is one.

        The reader is asked once in a trial. If an earlier attempt has recorded this
        submission, the reader's recorded verdict counts.
        """

        def review_now() -> Verdict | None:
            is_due = self.settings.has_reader and not self.history.is_reviewed
            if self.ask_reader is None or not is_due:
                return None
            return review_of(self.ask_reader, submission, evidence, case)

        step = self.recorder.trace  # the current step, so far
        number = len(step.submissions)  # of this submission in its step, from 0
        recorded_reviews = TapedModels(self.recorder.tape)
        review = recorded_reviews.review(step.number, number, review_now)
        if review is None:
            return judgement
        return self.settings.add_review(judgement, review)

    # --- The answer ---

    def send_answer(self, answer: AnswerSent) -> None:
        """Send an answer without judging it.

        Raises `CallError` if the environment does not take it.
        """
        recorder = self.recorder
        number = len(recorder.trace.answers)
        # If the trial breaks off before the result is recorded, its next attempt knows
        # that the environment may have the answer.
        recorder.journal.sent_answer(answer, number)
        error: CallError | None = None
        is_sent_now = True  # False if an earlier attempt sent it.
        try:
            is_sent_now = recorder.calls_made.answer(answer, number)
        except CallError as refusal:
            error = refusal

        answered = result_of_answer(answer, error)
        recorder.journal.answer(answered, number)
        self.take_answer(answered)
        self.is_answered = self.is_closed and is_sent_now
        if error is not None and not answered.is_taken:
            raise error

    def take_answer(self, answered: AnswerDone) -> None:
        """Update the state with the environment's result of an answer."""
        # A late answer is sent at the end of the trial, and is not a part of any step.
        if not answered.late:
            self.recorder.trace.answers.append(answered)
        if answered.is_taken:
            self.is_closed = True

    def end_without_answer(self) -> None:
        """Close the exit, because the environment has ended the trial."""
        self.accepted = self._answer(
            message="", outcome=OUTCOMES[0], refs=(), ended_by_environment=True
        )
        self.is_closed = True

    def fallback(self, reason: str, *, repeats_last: bool = True) -> AnswerSent:
        """Return the answer to send for a trial whose submissions were all rejected.

        It is the last submission with an answer, without its citations of files that the
        trial never accessed. If there is none, or `repeats_last` is False, the answer says
        that none was reached, with the outcome `OUTCOME_ERR_INTERNAL`.
        """
        last = self.history.last_sendable
        if last is None or not repeats_last:
            message = f"No answer was reached: {reason}."
            return self._answer(
                message=message, outcome=INTERNAL, refs=(), fallback=True
            )
        evidence = self.recorder.evidence_log.view()
        accessed_refs = tuple(
            path for path in last.refs if evidence.find(path).access is not None
        )
        return self._answer(
            message=last.answer,
            outcome=last.outcome,
            refs=accessed_refs,
            fallback=True,
            failed=tuple(verdict.key for verdict in last.rejections),
        )

    def _accepted_answer(self, judged: Judged) -> AnswerSent:
        return self._answer(
            message=judged.answer, outcome=judged.outcome, refs=judged.refs
        )

    def _answer(self, **fields: Any) -> AnswerSent:
        """Return an answer of the current step with these fields of `AnswerSent`."""
        return AnswerSent(
            trial_id=self.recorder.trial_id, step=self.recorder.trace.number, **fields
        )


def result_of_answer(answer: AnswerSent, error: CallError | None) -> AnswerDone:
    """Return the event that says whether the environment took an answer."""
    failure = None
    if error is not None:
        failure = CallFailure(code=str(error.code), message=str(error.message))
    return AnswerDone(
        trial_id=answer.trial_id, step=answer.step, error=failure, late=answer.late
    )
