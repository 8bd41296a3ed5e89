"""The gated exit: the one way an answer leaves a trial. It needs no sandbox, so every solver answers through it."""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.events.call_records import CallFailure, Judged
from agent.events.trial_events import AnswerDone, AnswerSent, SubmissionJudged
from agent.evidence.recorder import Recorder
from agent.submission.aided_judge import SubmissionJudge
from agent.submission.exit_reads import ExitReads, KeptReads
from gates import ALL_GATES, Case, Judgement, Submission, conclude
from gates.types import Evidence
from sandbox.interface import CallError, error_codes, guarded


@dataclass(frozen=True, slots=True)
class GateSettings:
    """Which gates reject, and which rule packs stand beside them."""

    switched_on: frozenset[int] = ALL_GATES
    packs: tuple[str, ...] = ()
    """Their names."""

    def judge(
        self, judging: SubmissionJudge, submission: Submission, evidence: Evidence, case: Case, reads: ExitReads
    ) -> Judgement:
        """Return the judgement of every gate and rule."""
        found = judging.find_faults(submission, evidence, case, self.packs, reads)
        return conclude(submission, found, self.switched_on)


@dataclass(slots=True)
class GatedExit:
    """Judges the submissions of one trial and delivers the accepted one to its environment, once."""

    recorder: Recorder
    instruction: str
    settings: GateSettings = field(default_factory=GateSettings)
    rules: str = ""
    """The workspace's rules; the session fills them in."""
    delivers: bool = True
    """False if an accepted answer stays here: in a replay, or if an earlier attempt has sent one."""
    is_closed: bool = False
    """An answer has left through it; nothing more is submitted."""
    is_answered: bool = False
    """The environment took an answer."""
    accepted: AnswerSent | None = None
    """The last answer that the gates accepted, whether or not the environment took it."""
    internal_errors: int = 0
    """Submissions of `OUTCOME_ERR_INTERNAL` so far."""
    _kept: KeptReads = field(default_factory=KeptReads)
    _judging: SubmissionJudge = field(init=False)

    def __post_init__(self) -> None:
        self._judging = SubmissionJudge(self.recorder.aide, self.recorder.evidence_log)

    def submit(self, submission: Submission) -> Judged:
        """Judge `submission` and deliver it if it is accepted. What the record holds is answered from it.

        Raises `CallError` if the environment does not take it, or if an answer was accepted before.
        """
        if self.is_closed:
            msg = "the answer was accepted before; the trial is over"
            raise CallError(error_codes.ALREADY_EXISTS, msg)
        trace = self.recorder.trace
        number = len(trace.submissions)
        judged = self._judge(submission)
        if number < len(trace.record.submissions):
            self.recorder.take_calls_of_verify()
            recorded = trace.record.submissions[number]
            if not _agree(recorded, judged):
                trace.differs("verdicts", recorded, judged)
            judged = recorded
        else:
            event = SubmissionJudged(trial_id=self.recorder.trial_id, step=trace.number, number=number, judged=judged)
            self.recorder.emit(event)
        trace.submissions.append(judged)
        self.note(judged)
        if judged.accepted:
            self._deliver(judged)
        return judged

    def note(self, judged: Judged) -> None:
        """Take a submission into account that was judged before."""
        if judged.outcome == "OUTCOME_ERR_INTERNAL":
            self.internal_errors += 1

    def _judge(self, submission: Submission) -> Judged:
        recorder = self.recorder
        case = Case(self.instruction, self.rules, recorder.surface.rules_document, self.internal_errors)
        after_calls = len(recorder.trace.calls)
        reads = ExitReads(recorder, self._kept)
        judgement = self.settings.judge(self._judging, submission, recorder.evidence_log.view(), case, reads)
        return Judged.of(judgement, submission, after_calls=after_calls)

    def _deliver(self, judged: Judged) -> None:
        answer = self.accepted = self.answer_of(judged.answer, judged.outcome, judged.refs)
        trace = self.recorder.trace
        number = sum(each.accepted for each in trace.submissions) - 1
        if number < len(trace.record.answers):
            failure = trace.record.answers[number]
            if failure is not None and failure.code != error_codes.ALREADY_EXISTS:
                raise CallError(failure.code, failure.message)
        elif self.delivers:
            self.hand_in(answer)
        self.is_closed = True

    def hand_in(self, answer: AnswerSent) -> None:
        """Send an answer as it stands, past the gates. Raises `CallError` if it is not taken."""
        self.recorder.emit(answer)
        failure: CallError | None = None
        try:
            take = self.recorder.environment.answer
            guarded("answer", lambda: take(answer.message, answer.outcome, answer.refs))
        except CallError as error:
            failure = error
        failed = CallFailure(code=str(failure.code), message=str(failure.message)) if failure else None
        self.recorder.emit(AnswerDone(trial_id=answer.trial_id, step=answer.step, error=failed, late=answer.late))
        if failure is not None and failure.code != error_codes.ALREADY_EXISTS:
            raise failure
        self.is_closed = self.is_answered = True

    def answer_of(
        self, message: str, outcome: str, refs: tuple[str, ...] = (), *, fallback: bool = False
    ) -> AnswerSent:
        """Return an answer of the current step, not sent yet."""
        return AnswerSent(
            trial_id=self.recorder.trial_id,
            step=self.recorder.trace.number,
            message=message,
            outcome=outcome,
            refs=refs,
            fallback=fallback,
        )


def _agree(recorded: Judged, now: Judged) -> bool:
    """Say whether two judgements are the same. Older journals hold no hints."""
    if recorded.hints is None:
        now = now.model_copy(update={"hints": None, "handed_in": None})
    return recorded == now
