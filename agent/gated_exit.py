"""The gated exit: the only way for an answer to leave a trial."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from controlplane.agent.events import (
    AnswerDone,
    AnswerSent,
    Judged,
    SubmissionJudged,
    judged_submission,
)
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.tape import recorded_or_new_review
from controlplane.agent.limits.trial_limits import SubmissionLimit
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.second_reader import AskReader, review_of, with_review
from controlplane.agent.trial_gates import GateSettings
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Verdict
from controlplane.sandbox.interface import CallError, Plain, error_codes
from controlplane.sandbox.interface.outcomes import INTERNAL

_MOST_SUBMISSIONS_A_STEP: Final = 3
"""Max submissions of one script. The gates say why they reject an answer, so a script could guess
in a loop until one passes."""


class NotJudged(Exception):
    """Raised for a submission beyond the limits of its step or trial.

    The message tells the model what to do instead.
    """


class GatedExit:
    """The exit of one trial: judges each submission, and sends the answer that the gates accept.

    The gates are rules for answers, for example that the cited files were read. If they reject an
    answer, the script that submits it reads why, and may submit another:

        Submission(answer="420 EUR", refs_why={})                       -> rejected; nothing is sent
        Submission(answer="420 EUR", refs_why={"/fees.md": "the fee"})  -> accepted, and sent

    The environment may refuse an accepted answer, for example for its form. The solver may then send
    another. A trial whose process was killed goes on in a second *attempt*. It cannot be sure that
    an answer has arrived, so it sends it at its end:

    | what happened | `accepted` | `is_closed` | `is_answered` | sent at the end |
    |---|---|---|---|---|
    | the environment refused "7 EUR" | "7 EUR" | no | no | "7 EUR" |
    | the environment took "7 EUR" | "7 EUR" | yes | yes | nothing |
    | an earlier attempt had sent it | "7 EUR" | yes | no | "7 EUR" |
    | the environment ended the trial by itself | an empty answer | yes | no | an empty answer |
    """

    def __init__(
        self,
        recorder: Recorder,
        instruction: str,
        settings: GateSettings,
        now: str,
        limit: SubmissionLimit | None = None,
    ) -> None:
        """`instruction` is the user's request, and `now` the trial's clock, in ISO 8601."""
        self.recorder = recorder
        self._schema = recorder.tool_schema
        self._instruction = instruction
        self._settings = settings.applied_to(self._schema)
        self._now = now
        self._limit = limit or SubmissionLimit()
        """How many submissions the trial may have. The session has it count each whole step."""
        self.ask_reader: AskReader | None = None
        """Asks the second reader, a model that reviews what the gates accept. Set before the first
        step, if the user names one."""

        # The answer
        self.accepted: AnswerSent | None = recorder.tape.sent_answer
        """The last answer that the gates accepted, even in an earlier attempt."""
        self.is_closed = recorder.tape.is_solved
        """True if nothing more can be submitted."""
        self.is_answered = False
        """True if this attempt has sent the answer. Then the exit is closed, too."""

        # The earlier submissions, as far as later ones depend on them
        self.last_sendable: Judged | None = None
        """The last submission with an answer and a known outcome. If the gates reject
        all submissions, the trial may end with this one."""
        self._internal_errors = 0
        """Number of submissions with the outcome `OUTCOME_ERR_INTERNAL`."""
        self._is_reviewed = False
        """True once the second reader was asked."""
        self._objections: dict[str, dict[int, str]] = {}
        """By rule, then by step, what the model may overrule by submitting its answer again:
        `{"support/counted": {3: "The answer says 4, ..."}}`."""

        self._known_rules: str | None = None
        """The workspace's rules; None until a call has read their document."""

    @property
    def rules(self) -> str:
        """The text of the document that says what the model must and must not do.

        A script could change it, so the text counts that the trial has read first, for the initial
        prompt or in a call. Empty until then.
        """
        return self._known_rules or ""

    def keep_initial_rules(self, text: str) -> None:
        """Keep the text that the initial prompt has, even an empty one. No later call changes it."""
        self._known_rules = text

    def learn_call(
        self,
        operation_name: str,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> None:
        """Learn from a call: the workspace's rules, or that it has ended the trial."""
        path = self._schema.rules_document
        operation = self._schema.operation(operation_name)
        if self._known_rules is None and path and operation is not None:
            if arguments.get(operation.subject) == path:
                # The operation declares in which field of its result the text of a file is.
                text = str(result.get(operation.json_field, ""))
                self._known_rules = text or None  # An empty text may be learned anew.

        # Some environments end a trial by themselves, for example when a game is lost. The trial did
        # not fail, so the outcome is that of an answered request.
        if self._schema.ends_trial(operation_name, result) and not self.is_closed:
            done = self._schema.outcomes.done
            self.accepted = self._answer("", done, ended_by_environment=True)
            self.is_closed = True

    def submit(self, submission: Submission) -> Judged:
        """Judge a submission, and send it if it is accepted. Return what the gates said.

        Raises `CallError` if the trial is over or the environment refuses the answer,
        and `NotJudged` if the step or the trial has no submission left.
        """
        self._raise_if_refused()
        judged_now = self._judge(submission)
        # A *resumed* trial runs its recorded scripts again, and so does a *replay*. If the same
        # answer was recorded here, its recorded judgement counts, because the trial went on by it.
        # Nothing is written then, but a difference between the two is noted.
        step = self.recorder.current_step
        event = SubmissionJudged(
            trial_id=self.recorder.trial_id,
            step=step.number,
            number=len(step.submissions),
            judged=judged_now,
        )
        judged = self.recorder.journal.write(event, judged_now)
        # `verify` is the script's own check of an accepted answer. What its calls read may be cited
        # later. If only the recorded trial ran it, its recorded calls are added here.
        self.recorder.calls.restore_calls_of_verify()
        answer = self._learn(judged)
        if answer is not None:
            self.send(answer)
        return judged

    def _raise_if_refused(self) -> None:
        """Raise `CallError` or `NotJudged` if the current step may submit nothing more."""
        if self.is_closed:
            msg = "the answer was accepted before; the trial is over"
            raise CallError(error_codes.ALREADY_EXISTS, msg)
        step = self.recorder.current_step
        refusal = self._limit.refusal(step)
        if refusal:
            raise NotJudged(refusal)
        if len(step.submissions) >= _MOST_SUBMISSIONS_A_STEP:
            msg = (
                f"{_MOST_SUBMISSIONS_A_STEP} submissions of this script were sent back: "
                "end the script, read what it says, and answer in the next one."
            )
            raise NotJudged(msg)

    def _judge(self, submission: Submission) -> Judged:
        """Return whether a submission is accepted, and what each gate says about it.

        If the user names a second reader, it then reads the first answer that the gates accept:

            "420 EUR", which cites /fees.md, not read   -> rejected by a gate; the reader is not asked
            "420 EUR", which cites /fees.md             -> accepted, or rejected by the reader
            "430 EUR", which cites /fees.md             -> accepted; the reader is not asked again
        """
        step = self.recorder.current_step
        evidence = self.recorder.evidence_log.view()
        outcomes = self._schema.outcomes
        case = Case(
            self._instruction,
            rules_path=self._schema.rules_document,
            now=self._now,
            is_uncited=not self._schema.is_cited,
            outcomes=outcomes,
            rules=self.rules,
            internal_errors_before=self._internal_errors,
        )
        if isinstance(submission.outcome, str):
            # A name of the platform's is known everywhere. The declared one is judged and sent.
            own_name = outcomes.own_name(submission.outcome)
            submission = replace(submission, outcome=own_name)

        judgement = self._settings.judge(
            self.recorder.worker,  # in its process, rules of users run
            submission,
            evidence,
            case,
            self._objections_before(step.number),
        )

        def ask_reader_now() -> Verdict | None:
            if self.ask_reader is None or self._is_reviewed:
                return None
            return review_of(self.ask_reader, submission, evidence, case)

        if judgement.accepted:
            # A reply of the reader costs money, so a recorded one counts.
            review = recorded_or_new_review(self.recorder.tape_reader, ask_reader_now)
            if review is not None:
                judgement = with_review(judgement, review, self._settings.policy)
        return judged_submission(judgement, submission, after_calls=len(step.calls))

    def _objections_before(self, step_number: int) -> dict[str, list[str]]:
        """Return the objections that the model has read, by rule: those of earlier steps.

        Some gates object in only one or two steps, so they are told of them.
        """
        read: dict[str, list[str]] = {}
        for rule, texts in self._objections.items():
            read[rule] = [text for step, text in texts.items() if step < step_number]
        return read

    def _learn(self, judged: Judged) -> AnswerSent | None:
        """Learn from a submission of the current step, and return the answer if it is accepted."""
        if judged.outcome == INTERNAL:
            self._internal_errors += 1
        elif self._schema.outcomes.has(judged.outcome) and judged.answer.strip():
            self.last_sendable = judged
        if judged.review is not None:
            self._is_reviewed = True
        step_number = self.recorder.current_step.number
        for verdict in judged.verdicts:
            if verdict.may_be_overridden:
                self._objections.setdefault(verdict.key, {})[step_number] = (
                    verdict.reason
                )
        if not judged.accepted:
            return None
        self.accepted = self._answer(judged.answer, judged.outcome, refs=judged.refs)
        return self.accepted

    def send(self, answer: AnswerSent) -> None:
        """Send an answer, or take its recorded result. Raises `CallError` if it is refused."""
        outcome = self.recorder.send_answer(answer)
        self._learn_result(outcome.result)
        if self.is_closed and outcome.was_sent_now:
            self.is_answered = True
        if outcome.error is not None:
            raise outcome.error

    def _learn_result(self, result: AnswerDone) -> None:
        """Learn whether the environment took an answer, from a new or a recorded result."""
        # A late answer is sent when the steps are over.
        is_part_of_step = not result.late
        if is_part_of_step:
            self.recorder.current_step.answer_results.append(result)
        if result.is_taken:
            self.is_closed = True

    def restore(self, step: TrialStep) -> None:
        """Take what a recorded step, now the current one, submitted. Nothing is judged or sent."""
        for judged in step.submissions:
            self._learn(judged)
        for result in step.answer_results:
            self._learn_result(result)
        # A call may have ended the trial. Nothing can be submitted after it, so it comes last.
        for call in step.calls:
            self.learn_call(call.operation, call.arguments, call.result or {})

    def fallback(self, reason: str, *, repeats_last: bool = True) -> AnswerSent:
        """Return the answer to send for a trial whose submissions were all rejected.

        It is the last submission with an answer, because a rejected answer may still be right. It
        loses its citations of files that the trial never accessed:

            submitted "42", citing /fees.md, /made/up    -> rejected
            the time is up                               -> "42", citing /fees.md, is sent

        If there is none, or `repeats_last` is false (`--fallback internal`), the answer says that
        none was reached, and the `reason`.
        """
        rejected = self.last_sendable
        if rejected is None or not repeats_last:
            text = f"No answer was reached: {reason}."
            return self._answer(text, INTERNAL, fallback=True)
        evidence = self.recorder.evidence_log.view()
        accessed_refs = tuple(
            path for path in rejected.refs if evidence.find(path).access is not None
        )
        return self._answer(
            rejected.answer,
            rejected.outcome,
            refs=accessed_refs,
            fallback=True,
            failed=tuple(verdict.key for verdict in rejected.rejections),
        )

    def _answer(
        self, message: str, outcome: str, *, refs: tuple[str, ...] = (), **details: Any
    ) -> AnswerSent:
        """Return an answer of the current step; `details` are further fields of it."""
        return AnswerSent(
            trial_id=self.recorder.trial_id,
            step=self.recorder.current_step.number,
            message=message,
            outcome=outcome,
            refs=refs,
            **details,
        )
