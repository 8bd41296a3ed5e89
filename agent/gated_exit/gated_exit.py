"""The one way for an answer to leave a trial: it is judged, and sent only if it is accepted.

A script of the model submits an answer, and cites the files that support it. The gates judge
it, for example whether these were read. If they reject it, the model may submit another:

    Submission(answer="420 EUR", refs_why={})                       -> rejected; nothing is sent
    Submission(answer="420 EUR", refs_why={"/fees.md": "the fee"})  -> accepted, and sent
"""

from __future__ import annotations

from controlplane.agent.events import Judged
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit.answer_outlet import AnswerOutlet
from controlplane.agent.gated_exit.answer_review import AnswerReview
from controlplane.agent.gated_exit.judgement_record import write_judgement
from controlplane.agent.gated_exit.submission_history import SubmissionHistory
from controlplane.agent.gated_exit.submission_judge import SubmissionJudge
from controlplane.agent.gated_exit.submission_refusal import refuse_submission
from controlplane.agent.gated_exit.workspace_rules import WorkspaceRules
from controlplane.agent.limits.submission_limit import SubmissionLimit
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.submission import GateSettings
from controlplane.gates.submission import Submission


class GatedExit:
    """The exit of one trial. Its parts are attributes, which its users ask directly."""

    def __init__(
        self, recorder: Recorder, instruction: str, settings: GateSettings, now: str
    ) -> None:
        """`now` is the trial's clock, in ISO 8601."""
        settings = settings.applied_to(recorder.tool_schema)
        self.recorder = recorder
        self.rules = WorkspaceRules(recorder.tool_schema)
        self.history = SubmissionHistory()
        self.review = AnswerReview(recorder, settings.policy, self.history)
        self.judge = SubmissionJudge(
            recorder, instruction, now, settings, self.rules, self.history, self.review
        )
        self.outlet = AnswerOutlet(recorder)
        self.limit = SubmissionLimit()
        """How many submissions the trial may have. The session tells it each whole step."""

    def submit(self, submission: Submission) -> Judged:
        """Judge a submission, and send it if it is accepted. Return what the gates said.

        Raises `CallError` if the trial is over or the environment refuses the answer,
        and `NotJudged` if the step or the trial has no submission left.
        """
        refuse_submission(self.outlet, self.recorder.current_step, self.limit)
        judged = write_judgement(self.recorder, self.judge.decide(submission))
        self._add(judged)
        if judged.accepted:
            self.outlet.send_accepted()
        return judged

    def restore(self, step: TrialStep) -> None:
        """Learn what a recorded step submitted. `RestoredSteps.restore` has made it current."""
        for call in step.calls:
            self.outlet.learn_call(call.operation, call.result or {})
        for judged in step.submissions:
            self._add(judged)
        for result in step.answer_results:
            self.outlet.learn_result(result)

    def _add(self, judged: Judged) -> None:
        """Add a judged submission, new or from the journal, to the current step."""
        step = self.recorder.current_step
        step.submissions.append(judged)
        self.history.add(judged, step.number)
        if judged.accepted:
            self.outlet.keep_accepted(judged)
