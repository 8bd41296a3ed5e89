"""The one way an answer leaves a trial: through the gates, which judge it on the trial's own thread.

If the user names a model as a second reader, it reads the first answer that the gates accept: see
`second_reader.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from controlplane.agent.events import (
    AnswerDone,
    AnswerSent,
    CallFailure,
    Judged,
    SubmissionJudged,
)
from controlplane.agent.evidence.provenance_policy import ProvenancePolicy
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.tape import TapedModels
from controlplane.agent.second_reader import AskReader, review_of
from controlplane.agent.trial_limits import SubmissionLimit
from controlplane.gates.evidence import Evidence
from controlplane.gates.rule_set_loading import (
    DECLARING_MODULE,
    is_product_rule_set,
    load_rule_set,
    module_of_rule_set,
)
from controlplane.gates.rules import INSISTING, conclude, find_objections
from controlplane.gates.submission import (
    INTERNAL,
    OUTCOMES,
    REVIEW,
    RULE_FAILED,
    RULE_SET_GATE,
    Case,
    GatePolicy,
    Judgement,
    Submission,
    Verdict,
)
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import CallError, ToolSchema, bounds, error_codes


def judging_modules(rule_sets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the modules that a worker must have imported to judge with these rule sets; none if all are the product's."""
    if all(is_product_rule_set(name) for name in rule_sets):
        return ()
    return (
        "controlplane.gates.worker_judging",
        DECLARING_MODULE,
        *(module_of_rule_set(name) for name in rule_sets),
    )


def find_objections_in(
    worker: Worker | None,
    submission: Submission,
    evidence: Evidence,
    case: Case,
    rule_sets: tuple[str, ...],
) -> tuple[Verdict, ...]:
    """Return the verdicts of all gates and rules but gate 7.

    Gates and the product's rule sets take linear time, and judge here; a submission larger than any honest one is
    rejected. With rule sets of the user's own, all judge in the trial's worker, if there is one; a rule that does not
    end in time there, or ends the process, counts as failed, which is no fault of the answer.
    """
    longest = max(map(len, submission.citations), default=0)
    fault = ""
    if len(submission.citations) > 1_000:
        fault = f"The submission cites {len(submission.citations)} paths; at most 1000 are judged."
    elif longest > bounds.MOST_PATH_CHARS:
        fault = f"The submission cites a path of {longest} characters; at most {bounds.MOST_PATH_CHARS} are judged."
    if fault:
        return (Verdict(RULE_SET_GATE, "judging", "reject", fault),)
    own = [name for name in rule_sets if not is_product_rule_set(name)] if worker else []
    failed: list[Verdict] = []
    if worker and own:
        from controlplane.gates.worker_judging import (
            objections_of_worker,
        )  # Few runs have rules of the user's own.

        try:
            return objections_of_worker(worker.call, submission, evidence, case, rule_sets)
        except (CallError, ValueError) as error:
            worker.close()  # The memory that it has left may be too little for the next call.
            reason = f"{RULE_FAILED}{error}"
        failed = [Verdict(RULE_SET_GATE, name, "not_applicable", reason, "ask") for name in own]
    judging = tuple(load_rule_set(name) for name in rule_sets if name not in own)
    return (*find_objections(submission, evidence, case, judging), *failed)


MOST_SUBMISSIONS_A_STEP: Final = 3
"""Submissions that one script may have judged: more would only try what passes."""


class NotJudged(Exception):
    """A submission beyond the limits of its step or its trial. The message says what to do."""


