"""The gated exit: the one way an answer leaves a trial. It needs no sandbox, so every solver answers through it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from agent.events.call_records import CallFailure, Judged
from agent.events.trial_events import AnswerDone, AnswerSent, Emit, SubmissionJudged
from agent.evidence.recorder import Recorder
from gates import ALL_GATES, Case, Judgement, Pack, Submission, judge
from sandbox.interface import CallError, error_codes


@dataclass(frozen=True, slots=True)
class GateSettings:
    """Which gates reject, and which rule packs stand beside them."""

    switched_on: frozenset[int] = ALL_GATES
    packs: Sequence[Pack] = ()


@dataclass(slots=True)
class GatedExit:
    """Judges submissions of one trial and hands the accepted one to its environment, once."""

    recorder: Recorder
    emit: Emit
    instruction: str
    settings: GateSettings = field(default_factory=GateSettings)
    rules: str = ""
    """The workspace's rules, once they are known."""
    answered: bool = False
    judged: list[Judged] = field(default_factory=list)
    """What the gates said in the current step."""
    internal_errors: int = 0
    """Submissions of `OUTCOME_ERR_INTERNAL` so far."""
    recorded: deque[CallFailure | None] | None = None
    """What came of each answer before, where answers are not to be handed in again; one that is not in it was taken."""
    accepted: AnswerSent | None = None
    """The last answer that the gates let out, whether or not the environment took it."""

    def __call__(self, submission: Submission) -> Judgement:
        """Judge `submission`; call_with_retry it where it is accepted. Raises `CallError` where delivery fails."""
        if self.answered:
            msg = "the answer was accepted before; the trial is over"
            raise CallError(error_codes.ALREADY_EXISTS, msg)
        judgement = self.judge(submission)
        judged = Judged.of(judgement)
        self.judged.append(judged)
        self.emit(SubmissionJudged(trial_id=self.recorder.trial_id, step=self.recorder.step, judged=judged))
        if judgement.accepted:
            self._deliver(self.answer_of(judgement.answer, judgement.outcome, judgement.refs))
        return judgement

    @property
    def case(self) -> Case:
        """What the next submission answers, as the gates are told."""
        return Case(self.instruction, self.rules, self.recorder.surface.rules_document, self.internal_errors)

    def judge(self, submission: Submission) -> Judgement:
        """Return the gates' judgement of `submission` without delivering anything."""
        evidence, settings = self.recorder.evidence_log.view(), self.settings
        judgement = judge(submission, evidence, self.case, switched_on=settings.switched_on, packs=settings.packs)
        if judgement.outcome == "OUTCOME_ERR_INTERNAL":
            self.internal_errors += 1
        return judgement

    def hand_in(self, answer: AnswerSent) -> None:
        """Hand an answer in as it stands, past the gates. Raises `CallError` where it is not taken."""
        self.emit(answer)
        failure: CallError | None = None
        try:
            self.recorder.environment.answer(answer.message, answer.outcome, answer.refs)
        except CallError as error:
            failure = error
        failed = CallFailure(code=failure.code, message=failure.message) if failure else None
        self.emit(AnswerDone(trial_id=answer.trial_id, step=answer.step, error=failed, late=answer.late))
        if failure is not None and failure.code != error_codes.ALREADY_EXISTS:
            raise failure
        self.answered = True

    def answer_of(
        self, message: str, outcome: str, refs: tuple[str, ...] = (), *, fallback: bool = False
    ) -> AnswerSent:
        """Return an answer of the current step, not yet handed in."""
        return AnswerSent(
            trial_id=self.recorder.trial_id,
            step=self.recorder.step,
            message=message,
            outcome=outcome,
            refs=refs,
            fallback=fallback,
        )

    def _deliver(self, answer: AnswerSent) -> None:
        self.accepted = answer
        if self.recorded is None:
            self.hand_in(answer)
            return
        failure = self.recorded.popleft() if self.recorded else None
        if failure is not None and failure.code != error_codes.ALREADY_EXISTS:
            raise CallError(failure.code, failure.message)
        self.answered = True
