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
    Enforcement,
    GatePolicy,
    Judgement,
    Submission,
    Verdict,
)
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import CallError, ToolSchema, bounds, error_codes

# Judging with gates and rules ---------------------------------------------------------------


def judging_modules(rule_sets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the modules that a worker must have imported to judge with these rule sets; none if all are the product's."""
    if all(is_product_rule_set(name) for name in rule_sets):
        return ()
    return (
        "controlplane.gates.worker_judging",
        DECLARING_MODULE,
        *(module_of_rule_set(name) for name in rule_sets),
    )


MAX_CITATIONS: Final = 1_000
"""A submission with more paths is rejected unread. Honest ones cite a few dozen at most."""


def find_objections_in(
    worker: Worker | None,
    submission: Submission,
    evidence: Evidence,
    case: Case,
    rule_sets: tuple[str, ...],
) -> tuple[Verdict, ...]:
    """Return the verdicts of all gates and rules, but for gate 7, the script's own `verify`.

    Gates and the product's rule sets take linear time, so they judge in this process. If there are rule sets of the
    user's own, all judge in the trial's worker, a process that can be stopped. If that fails, the user's rule sets do
    not apply, and the others judge here.
    """
    oversize = _oversize_of(submission)
    if oversize:
        return (Verdict(RULE_SET_GATE, "judging", "reject", oversize),)

    user_rule_sets = [name for name in rule_sets if not is_product_rule_set(name)]
    if worker is None or not user_rule_sets:
        return _judge_here(submission, evidence, case, rule_sets)

    # Few runs have rules of the user's own, so this is imported only when it is needed.
    from controlplane.gates.worker_judging import objections_of_worker

    try:
        return objections_of_worker(worker.call, submission, evidence, case, rule_sets)
    except (CallError, ValueError) as error:
        # A rule took too long, or ended the process. That is no fault of the answer.
        worker.close()  # The memory that it has left may be too little for the next call.
        reason = f"{RULE_FAILED}{error}"
    failed = [
        Verdict(RULE_SET_GATE, name, "not_applicable", reason, "ask") for name in user_rule_sets
    ]
    product_rule_sets = tuple(name for name in rule_sets if is_product_rule_set(name))
    return (*_judge_here(submission, evidence, case, product_rule_sets), *failed)


def _oversize_of(submission: Submission) -> str:
    """Return how a submission is too large to be judged; empty if it is not."""
    count = len(submission.citations)
    if count > MAX_CITATIONS:
        return f"The submission cites {count} paths; at most {MAX_CITATIONS} are judged."
    longest = max((len(path) for path in submission.citations), default=0)
    if longest > bounds.MOST_PATH_CHARS:
        return (
            f"The submission cites a path of {longest} characters; "
            f"at most {bounds.MOST_PATH_CHARS} are judged."
        )
    return ""


def _judge_here(
    submission: Submission, evidence: Evidence, case: Case, rule_sets: tuple[str, ...]
) -> tuple[Verdict, ...]:
    """Return the verdicts of all gates and of these rule sets, found in this process."""
    loaded = tuple(load_rule_set(name) for name in rule_sets)
    return find_objections(submission, evidence, case, loaded)


CITATION_GATES: Final = ("3", "4", "5")
"""The gates that judge citations: their paths, whether these were read, and the reasons for them."""


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
    """True if a second reader is asked about the first answer that all gates and rules accept."""

    def without_citations(self) -> GateSettings:
        """Return the settings for environments without documents: the gates of citations are off."""
        overrides: dict[str, Enforcement] = dict(self.policy.overrides)
        for gate in CITATION_GATES:
            overrides[gate] = "off"
        return replace(self, policy=GatePolicy(overrides))

    def has_pre_call_check(self, tool_schema: ToolSchema) -> bool:
        """Say whether the environment's pre-call check judges calls: its rule set is in use, and its rule is not
        off."""
        rule = tool_schema.pre_call_check  # such as `ecom/before`: a rule set, and a rule of it
        rule_set = rule.partition("/")[0]
        if not rule_set or rule_set not in self.rule_sets:
            return False
        # The policy tells how a verdict is enforced, so it is asked about one of this rule.
        verdict = Verdict(RULE_SET_GATE, rule, "pass", enforcement="ask")
        return self.policy.enforcement(verdict) != "off"

    def judge(
        self,
        worker: Worker | None,
        submission: Submission,
        evidence: Evidence,
        case: Case,
        earlier_objections: Mapping[str, Sequence[str]],
    ) -> Judgement:
        """Return the judgement of every gate and rule.

        `earlier_objections` are the reasons of asking rules in earlier steps, by the key of the rule. A rule that has
        raised its objection often enough lets the answer out.
        """
        verdicts = find_objections_in(worker, submission, evidence, case, self.rule_sets)
        return conclude(submission, verdicts, self.policy, earlier_objections)

    def reviewed(self, judgement: Judgement, review: Verdict) -> Judgement:
        """Return a judgement of an accepted submission with the second reader's verdict."""
        verdicts = (*judgement.verdicts, review)
        if review.result != "reject" or self.policy.enforcement(review) == "off":
            return replace(judgement, verdicts=verdicts)
        message = f"[{review.name}; objection 1 of 1] {review.reason}\n{INSISTING}"
        return replace(judgement, accepted=False, message=message, verdicts=verdicts)


# The exit of one trial -----------------------------------------------------------------------

MOST_SUBMISSIONS_A_STEP: Final = 3
"""Submissions that one script may have judged: more would only try what passes."""


class NotJudged(Exception):
    """A submission beyond the limits of its step or its trial. The message says what to do."""


@dataclass(slots=True)
class GatedExit:
    """Judges the submissions of one trial and delivers the accepted one to its environment, once.

    `submit` judges and delivers. If no submission is accepted, the trial sends a `fallback` at its end. What happened
    in recorded steps is taken into account by `take_submission` and `take_answer`, which `submit` uses, too.
    """

    recorder: Recorder
    instruction: str
    settings: GateSettings = field(default_factory=GateSettings)
    now: str = ""
    """The trial's clock, in ISO 8601."""
    rules: str = ""
    """The workspace's rules; the session fills them in."""
    ask_reader: AskReader | None = None
    """Asks the second reader; None without one."""
    models: TapedModels = field(init=False)
    """Replies of the second reader, recorded or asked for."""

    # What was submitted so far.
    limit: SubmissionLimit = field(default_factory=SubmissionLimit)
    """Counts the submissions of the steps before; the session counts each whole step in it."""
    internal_errors: int = 0
    """Number of submissions of `OUTCOME_ERR_INTERNAL`."""
    last_sendable: Judged | None = None
    """The last submission that a fallback may repeat: with a text, and with an outcome of the known ones but
    `OUTCOME_ERR_INTERNAL`."""
    is_reviewed: bool = False
    """True once the second reader was asked."""
    _objections: dict[str, dict[int, str]] = field(default_factory=dict)
    """The reasons of asking rules for their objections, by the key of the rule and by step:
    `{"ecom/counted": {3: "The answer says 4, ..."}}`."""

    # What was sent so far.
    accepted: AnswerSent | None = field(init=False)
    """The last answer that the gates accepted, whether or not the environment took it; at the start of a resumed
    trial, the answer that an earlier attempt sent."""
    is_closed: bool = field(init=False)
    """True once the environment has an answer, from this attempt or an earlier one, or has ended the trial by itself;
    nothing more is submitted then."""
    is_answered: bool = False
    """True if the environment took the answer in this attempt, not in an earlier one."""

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
            self.send_answer(self._accepted_answer(judged))
        return judged

    def take_submission(self, judged: Judged) -> None:
        """Take a judged submission of the current step into account, just judged or recorded."""
        trace = self.recorder.trace
        trace.submissions.append(judged)
        if judged.outcome == INTERNAL:
            self.internal_errors += 1
        for verdict in judged.verdicts:
            if verdict.key == REVIEW:
                self.is_reviewed = True
            if verdict.result == "reject" and verdict.enforcement == "ask":
                reasons_by_step = self._objections.setdefault(verdict.key, {})
                reasons_by_step[trace.number] = verdict.reason

        has_known_outcome = judged.outcome in OUTCOMES and judged.outcome != INTERNAL
        if has_known_outcome and judged.answer.strip():
            self.last_sendable = judged
        if judged.accepted:
            self.accepted = self._accepted_answer(judged)

    def _judge(self, submission: Submission, number: int) -> Judged:
        """Judge the submission of this number in the current step, by gates and rules, then by the second reader."""
        recorder = self.recorder
        step = recorder.trace.number
        after_calls = len(recorder.trace.calls)
        is_uncited = recorder.tool_schema.citations == "none"
        settings = self.settings.without_citations() if is_uncited else self.settings
        case = Case(
            instruction=self.instruction,
            rules=self.rules,
            rules_path=recorder.tool_schema.rules_document,
            internal_errors_before=self.internal_errors,
            now=self.now,
            is_uncited=is_uncited,
        )
        evidence = recorder.evidence_log.view()
        judgement = settings.judge(
            recorder.worker, submission, evidence, case, self._objections_before(step)
        )
        if judgement.accepted:

            def ask() -> Verdict | None:
                return self._review(submission, evidence, case)

            review = self.models.review(step, number, ask)
            if review is not None:
                judgement = settings.reviewed(judgement, review)
        return Judged.of(judgement, submission, after_calls=after_calls)

    def _objections_before(self, step: int) -> dict[str, list[str]]:
        """Return the reasons of asking rules in earlier steps, by the key of the rule.

        Those of the same step do not count: the model has not read them yet.
        """
        objections: dict[str, list[str]] = {}
        for key, reasons_by_step in self._objections.items():
            objections[key] = [
                reason for reason_step, reason in reasons_by_step.items() if reason_step != step
            ]
        return objections

    def _review(self, submission: Submission, evidence: Evidence, case: Case) -> Verdict | None:
        """Return the verdict of the second reader, who is asked once a trial; None without one."""
        ask = self.ask_reader
        if ask is None or not self.settings.has_reader or self.is_reviewed:
            return None
        return review_of(ask, submission, evidence, case)

    def send_answer(self, answer: AnswerSent) -> None:
        """Send an answer unchanged, past the gates. Raises `CallError` if the environment does not take it."""
        recorder = self.recorder
        position = len(recorder.trace.answers)
        recorder.journal.answer(answer, position)
        failure: CallError | None = None
        is_sent_now = True  # False if the answer and its end are recorded.
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
        """Take into account whether the environment took an answer, just sent or recorded."""
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

    def fallback(self, reason: str, *, repeats_last: bool = True) -> AnswerSent:
        """Return the fallback of a trial without an accepted answer, not sent yet.

        With `repeats_last` it is the trial's last sendable submission, without citations that were never accessed; if
        there is none, the outcome is `OUTCOME_ERR_INTERNAL`.
        """
        last = self.last_sendable
        if last is None or not repeats_last:
            message = f"No answer was reached: {reason}."
            return self._answer(message=message, outcome=INTERNAL, refs=(), fallback=True)
        evidence = self.recorder.evidence_log.view()
        accessed_refs = tuple(path for path in last.refs if evidence.find(path).access is not None)
        return self._answer(
            message=last.answer,
            outcome=last.outcome,
            refs=accessed_refs,
            fallback=True,
            failed=tuple(verdict.key for verdict in last.rejections),
        )

    def _accepted_answer(self, judged: Judged) -> AnswerSent:
        """Return the answer of an accepted submission, as it is sent."""
        return self._answer(message=judged.answer, outcome=judged.outcome, refs=judged.refs)

    def _answer(self, **fields: Any) -> AnswerSent:
        """Return an answer of the current step with these fields of `AnswerSent`."""
        return AnswerSent(
            trial_id=self.recorder.trial_id, step=self.recorder.trace.number, **fields
        )
