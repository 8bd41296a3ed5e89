"""Judges the submissions of a trial, and sends the accepted answer.

The eight gates judge every submission, for example whether the cited files were read.
Rule sets add rules for a kind of environment; some come with the product, and users can
add their own. A second reader, which is a model, may also read the first answer that
all of these accept (see `second_reader.py`). `GatedExit` is the only way for an answer
to leave a trial.
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
from controlplane.gates.rules import HOW_TO_INSIST, conclude, find_objections
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

# Judging with gates and rules
# ---------------------------------------------------------------


def judging_modules(rule_sets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the modules that the worker (a process of the trial) imports to judge with
    these rule sets.

    There are none if all rule sets are the product's own, because those judge in the
    main process.
    """
    if all(is_product_rule_set(name) for name in rule_sets):
        return ()
    return (
        "controlplane.gates.worker_judging",
        DECLARING_MODULE,  # It has the addresses of the product's own rule sets.
        *(module_of_rule_set(name) for name in rule_sets),
    )


MAX_CITATIONS: Final = 1_000
"""A submission with more paths is rejected without being judged. Honest ones cite a few
dozen at most."""


def find_objections_in(
    worker: Worker | None,
    submission: Submission,
    evidence: Evidence,
    case: Case,
    rule_sets: tuple[str, ...],
) -> tuple[Verdict, ...]:
    """Return the verdicts of all gates and rules. Gate 7, the script's own `verify`, is
    not among them.

    Gates and the product's rule sets are fast, so they judge in this process. With rule
    sets of the user, everything is judged in the trial's worker, a process that can be
    stopped. If that fails, the user's rule sets count as not applicable, and the others
    judge in this process.
    """
    # 1. Don't judge what is too large.
    reason = _reason_of_excess(submission)
    if reason:
        return (Verdict(RULE_SET_GATE, "judging", result="reject", reason=reason),)

    # 2. Judge in this process if possible.
    user_rule_sets = [name for name in rule_sets if not is_product_rule_set(name)]
    if worker is None or not user_rule_sets:
        return _judge_here(submission, evidence, case, rule_sets)

    # 3. Judge in the worker. Few runs need this, so it is imported only now.
    from controlplane.gates.worker_judging import objections_of_worker

    try:
        return objections_of_worker(worker.call, submission, evidence, case, rule_sets)
    except (CallError, ValueError) as error:
        # A rule took too long, or ended the process. The answer is not to blame.
        worker.close()  # A fresh worker has its full memory again for the next call.
        reason = f"{RULE_FAILED}{error}"

    # 4. If the worker failed, judge without the user's rule sets.
    product_rule_sets = tuple(name for name in rule_sets if is_product_rule_set(name))
    verdicts = list(_judge_here(submission, evidence, case, product_rule_sets))
    for name in user_rule_sets:
        verdicts.append(
            Verdict(
                RULE_SET_GATE,
                name,
                result="not_applicable",
                reason=reason,
                enforcement="ask",
            )
        )
    return tuple(verdicts)


def _reason_of_excess(submission: Submission) -> str:
    """Return the reason why a submission is too large to be judged; empty if it is
    not."""
    count = len(submission.citations)
    if count > MAX_CITATIONS:
        return (
            f"The submission cites {count} paths; at most {MAX_CITATIONS} are judged."
        )
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
    """Return the verdicts of all gates and of these rule sets, judged in this
    process."""
    loaded = tuple(load_rule_set(name) for name in rule_sets)
    return find_objections(submission, evidence, case, loaded)


CITATION_GATES: Final = ("3", "4", "5")
"""The gates that judge citations: the paths, whether the files were read, and the
reasons."""


