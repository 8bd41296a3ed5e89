"""Takes the submissions of a trial, and lets an answer out once the gates accept it."""

from __future__ import annotations

from controlplane.agent.events import AnswerSent, Judged, SubmissionJudged
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit.answer_outlet import AnswerOutlet
from controlplane.agent.gated_exit.submission_history import SubmissionHistory
from controlplane.agent.gated_exit.submission_judge import SubmissionJudge
from controlplane.agent.gated_exit.submission_refusal import refuse_excess
from controlplane.agent.gated_exit.trial_answers import (
    missing_answer,
    rejected_answer,
)
from controlplane.agent.gated_exit.workspace_rules import WorkspaceRules
from controlplane.agent.limits.submission_limit import SubmissionLimit
from controlplane.agent.submission import GateSettings
from controlplane.gates.submission import Submission
from controlplane.sandbox.interface import CallError, error_codes


class GatedExit:
    """Judges the submissions of one trial, and sends the accepted one to its environment, once.

    A resumed trial calls `take_submission` and `outlet.take_result` for its recorded
    steps. They update the state without judging or sending anything.
    """

    def __init__(
        self,
        recorder: Recorder,
        instruction: str,
        settings: GateSettings | None = None,
        now: str = "",
    ) -> None:
        """`now` is the trial's clock, in ISO 8601."""
        self.recorder = recorder
        self.judge = SubmissionJudge(
            recorder, instruction, settings or GateSettings(), now
        )
        self.outlet = AnswerOutlet(recorder)
        self.rules = WorkspaceRules(recorder.tool_schema.rules_document)
        self.limit = SubmissionLimit()
        """Counts the submissions of completed steps, which the session adds."""
        self.history = SubmissionHistory()

    @property
    def is_closed(self) -> bool:
        """True if an answer was sent, or if the environment has ended the trial."""
        return self.outlet.is_closed

    def submit(self, submission: Submission) -> Judged:
        """Judge `submission`, and send it if it is accepted.

        Raises `CallError` if the trial is over or the environment refuses the answer,
        and `NotJudged` if the step or the trial has no submission left.
        """
        recorder = self.recorder
        step = recorder.trace  # the current step, so far
        if self.is_closed:
            msg = "the answer was accepted before; the trial is over"
            raise CallError(error_codes.ALREADY_EXISTS, msg)
        refuse_excess(step, self.limit)
        event = SubmissionJudged(
            trial_id=recorder.trial_id,
            step=step.number,
            number=len(step.submissions),
            judged=self.judge.judge(submission, self.rules.text, self.history),
        )
        # If an earlier attempt has recorded a judgement of this submission, that one counts.
        judged = recorder.submissions.submission(event).judged
        # In an earlier attempt, the script's `verify` function may have made calls to check its
        # answer. They are evidence, even if `verify` was not run again.
        recorder.restored_calls.add_calls_of_verify()
        self.take_submission(judged)
        if judged.accepted:
            self.outlet.send_accepted()
        return judged

    def take_submission(self, judged: Judged) -> None:
        """Update the state with a judged submission of the current step, new or recorded."""
        step = self.recorder.trace
        step.submissions.append(judged)
        self.history.add(judged, step.number)
        if judged.accepted:
            self.outlet.take_accepted(judged)

    def fallback(self, reason: str, *, repeats_last: bool = True) -> AnswerSent:
        """Return the answer to send for a trial whose submissions were all rejected.

        It is the last submission with an answer. If there is none, or `repeats_last` is
        False, it says that no answer was reached, and why.
        """
        last = self.history.last_sendable
        if last is None or not repeats_last:
            return missing_answer(self.recorder, reason)
        return rejected_answer(self.recorder, last)