@dataclass(frozen=True, slots=True)
class GateSettings:
    """The enforcement of gates and rules, and the rule sets in use."""

    policy: GatePolicy = field(default_factory=GatePolicy)
    rule_sets: tuple[str, ...] = ()
    """The names of the rule sets."""
    provenance: ProvenancePolicy = field(default_factory=ProvenancePolicy)
    """What happens to changing calls with values from running text alone."""
    asked: tuple[str, ...] = ()
    """What the user says in every trial, such as hints, beside the instruction."""
    has_reader: bool = False
    """True if a second reader is asked about what everything else lets out."""

    def without_citations(self) -> GateSettings:
        """Return the settings for environments without documents: the gates of citations are off, and so is that of
        `verify`, which an answer that may be empty need not have."""
        return replace(
            self, policy=GatePolicy({**self.policy.overrides, **dict.fromkeys("345", "off")})
        )

    def has_pre_call_check(self, tool_schema: ToolSchema) -> bool:
        """Say whether the environment's pre-call check judges calls: its rule set is in use, and its rule is not
        off."""
        rule_set = tool_schema.pre_call_check.partition("/")[0]
        verdict = Verdict(RULE_SET_GATE, tool_schema.pre_call_check, "pass", enforcement="ask")
        return (
            bool(rule_set)
            and rule_set in self.rule_sets
            and self.policy.enforcement(verdict) != "off"
        )

    def judge(
        self,
        worker: Worker | None,
        submission: Submission,
        evidence: Evidence,
        case: Case,
        put: Mapping[str, Sequence[str]],
    ) -> Judgement:
        """Return the judgement of every gate and rule; `put` is as `controlplane.gates.rules.conclude` takes it."""
        verdicts = find_objections_in(worker, submission, evidence, case, self.rule_sets)
        return conclude(submission, verdicts, self.policy, put)

    def reviewed(self, judgement: Judgement, review: Verdict) -> Judgement:
        """Return a judgement of an accepted submission with the second reader's verdict."""
        if review.result != "reject" or self.policy.enforcement(review) == "off":
            return replace(judgement, verdicts=(*judgement.verdicts, review))
        message = f"[{review.name}; objection 1 of 1] {review.reason}\n{INSISTING}"
        return replace(
            judgement, accepted=False, message=message, verdicts=(*judgement.verdicts, review)
        )