@dataclass(frozen=True, slots=True)
class GateSettings:
    """The enforcement of gates and rules, and the rule sets in use."""

    policy: GatePolicy = field(default_factory=GatePolicy)
    """How gates and rules are enforced where the user changed it, such as `off` for
    gate 6."""
    rule_sets: tuple[str, ...] = ()
    """The names of the rule sets."""
    provenance: ProvenancePolicy = field(default_factory=ProvenancePolicy)
    """How to treat calls that change something and take values from running text."""
    asked: tuple[str, ...] = ()
    """Further texts of the user, shown in every trial, such as hints."""
    has_reader: bool = False
    """True if a second reader reads the first answer that all gates and rules
    accept."""

    def without_citations(self) -> GateSettings:
        """Return the settings for environments without documents, where the citation
        gates are off."""
        overrides: dict[str, Enforcement] = dict(self.policy.overrides)
        for gate in CITATION_GATES:
            overrides[gate] = "off"
        return replace(self, policy=GatePolicy(overrides))

    def has_pre_call_check(self, tool_schema: ToolSchema) -> bool:
        """Return True if the environment has a pre-call check whose rule is in use and
        not switched off."""
        # The check is named by a rule set and one of its rules, such as
        # `support/before`.
        rule = tool_schema.pre_call_check
        rule_set = rule.partition("/")[0]
        if not rule_set or rule_set not in self.rule_sets:
            return False
        # The policy gives the enforcement of a verdict, so ask it about one of this
        # rule.
        verdict = Verdict(RULE_SET_GATE, rule, result="pass", enforcement="ask")
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

        A rule with the enforcement `ask` sends an answer back to be thought over, but
        only a few times. So `earlier_objections` has the reasons that such rules gave
        in earlier steps, by the rule's key: `{"support/counted": ["The answer says 4,
        ..."]}`.
        """
        verdicts = find_objections_in(
            worker, submission, evidence, case, self.rule_sets
        )
        return conclude(submission, verdicts, self.policy, earlier_objections)

    def reviewed(self, judgement: Judgement, review: Verdict) -> Judgement:
        """Return an accepting judgement with the second reader's verdict. If the reader
        objects, the judgement becomes a rejection."""
        verdicts = (*judgement.verdicts, review)
        if review.result != "reject" or self.policy.enforcement(review) == "off":
            return replace(judgement, verdicts=verdicts)
        # The reader is asked once in a trial, so this is its only objection.
        message = f"[{review.name}; objection 1 of 1] {review.reason}\n{HOW_TO_INSIST}"
        return replace(judgement, accepted=False, message=message, verdicts=verdicts)


# The exit of one trial
# -----------------------------------------------------------------------

MOST_SUBMISSIONS_A_STEP: Final = 3
"""Max submissions of one script. A script with more would only try out what passes."""


class NotJudged(Exception):
    """Raised for a submission beyond the limits of its step or trial. The message says
    what to do."""


@dataclass(slots=True)
class GatedExit:
    """Judges the submissions of one trial, and sends the accepted one to its
    environment, once.

    `submit` judges a submission, and sends it if it is accepted. If none is accepted,
    the trial sends a `fallback` at its end. `take_submission` and `take_answer` update
    the state, for new steps and for those that a resumed trial takes from its record.
    """

    recorder: Recorder
    """Its `trace` is the current step, its `journal` writes events, and its `tape` has
    what earlier attempts recorded."""
    instruction: str
    settings: GateSettings = field(default_factory=GateSettings)
    now: str = ""
    """The trial's clock, in ISO 8601."""
    rules: str = ""
    """The text of the workspace's rules, which the session sets."""
    ask_reader: AskReader | None = None
    """Asks the second reader; None without one."""
    models: TapedModels = field(init=False)
    """Returns the second reader's verdict from the tape, or asks the reader."""

    # What was submitted so far.
    limit: SubmissionLimit = field(default_factory=SubmissionLimit)
    """Counts the submissions of completed steps, which the session adds."""
    internal_errors: int = 0
    """Number of submissions with the outcome `OUTCOME_ERR_INTERNAL`."""
    last_sendable: Judged | None = None
    """The last submission that a fallback may repeat.

    It has an answer text, and a known outcome other than `OUTCOME_ERR_INTERNAL`."""
    is_reviewed: bool = False
    """True once the second reader was asked."""
    _objections: dict[str, dict[int, str]] = field(default_factory=dict)
    """The objections of rules with the enforcement `ask`, by the key of the rule and by
    step: `{"support/counted": {3: "The answer says 4, ..."}}`."""

    # What was sent so far.
    accepted: AnswerSent | None = field(init=False)
    """The last answer that the gates accepted. The environment may have refused it.

    At the start of a resumed trial, it is the answer that an earlier attempt sent."""
    is_closed: bool = field(init=False)
    """True once nothing more can be submitted: the environment took an answer, even in
    an earlier attempt, or ended the trial by itself."""
    is_answered: bool = False
    """True once the environment took an answer in this attempt."""

    def __post_init__(self) -> None:
        tape = self.recorder.tape
        self.models = TapedModels(tape)
        self.accepted = tape.sent_answer
        self.is_closed = tape.is_solved

    def submit(self, submission: Submission) -> Judged:
        """Judge `submission`, and send it if it is accepted.

        If an earlier attempt recorded a judgement of it, that one counts. Raises
        `CallError` if the trial is over or the environment refuses the answer, and
        `NotJudged` if the step or the trial has no submission left.
        """
        # 1. Refuse what exceeds the limits.
        if self.is_closed:
            msg = "the answer was accepted before; the trial is over"
            raise CallError(error_codes.ALREADY_EXISTS, msg)
        current_step = self.recorder.trace
        number = len(current_step.submissions)
        refusal = self.limit.refusal(current_step)
        if refusal:
            raise NotJudged(refusal)
        if number >= MOST_SUBMISSIONS_A_STEP:
            msg = (
                f"{MOST_SUBMISSIONS_A_STEP} submissions of this script were sent back: end the script, "
                "read what it says, and answer in the next one."
            )
            raise NotJudged(msg)

        # 2. Judge, and record the judgement. The journal returns the recorded one, if it has one.
        event = SubmissionJudged(
            trial_id=self.recorder.trial_id,
            step=current_step.number,
            number=number,
            judged=self._judge(submission, number),
        )
        judged = self.recorder.journal.submission(event).judged
        # The script's own check, `verify`, may have made calls in an earlier attempt.
        self.recorder.restore_calls_of_verify()
        self.take_submission(judged)

        # 3. Send an accepted answer.
        if judged.accepted:
            self.send_answer(self._accepted_answer(judged))
        return judged

    def take_submission(self, judged: Judged) -> None:
        """Update the state with a judged submission of the current step, new or
        recorded."""
        current_step = self.recorder.trace
        current_step.submissions.append(judged)
        if judged.outcome == INTERNAL:
            self.internal_errors += 1
        for verdict in judged.verdicts:
            if verdict.key == REVIEW:
                self.is_reviewed = True
            if verdict.result == "reject" and verdict.enforcement == "ask":
                reasons_by_step = self._objections.setdefault(verdict.key, {})
                reasons_by_step[current_step.number] = verdict.reason

        has_known_outcome = judged.outcome in OUTCOMES and judged.outcome != INTERNAL
        if has_known_outcome and judged.answer.strip():
            self.last_sendable = judged
        if judged.accepted:
            self.accepted = self._accepted_answer(judged)

    def _judge(self, submission: Submission, number: int) -> Judged:
        """Judge a submission by gates and rules, then by the second reader. Return the
        result as it is recorded.

        `number` counts the submissions of the current step.
        """
        recorder = self.recorder
        step_number = recorder.trace.number
        after_calls = len(recorder.trace.calls)  # To be recorded with the judgement.
        is_uncited = (
            recorder.tool_schema.citations == "none"
        )  # There are no documents to cite.
        case = Case(
            instruction=self.instruction,
            rules=self.rules,
            rules_path=recorder.tool_schema.rules_document,
            internal_errors_before=self.internal_errors,
            now=self.now,
            is_uncited=is_uncited,
        )
        evidence = recorder.evidence_log.view()

        # 1. Ask the gates and rules.
        settings = self.settings.without_citations() if is_uncited else self.settings
        earlier_objections = self._objections_before(step_number)
        judgement = settings.judge(
            recorder.worker, submission, evidence, case, earlier_objections
        )

        # 2. Ask the second reader, unless its verdict is recorded.
        if judgement.accepted:

            def ask() -> Verdict | None:
                return self._review(submission, evidence, case)

            review = self.models.review(step_number, number, ask)
            if review is not None:
                judgement = settings.reviewed(judgement, review)
        return Judged.of(judgement, submission, after_calls=after_calls)

    def _objections_before(self, step_number: int) -> dict[str, list[str]]:
        """Return the objections of rules with the enforcement `ask` in earlier steps,
        by the rule's key.

        Those of this step do not count, because the model has not read them yet.
        """
        objections: dict[str, list[str]] = {}
        for key, reasons_by_step in self._objections.items():
            objections[key] = []
            for objection_step, reason in reasons_by_step.items():
                if objection_step != step_number:
                    objections[key].append(reason)
        return objections

    def _review(
        self, submission: Submission, evidence: Evidence, case: Case
    ) -> Verdict | None:
        """Return the second reader's verdict; None without a reader, or if it was asked
        before in the trial."""
        ask = self.ask_reader
        if ask is None or not self.settings.has_reader or self.is_reviewed:
            return None
        return review_of(ask, submission, evidence, case)

    def send_answer(self, answer: AnswerSent) -> None:
        """Send an answer without judging it. Raises `CallError` if the environment does
        not take it."""
        # 1. Record the answer before it is sent. If the trial breaks off in between, its next
        # attempt knows that the environment may have the answer.
        recorder = self.recorder
        position = len(recorder.trace.answers)
        recorder.journal.answer(answer, position)

        # 2. Send it, or take the result that an earlier attempt recorded.
        error: CallError | None = None
        is_sent_now = True  # False if the result is recorded.
        try:
            is_sent_now = recorder.calls_made.answer(answer, position)
        except CallError as call_error:
            error = call_error

        # 3. Record the result.
        failure: CallFailure | None = None
        if error is not None:
            failure = CallFailure(code=str(error.code), message=str(error.message))
        answered = AnswerDone(
            trial_id=answer.trial_id, step=answer.step, error=failure, late=answer.late
        )
        recorder.journal.answer(answered, position)
        self.take_answer(answered)
        self.is_answered = self.is_closed and is_sent_now

        # 4. Report a failure. "Already exists" is no failure: the environment took the answer before.
        # The caught error itself is raised: its type tells if the environment's host
        # broke.
        if error is not None and error.code != error_codes.ALREADY_EXISTS:
            raise error

    def take_answer(self, answered: AnswerDone) -> None:
        """Update the state with the environment's result of an answer, new or
        recorded."""
        # A late answer is sent after its script, so it is not in the step.
        if not answered.late:
            self.recorder.trace.answers.append(answered)
        if answered.error is None or answered.error.code == error_codes.ALREADY_EXISTS:
            self.is_closed = True

    def end_without_answer(self) -> None:
        """Close the exit with an empty answer, because the environment has ended the
        trial."""
        # The first outcome is `OUTCOME_OK`.
        self.accepted = self._answer(
            message="", outcome=OUTCOMES[0], refs=(), ended_by_environment=True
        )
        self.is_closed = True

    def fallback(self, reason: str, *, repeats_last: bool = True) -> AnswerSent:
        """Return the answer to send for a trial whose submissions were all rejected.
        Sends nothing.

        It is the last submission that may be sent, without citations of files that were
        never accessed. If there is none, or `repeats_last` is False, the outcome is
        `OUTCOME_ERR_INTERNAL`.
        """
        last = self.last_sendable
        if last is None or not repeats_last:
            message = f"No answer was reached: {reason}."
            return self._answer(
                message=message, outcome=INTERNAL, refs=(), fallback=True
            )
        evidence = self.recorder.evidence_log.view()
        accessed_refs = tuple(
            path for path in last.refs if evidence.find(path).access is not None
        )
        return self._answer(
            message=last.answer,
            outcome=last.outcome,
            refs=accessed_refs,
            fallback=True,
            failed=tuple(verdict.key for verdict in last.rejections),
        )

    def _accepted_answer(self, judged: Judged) -> AnswerSent:
        """Return the answer to send for an accepted submission."""
        return self._answer(
            message=judged.answer, outcome=judged.outcome, refs=judged.refs
        )

    def _answer(self, **fields: Any) -> AnswerSent:
        """Return an answer of the current step with these fields of `AnswerSent`."""
        return AnswerSent(
            trial_id=self.recorder.trial_id, step=self.recorder.trace.number, **fields
        )
