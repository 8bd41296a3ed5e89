"""The gated exit: the one way an answer leaves a trial. It needs no sandbox, so every solver answers through it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from agent.events import AnswerDone, AnswerSent, CallFailure, Emit, Judged, SubmissionJudged
from agent.recorder import Recorder
from gates import ALL_GATES, Case, Judgement, Pack, Submission, judge
from sandbox.operations import CallError


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
    recorded_answer: bool = False
    """Answers are taken for delivered, because they were before."""

    def __call__(self, submission: Submission) -> Judgement:
        """Judge `submission`; deliver it where it is accepted. Raises `CallError` where delivery fails."""
        if self.answered:
            code = "already_exists"
            raise CallError(code, "the answer was accepted before; the trial is over")
        judgement = self.judge(submission)
        judged = Judged.of(judgement)
        self.judged.append(judged)
        self.emit(SubmissionJudged(trial_id=self.recorder.trial_id, step=self.recorder.step, judged=judged))
        if judgement.accepted:
            self._deliver(judgement.answer, judgement.outcome, judgement.refs)
        return judgement

    def judge(self, submission: Submission) -> Judgement:
        """Return the gates' judgement of `submission` without delivering anything."""
        case = Case(
            instruction=self.instruction,
            rules=self.rules,
            rules_path=self.recorder.surface.rules_document,
            internal_errors_before=self.internal_errors,
        )
        judgement = judge(
            submission,
            self.recorder.ledger.view(),
            case,
            switched_on=self.settings.switched_on,
            packs=self.settings.packs,
        )
        if judgement.outcome == "OUTCOME_ERR_INTERNAL":
            self.internal_errors += 1
        return judgement

    def last_word(self, reason: str) -> bool:
        """Answer `OUTCOME_ERR_INTERNAL` past the gates where no answer was found; return whether it was taken."""
        if self.answered:
            return True
        try:
            self._deliver(f"No answer was reached: {reason}.", "OUTCOME_ERR_INTERNAL", (), fallback=True)
        except CallError:
            return False
        return True

    def _deliver(self, message: str, outcome: str, refs: tuple[str, ...], *, fallback: bool = False) -> None:
        trial_id, step = self.recorder.trial_id, self.recorder.step
        if self.recorded_answer:
            self.answered = True
            return
        self.emit(
            AnswerSent(trial_id=trial_id, step=step, message=message, outcome=outcome, refs=refs, fallback=fallback)
        )
        failure: CallError | None = None
        try:
            self.recorder.environment.answer(message, outcome, refs)
        except CallError as error:
            failure = error
        failed = CallFailure(code=failure.code, message=failure.message) if failure else None
        self.emit(AnswerDone(trial_id=trial_id, step=step, error=failed))
        if failure is None or failure.code == "already_exists":
            self.answered = True
            return
        raise failure
