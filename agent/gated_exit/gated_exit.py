"""The one way for an answer to leave a trial, so that no answer leaves which the gates reject.

The gates are rules for answers, for example that the cited files were read. If they reject an
answer, the script that submits it reads why, and may submit another:

    Submission(answer="420 EUR", refs_why={})                       -> rejected; nothing is sent
    Submission(answer="420 EUR", refs_why={"/fees.md": "the fee"})  -> accepted, and sent
"""

from __future__ import annotations

from controlplane.agent.events import AnswerSent, Judged
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit.answer_outlet import AnswerOutlet
from controlplane.agent.gated_exit.judgement_record import write_judgement
from controlplane.agent.gated_exit.submission_history import SubmissionHistory
from controlplane.agent.gated_exit.submission_judge import SubmissionJudge
from controlplane.agent.gated_exit.submission_refusal import raise_if_refused
from controlplane.agent.gated_exit.trial_case import TrialCase
from controlplane.agent.gated_exit.workspace_rules import WorkspaceRules
from controlplane.agent.limits.submission_limit import SubmissionLimit
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.submission import GateSettings
from controlplane.gates.submission import Submission


class GatedExit:
    """The exit of one trial."""

    def __init__(
        self, recorder: Recorder, instruction: str, settings: GateSettings, now: str
    ) -> None:
        """`instruction` is the user's request, and `now` the trial's clock, in ISO 8601."""
        schema = recorder.tool_schema
        self.recorder = recorder
        self.limit = SubmissionLimit()
        """How many submissions the trial may have. The session has it count each whole step."""
        self.rules = WorkspaceRules(schema)
        """The text of the workspace's rules. The session adds what each call reads of them."""
        self.history = SubmissionHistory()
        """What was submitted so far."""
        trial_case = TrialCase(instruction, now, schema, self.rules, self.history)
        self.judge = SubmissionJudge(
            recorder, settings.applied_to(schema), trial_case, self.history
        )
        self.outlet = AnswerOutlet(recorder)
        """Sends the answer, and knows whether the environment has taken it."""

    def submit(self, submission: Submission) -> Judged:
        """Judge a submission, and send it if it is accepted. Return what the gates said.

        Raises `CallError` if the trial is over or the environment refuses the answer,
        and `NotJudged` if the step or the trial has no submission left.
        """
        raise_if_refused(self.outlet, self.recorder.current_step, self.limit)
        judged_now = self.judge.decide(submission)
        # If an earlier process of this trial has recorded a judgement here, that one counts.
        judged = write_judgement(self.recorder, judged_now)
        answer = self._learn(judged)
        if answer is not None:
            self.outlet.send(answer)
        return judged

    def restore(self, step: TrialStep) -> None:
        """Take what a recorded step, now the current one, submitted. Nothing is judged or sent."""
        for judged in step.submissions:
            self._learn(judged)
        for result in step.answer_results:
            self.outlet.learn_result(result)
        # A call may have ended the trial. Nothing can be submitted after it, so it comes last.
        for call in step.calls:
            self.outlet.learn_call(call.operation, call.result or {})

    def _learn(self, judged: Judged) -> AnswerSent | None:
        """Learn from a submission of the current step, and return the answer if it is accepted."""
        self.history.add(judged, self.recorder.current_step.number)
        if not judged.accepted:
            return None
        return self.outlet.keep_accepted(judged)