@dataclass(slots=True)
class GatedExit:
    """Judges the submissions of one trial and delivers the accepted one to its environment, once."""

    recorder: Recorder
    instruction: str
    settings: GateSettings = field(default_factory=GateSettings)
    now: str = ""
    """The trial's clock, in ISO 8601."""
    rules: str = ""
    """The workspace's rules; the session fills them in."""
    is_closed: bool = field(init=False)
    """True once an answer was sent; nothing more is submitted."""
    is_answered: bool = False
    """True if the environment took an answer in this attempt."""
    accepted: AnswerSent | None = field(init=False)
    """The last answer that the gates accepted, whether or not the environment took it; at the start
    of a resumed trial, the answer that an earlier attempt sent."""
    last: Judged | None = None
    """The last submission with a known outcome and sendable text."""
    limit: SubmissionLimit = field(default_factory=SubmissionLimit)
    """Counts the submissions of the steps before; the session counts each whole step in it."""
    internal_errors: int = 0
    """Number of submissions of `OUTCOME_ERR_INTERNAL` so far."""
    is_reviewed: bool = False
    """True once the second reader was asked."""
    ask_reader: AskReader | None = None
    """Asks the second reader; None without one."""
    models: TapedModels = field(init=False)
    """Replies of the second reader, recorded or asked for."""
    _objected: dict[str, dict[int, str]] = field(default_factory=dict)
    """What each asking rule objected to, by its key and by step."""

    def __post_init__(self) -> None:
        tape = self.recorder.tape
        self.models = TapedModels(tape)
        self.accepted = tape.sent_answer
        self.is_closed = tape.is_solved

    def submit(self, submission: Submission) -> Judged:
        """Judge `submission` and deliver it if it is accepted.

        Raises `CallError` if the environment does not take it, or if an answer was accepted before, and `NotJudged`
        beyond the limits of a step and a trial.
        """
        if self.is_closed:
            msg = "the answer was accepted before; the trial is over"
            raise CallError(error_codes.ALREADY_EXISTS, msg)
        trace = self.recorder.trace
        number = len(trace.submissions)
        refusal = self.limit.refusal(trace)
        if refusal:
            raise NotJudged(refusal)
        if number >= MOST_SUBMISSIONS_A_STEP:
            msg = (
                f"{MOST_SUBMISSIONS_A_STEP} submissions of this script were sent back: end the script, "
                "read what it says, and answer in the next one."
            )
            raise NotJudged(msg)
        event = SubmissionJudged(
            trial_id=self.recorder.trial_id,
            step=trace.number,
            number=number,
            judged=self._judge(submission, number),
        )
        judged = self.recorder.journal.submission(event).judged
        self.recorder.take_calls_of_verify()
        self.take_submission(judged)
        if judged.accepted:
            self._deliver(judged)
        return judged

    def take_submission(self, judged: Judged) -> None:
        """Take a judged submission of the current step into account."""
        trace = self.recorder.trace
        trace.submissions.append(judged)
        if judged.outcome == INTERNAL:
            self.internal_errors += 1
        for verdict in judged.verdicts:
            if verdict.key == REVIEW:
                self.is_reviewed = True
            if verdict.result == "reject" and verdict.enforcement == "ask":
                self._objected.setdefault(verdict.key, {})[trace.number] = verdict.reason
        if judged.outcome in OUTCOMES and judged.outcome != INTERNAL and judged.answer.strip():
            self.last = judged
        if judged.accepted:
            self.accepted = self._answer(
                message=judged.answer, outcome=judged.outcome, refs=judged.refs
            )

    def _judge(self, submission: Submission, number: int) -> Judged:
        """Judge the submission of this number in the current step."""
        recorder = self.recorder
        rules_path = recorder.tool_schema.rules_document
        is_uncited = recorder.tool_schema.citations == "none"
        case = Case(
            self.instruction, self.rules, rules_path, self.internal_errors, self.now, is_uncited
        )
        after_calls, step = len(recorder.trace.calls), recorder.trace.number
        put = {
            key: [said for at, said in steps.items() if at != step]
            for key, steps in self._objected.items()
        }
        settings = self.settings.without_citations() if is_uncited else self.settings
        evidence = recorder.evidence_log.view()
        judgement = settings.judge(recorder.worker, submission, evidence, case, put)
        if judgement.accepted:

            def ask() -> Verdict | None:
                return self._review(submission, evidence, case)

            review = self.models.review(step, number, ask)
            if review is not None:
                judgement = settings.reviewed(judgement, review)
        return Judged.of(judgement, submission, after_calls=after_calls)

    def _review(self, submission: Submission, evidence: Evidence, case: Case) -> Verdict | None:
        """Return the verdict of the second reader, who is asked once a trial; None without one."""
        ask = self.ask_reader
        if ask is None or not self.settings.has_reader or self.is_reviewed:
            return None
        return review_of(ask, submission, evidence, case)

    def _deliver(self, judged: Judged) -> None:
        self.send_answer(
            self._answer(message=judged.answer, outcome=judged.outcome, refs=judged.refs)
        )

    def send_answer(self, answer: AnswerSent) -> None:
        """Send an answer unchanged, past the gates. Raises `CallError` if the environment does not take it."""
        recorder = self.recorder
        position = len(recorder.trace.answers)
        recorder.journal.answer(answer, position)
        failure: CallError | None = None
        is_sent_now = True
        try:
            is_sent_now = recorder.calls_made.answer(answer, position)
        except CallError as error:
            failure = error
        recorded_failure = None
        if failure is not None:
            recorded_failure = CallFailure(code=str(failure.code), message=str(failure.message))
        answered = AnswerDone(
            trial_id=answer.trial_id,
            step=answer.step,
            error=recorded_failure,
            late=answer.late,
        )
        recorder.journal.answer(answered, position)
        self.take_answer(answered)
        self.is_answered = self.is_closed and is_sent_now
        if failure is not None and failure.code != error_codes.ALREADY_EXISTS:
            raise failure  # which also says whether its host broke

    def take_answer(self, answered: AnswerDone) -> None:
        """Take into account whether the environment took an answer."""
        if not answered.late:
            self.recorder.trace.answers.append(answered)
        if answered.error is None or answered.error.code == error_codes.ALREADY_EXISTS:
            self.is_closed = True

    def end_without_answer(self) -> None:
        """Close the exit because the environment has ended the trial; what is submitted then is an empty answer."""
        self.accepted = self._answer(
            message="", outcome=OUTCOMES[0], refs=(), ended_by_environment=True
        )
        self.is_closed = True

    def _answer(self, **fields: Any) -> AnswerSent:
        """Return an answer of the current step that is not sent yet."""
        return AnswerSent(
            trial_id=self.recorder.trial_id, step=self.recorder.trace.number, **fields
        )

    def fallback(self, reason: str, *, repeats_last: bool = True) -> AnswerSent:
        """Return the fallback of a trial without an accepted answer, not sent yet.

        With `repeats_last` it is the trial's last submission, without citations that were never accessed; if there is
        none, the outcome is `OUTCOME_ERR_INTERNAL`.
        """
        if self.last is None or not repeats_last:
            message = f"No answer was reached: {reason}."
            return self._answer(message=message, outcome=INTERNAL, refs=(), fallback=True)
        evidence = self.recorder.evidence_log.view()
        refs = tuple(path for path in self.last.refs if evidence.find(path).access is not None)
        failed = tuple(verdict.key for verdict in self.last.rejections)
        message, outcome = self.last.answer, self.last.outcome
        return self._answer(
            message=message, outcome=outcome, refs=refs, fallback=True, failed=failed
        )
