"""Judges the submissions of a trial, and lets an answer out once the gates accept it.

A script of the model submits an answer, and cites the files that support it. Eight gates judge
it, for example whether the cited files were read:

    Submission(answer="420 EUR", refs_why={})                       -> rejected; nothing is sent
    Submission(answer="420 EUR", refs_why={"/fees.md": "the fee"})  -> accepted, and sent

The model reads why an answer is rejected, and may submit another one.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.events import AnswerSent, Judged, SubmissionJudged
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit.answer_outlet import AnswerOutlet
from controlplane.agent.gated_exit.submission_judge import SubmissionJudge
from controlplane.agent.gated_exit.submission_refusal import refuse_excess
from controlplane.agent.gated_exit.trial_answers import (
    missing_answer,
    rejected_answer,
)
from controlplane.agent.limits.submission_limit import SubmissionLimit
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.second_reader import AskReader
from controlplane.agent.submission import GateSettings
from controlplane.gates.submission import Submission
from controlplane.sandbox.interface import CallError, Plain, error_codes


class GatedExit:
    """The exit of one trial: judges each submission, and sends an accepted one, once.

    | method | called |
    |---|---|
    | `learn_call` | after each call of the trial |
    | `submit` | by a script of the model |
    | `restore` | for each recorded step, if the trial is resumed after its process was killed |
    | `fallback` | at the end of a trial without an accepted answer |
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
        """Asks gates, rules and the second reader."""
        self.rules = self.judge.rules
        """The text of the workspace's rules, as the trial has read it."""
        self.history = self.judge.history
        """The submissions so far."""
        self.outlet = AnswerOutlet(recorder)
        """Sends answers to the environment, and knows whether it took one."""
        self.limit = SubmissionLimit()
        """How many submissions the trial may have. The session tells it each whole step."""

    @property
    def is_closed(self) -> bool:
        """True if an answer was sent, or if the environment has ended the trial."""
        return self.outlet.is_closed

    @property
    def is_answered(self) -> bool:
        """True if this attempt at the trial has sent the answer."""
        return self.outlet.is_answered

    @property
    def has_sendable(self) -> bool:
        """True if a submission, even a rejected one, can be sent at the end of the trial."""
        return self.history.last_sendable is not None

    def connect_reader(self, ask_reader: AskReader) -> None:
        """Let a second reader, a model, read the first answer that the gates accept.

        `ask_reader` sends it a request. Called before the first step, if the user wants a reader.
        """
        self.judge.review.ask_reader = ask_reader

    def learn_call(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> None:
        """Learn from a call what the workspace's rules are, or that the trial has ended."""
        declared = self.recorder.tool_schema.operation(operation)
        if declared is not None:
            self.rules.learn_result(declared, arguments, result)
        self.outlet.close_if_environment_ended(operation, result)

    def submit(self, submission: Submission) -> Judged:
        """Judge a submission, and send it if it is accepted. Return what the gates said.

        Raises `CallError` if the trial is over or the environment refuses the answer,
        and `NotJudged` if the step or the trial has no submission left.
        """
        if self.is_closed:
            msg = "the answer was accepted before; the trial is over"
            raise CallError(error_codes.ALREADY_EXISTS, msg)
        refuse_excess(self.recorder.current_step, self.limit)

        # The last gate may call `verify`, a function of the script, which checks the answer
        # by calls of its own, such as `read("/fees.md")`.
        judged = self._write_or_take_recorded(self.judge.decide(submission))
        self._add(judged)
        if judged.accepted:
            self.outlet.send_accepted()
        return judged

    def _write_or_take_recorded(self, judged: Judged) -> Judged:
        """Write a judgement to the journal, unless the journal has one already. Return what counts.

        A trial that is resumed or replayed runs recorded steps again. The recorded judgement then
        counts, because the trial went on by it. Suppose that gate 4 has changed since:

        | | judgement | counts |
        |---|---|---|
        | recorded | accepted, after `verify` had read /fees.md | yes |
        | now | rejected by gate 4, so that `verify` was not called | no |

        The recorded calls of `verify`, here the read, are evidence: they are added to the step.
        """
        recorder = self.recorder
        step = recorder.current_step
        event = SubmissionJudged(
            trial_id=recorder.trial_id,
            step=step.number,
            number=len(step.submissions),
            judged=judged,
        )
        written = recorder.submissions.write_submission(event)
        recorder.restored_calls.add_calls_of_verify()  # unless it has made them now
        return written.judged

    def _add(self, judged: Judged) -> None:
        """Add a judged submission, new or from the journal, to the current step."""
        step = self.recorder.current_step
        step.submissions.append(judged)
        self.history.add(judged, step.number)
        if judged.accepted:
            self.outlet.keep_accepted(judged)

    def restore(self, step: TrialStep) -> None:
        """Learn from a recorded step what it submitted, and whether an answer was taken.

        Nothing is judged or sent again. The step must be the current one already (see
        `Recorder.restore`).
        """
        # The result of a call may say that the environment has ended the trial.
        for call in step.calls:
            self.outlet.close_if_environment_ended(call.operation, call.result or {})
        for judged in step.submissions:
            self._add(judged)
        for result in step.answer_results:
            self.outlet.learn_result(result)

    def fallback(self, reason: str, *, repeats_last: bool = True) -> AnswerSent:
        """Return the answer to send for a trial whose submissions were all rejected.

        It is the last submission with an answer. If there is none, it says that no answer was
        reached, and why. With `repeats_last=False`, it says that in every case (the user's
        setting `--fallback internal`).
        """
        last = self.history.last_sendable
        if last is None or not repeats_last:
            return missing_answer(self.recorder, reason)
        return rejected_answer(self.recorder, last)
