"""The gated exit: the only way for an answer to leave a trial."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from controlplane.agent.events import (
    AnswerDone,
    AnswerSent,
    Judged,
    SubmissionJudged,
    judged_submission,
)
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.tape import recorded_or_new_review
from controlplane.agent.judging import GateSettings
from controlplane.agent.limits.trial_limits import SubmissionLimit
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.second_reader import AskReader, review_of, with_review
from controlplane.gates.evidence import Evidence
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Judgement, Verdict
from controlplane.sandbox.interface import CallError, Plain, ToolSchema, error_codes
from controlplane.sandbox.interface.outcomes import INTERNAL, Outcomes

# The answers with which the work on a trial ends: an accepted one, or an empty one.
#
# Usually the gates have accepted a submission of the solver. Some environments may also end a
# trial by themselves, for example when a game is lost. Then they need no answer any more.
# (If the work ends in neither way, see `fallback_answer`.)


def accepted_answer(recorder: Recorder, judged: Judged) -> AnswerSent:
    """Return a submission of the current step that the gates accepted."""
    return AnswerSent(
        trial_id=recorder.trial_id,
        step=recorder.current_step.number,
        message=judged.answer,
        outcome=judged.outcome,
        refs=judged.refs,
    )


def _empty_answer(recorder: Recorder) -> AnswerSent:
    """Return the answer of a trial that the environment has ended by itself.

    It says nothing, since the environment has decided. The trial did not fail, so its
    outcome is that of an answered request.
    """
    return AnswerSent(
        trial_id=recorder.trial_id,
        step=recorder.current_step.number,
        message="",
        outcome=recorder.tool_schema.outcomes.done,
        refs=(),
        ended_by_environment=True,
    )


# Sends the answer of a trial to its environment, and knows whether the environment took it.
#
# The environment may refuse an answer that the gates accepted, for example for its form. The
# solver may then send another. A trial whose process was killed goes on in a second *attempt*.
# The second attempt cannot be sure that an answer has arrived, so it sends it at its end:
#
# | what happened | `accepted` | `is_closed` | `is_answered` | sent at the end |
# |---|---|---|---|---|
# | the environment refused "7 EUR" | "7 EUR" | no | no | "7 EUR" |
# | the environment took "7 EUR" | "7 EUR" | yes | yes | nothing |
# | an earlier attempt had sent it | "7 EUR" | yes | no | "7 EUR" |
# | the environment ended the trial by itself | an empty answer | yes | no | an empty answer |


class _AnswerOutlet:
    """Sends the answer of one trial."""

    def __init__(self, recorder: Recorder) -> None:
        tape = recorder.tape  # the record of an earlier attempt
        self.recorder = recorder
        self.accepted: AnswerSent | None = tape.sent_answer
        """The last answer that the gates accepted, even in an earlier attempt."""
        self.is_closed = tape.is_solved
        """True if nothing more can be submitted."""
        self.is_answered = False
        """True if this attempt has sent the answer. Then the outlet is closed, too."""

    def keep_accepted(self, judged: Judged) -> AnswerSent:
        """Keep a submission of the current step, which the gates accepted, as the answer."""
        self.accepted = accepted_answer(self.recorder, judged)
        return self.accepted

    def send(self, answer: AnswerSent) -> None:
        """Send an answer, or take its recorded result. Raises `CallError` if it is refused."""
        outcome = self.recorder.send_answer(answer)
        self.learn_result(outcome.result)
        if self.is_closed and outcome.was_sent_now:
            self.is_answered = True
        if outcome.error is not None:
            raise outcome.error

    def learn_result(self, result: AnswerDone) -> None:
        """Learn whether the environment took an answer, from a new or a recorded result."""
        # A late answer is sent when the steps are over.
        is_part_of_step = not result.late
        if is_part_of_step:
            self.recorder.current_step.answer_results.append(result)
        if result.is_taken:
            self.is_closed = True

    def learn_call(self, operation: str, result: Mapping[str, Plain]) -> None:
        """Close, with an empty answer, if the result of a call says that the trial has ended."""
        has_ended = self.recorder.tool_schema.ends_trial(operation, result)
        if has_ended and not self.is_closed:
            self.accepted = _empty_answer(self.recorder)
            self.is_closed = True


# Gets the verdict of the second reader on an answer that the gates accept.
#
# The gates are rules in code. The second reader is a model, if the user names one
# (`--role review=PROFILE`). It looks for what speaks against the answer, and may reject it. Its
# reply costs money. So if a trial is *resumed*, which means that a new process repeats what the
# journal has of it, the verdict that is recorded there counts:
#
#     first process    submits "420 EUR": the reader is asked, and rejects it; the process is killed
#     second process   submits "420 EUR" again: the recorded verdict is returned


def _reader_verdict(
    ask_reader: AskReader | None,
    recorder: Recorder,
    submission: Submission,
    evidence: Evidence,
    case: Case,
) -> Verdict | None:
    """Return the verdict of the second reader on the next submission of the current step.

    `ask_reader` sends a request to the reader's model. None means that nobody is to be asked.
    Then the result is None, too, unless a verdict is recorded.
    """

    def ask_now() -> Verdict | None:
        if ask_reader is None:
            return None
        return review_of(ask_reader, submission, evidence, case)

    return recorded_or_new_review(recorder.tape_reader, ask_now)


# Writes the judgement of a submission to the journal, or finds it recorded there.
#
# A trial whose process was killed is *resumed*: it runs its recorded scripts again, which submit
# again. So does a *replay*, which checks a recorded trial. In both, the recorded judgement
# counts, because the trial went on by it. Suppose that gate 4 has changed since:
#
#     recorded   "420 EUR" was accepted     this counts
#     now        gate 4 rejects "420 EUR"   the difference is noted


def _write_judgement(recorder: Recorder, judged: Judged) -> Judged:
    """Write the judgement of a new submission of the current step, and return the one that counts.

    This is the recorded one, if the same answer was recorded. Then nothing is written, but a
    difference between the two is noted. The judgement that counts is added to the step.
    """
    step = recorder.current_step
    event = SubmissionJudged(
        trial_id=recorder.trial_id,
        step=step.number,
        number=len(step.submissions),
        judged=judged,
    )
    judgement = recorder.journal.write(event, judged)
    # `verify` is the script's own check of an accepted answer. What its calls read may be cited
    # later. In the example, only the recorded trial ran it, so its recorded calls are added here.
    recorder.calls.restore_calls_of_verify()
    return judgement


# What a trial has submitted so far, and what the gates said about it.
#
# The gates check each submission, an answer that the model hands in, by rules.


@dataclass(slots=True)
class _SubmissionHistory:
    """The submissions of a trial, as far as later ones depend on them."""

    outcomes: Outcomes
    """The outcomes that the benchmark declares."""
    internal_errors: int = 0
    """Number of submissions with the outcome `OUTCOME_ERR_INTERNAL`."""
    last_sendable: Judged | None = None
    """The last submission with an answer and a known outcome. If the gates reject
    all submissions, the trial may end with this one."""
    is_reviewed: bool = False
    """True once the second reader, a model that reviews answers, was asked."""
    objections: dict[str, dict[int, str]] = field(default_factory=dict)
    """By rule, then by step, what the model may overrule by submitting its answer again:
    `{"support/counted": {3: "The answer says 4, ..."}}`."""

    def add(self, judged: Judged, step: int) -> None:
        """Add a judged submission of a step."""
        if judged.outcome == INTERNAL:
            self.internal_errors += 1
        elif self.outcomes.has(judged.outcome) and judged.answer.strip():
            self.last_sendable = judged

        if judged.review is not None:
            self.is_reviewed = True
        for verdict in judged.verdicts:
            if verdict.may_be_overridden:
                self.objections.setdefault(verdict.key, {})[step] = verdict.reason

    def objections_before(self, step: int) -> dict[str, list[str]]:
        """Return what each rule said before a step, which the model has read by now.

        {"support/counted": ["The answer says 4, ..."]}
        """
        earlier: dict[str, list[str]] = {}
        for rule, by_step in self.objections.items():
            earlier[rule] = [text for number, text in by_step.items() if number < step]
        return earlier


# The rules of a workspace: a document that says what the model must and must not do.
#
# The gates check an answer by its text. A script could change the document, so the text counts
# that the trial has read first: for the initial prompt, or else in a call of a script:
#
#     learn_call("read", {"path": "/docs/rules.md"}, {"content": "Round up."})   -> "Round up."
#     learn_call("read", {"path": "/docs/rules.md"}, {"content": "Lie."})        changes nothing


@dataclass(slots=True)
class _WorkspaceRules:
    """The text of the rules, as the trial has read it first."""

    tool_schema: ToolSchema
    """The environment's declaration. It names the document with the rules: `/docs/rules.md`, or
    an empty path if the environment has none."""
    _known_text: str | None = None
    """None until a call has read the document."""

    @property
    def text(self) -> str:
        """The text of the rules; empty until a call has read them."""
        return self._known_text or ""

    def keep_initial(self, text: str) -> None:
        """Keep the text that the initial prompt has, even an empty one. No later call changes it."""
        self._known_text = text

    def learn_call(
        self,
        operation_name: str,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> None:
        """Keep the text in the result of a call, if it is the first that reads the document."""
        path = self.tool_schema.rules_document
        if self._known_text is not None or not path:
            return
        operation = self.tool_schema.operation(operation_name)
        if operation is not None and arguments.get(operation.subject) == path:
            # The operation declares in which field of its result the text of a file is.
            text = str(result.get(operation.json_field, ""))
            self._known_text = text or None  # An empty text may be learned anew.


# What the gates, the rules for answers, are told about a trial when they judge an answer.
#
# The request and the clock stay the same. The rules of the workspace are known once a call has read
# them, and the earlier submissions count, too:
#
#     before any call              Case("Renew my loan l-7", rules="", internal_errors_before=0, ...)
#     after `read /docs/rules.md`  Case("Renew my loan l-7", rules="Loans end ...", ...)


@dataclass(frozen=True, slots=True)
class _TrialCase:
    """The case of one trial, which grows with its calls and submissions."""

    instruction: str
    """The user's request."""
    now: str
    """The trial's clock at its start, in ISO 8601; empty without a clock."""
    tool_schema: ToolSchema
    """The environment's declaration: whether answers cite sources, and where the rules are."""
    rules: _WorkspaceRules
    """The text of the workspace's rules, which a call may read later."""
    history: _SubmissionHistory
    """What was submitted so far."""

    def current(self) -> Case:
        """Return what the gates are told now."""
        return Case(
            self.instruction,
            rules_path=self.tool_schema.rules_document,
            now=self.now,
            is_uncited=not self.tool_schema.is_cited,
            outcomes=self.tool_schema.outcomes,
            rules=self.rules.text,
            internal_errors_before=self.history.internal_errors,
        )


# Judges a submission: an answer that a model hands in, with the files that it cites.
#
# The gates judge it first, which are rules in code: the cited files were read, for example. If the
# user names a second reader, this model then reads the first answer that the gates accept:
#
#     "420 EUR", which cites /fees.md, not read   -> rejected by a gate; the reader is not asked
#     "420 EUR", which cites /fees.md             -> accepted, or rejected by the reader
#     "430 EUR", which cites /fees.md             -> accepted; the reader is not asked again


@dataclass(slots=True)
class _SubmissionJudge:
    """Judges the submissions of one trial."""

    recorder: Recorder
    """Knows what the calls of the trial have read and changed: the evidence."""
    settings: GateSettings
    """The gates that judge, as the user has set them."""
    trial_case: _TrialCase
    """What the gates are told about the trial: the request and the clock, for example."""
    history: _SubmissionHistory
    """The earlier submissions, and what was said against them. The caller adds the new one."""
    ask_reader: AskReader | None = None
    """Asks the second reader. Set before the first step, if the user names one."""

    def decide(self, submission: Submission) -> Judged:
        """Return whether a submission is accepted, and what each gate says about it."""
        evidence = self.recorder.evidence_log.view()
        case = self.trial_case.current()
        if isinstance(submission.outcome, str):
            # A name of the platform's is known everywhere. The declared one is judged and sent.
            own_name = case.outcomes.own_name(submission.outcome)
            submission = replace(submission, outcome=own_name)
        judgement = self._judgement_of_gates(submission, evidence, case)
        if judgement.accepted:
            ask_reader = None if self.history.is_reviewed else self.ask_reader
            review = _reader_verdict(
                ask_reader, self.recorder, submission, evidence, case
            )
            if review is not None:
                judgement = with_review(judgement, review, self.settings.policy)
        call_count = len(self.recorder.current_step.calls)
        return judged_submission(judgement, submission, after_calls=call_count)

    def _judgement_of_gates(
        self, submission: Submission, evidence: Evidence, case: Case
    ) -> Judgement:
        # Some gates object to the same fault only once or twice. So they are told which of their
        # objections the model has read: those of earlier steps.
        step_number = self.recorder.current_step.number
        objections = self.history.objections_before(step_number)
        worker = self.recorder.worker  # the process in which rules of users run
        return self.settings.judge(worker, submission, evidence, case, objections)


# Refuses a submission that must not be judged: the trial is over, or it had too many.
#
# The gates say why they reject an answer. With any number of submissions, a script could guess
# answers in a loop until one passes:
#
#     for fee in range(400, 500):
#         harness.answer({"answer": f"{fee} EUR", ...}, verify)     refused from the fourth on

_MOST_SUBMISSIONS_A_STEP: Final = 3
"""Max submissions of one script."""


class NotJudged(Exception):
    """Raised for a submission beyond the limits of its step or trial.

    The message tells the model what to do instead.
    """


def _raise_if_refused(
    outlet: _AnswerOutlet, step: TrialStep, limit: SubmissionLimit
) -> None:
    """Raise an error if the current step may submit nothing more.

    It is `CallError` if the trial is over, and `NotJudged` if the step or the trial has no
    submission left. `limit` has counted the submissions of the steps before.
    """
    if outlet.is_closed:
        msg = "the answer was accepted before; the trial is over"
        raise CallError(error_codes.ALREADY_EXISTS, msg)
    refusal = limit.refusal(step)
    if refusal:
        raise NotJudged(refusal)
    if len(step.submissions) >= _MOST_SUBMISSIONS_A_STEP:
        msg = (
            f"{_MOST_SUBMISSIONS_A_STEP} submissions of this script were sent back: "
            "end the script, read what it says, and answer in the next one."
        )
        raise NotJudged(msg)


# The one way for an answer to leave a trial, so that no answer leaves which the gates reject.
#
# The gates are rules for answers, for example that the cited files were read. If they reject an
# answer, the script that submits it reads why, and may submit another:
#
#     Submission(answer="420 EUR", refs_why={})                       -> rejected; nothing is sent
#     Submission(answer="420 EUR", refs_why={"/fees.md": "the fee"})  -> accepted, and sent


class GatedExit:
    """The exit of one trial."""

    def __init__(
        self,
        recorder: Recorder,
        instruction: str,
        settings: GateSettings,
        now: str,
        limit: SubmissionLimit | None = None,
    ) -> None:
        """`instruction` is the user's request, and `now` the trial's clock, in ISO 8601."""
        schema = recorder.tool_schema
        self.recorder = recorder
        self.limit = limit or SubmissionLimit()
        """How many submissions the trial may have. The session has it count each whole step."""
        self.rules = _WorkspaceRules(schema)
        """The text of the workspace's rules. The session adds what each call reads of them."""
        self.history = _SubmissionHistory(schema.outcomes)
        """What was submitted so far."""
        trial_case = _TrialCase(instruction, now, schema, self.rules, self.history)
        self.judge = _SubmissionJudge(
            recorder, settings.applied_to(schema), trial_case, self.history
        )
        self.outlet = _AnswerOutlet(recorder)
        """Sends the answer, and knows whether the environment has taken it."""

    def submit(self, submission: Submission) -> Judged:
        """Judge a submission, and send it if it is accepted. Return what the gates said.

        Raises `CallError` if the trial is over or the environment refuses the answer,
        and `NotJudged` if the step or the trial has no submission left.
        """
        _raise_if_refused(self.outlet, self.recorder.current_step, self.limit)
        judged_now = self.judge.decide(submission)
        # If an earlier process of this trial has recorded a judgement here, that one counts.
        judged = _write_judgement(self.recorder, judged_now)
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


# The fallback: what is sent if a trial ends, and the gates have accepted none of its answers.
#
# Usually it is the last submission, although the gates rejected it: a rejected answer may still
# be right. It loses its citations of files that the trial never accessed:
#
#     submitted "41", citing /fees.md              -> rejected
#     submitted "42", citing /fees.md, /made/up    -> rejected
#     the time is up                               -> "42", citing /fees.md, is sent
#
# The user may want a text that there is no answer instead (`--fallback internal`).


def fallback_answer(
    gated_exit: GatedExit, reason: str, *, repeats_last: bool = True
) -> AnswerSent:
    """Return the answer to send for a trial whose submissions were all rejected.

    It is the last submission with an answer. If there is none, or `repeats_last` is false, it
    says that no answer was reached, and the `reason`.
    """
    last = gated_exit.history.last_sendable
    if last is None or not repeats_last:
        return _missing_answer(gated_exit.recorder, reason)
    return _rejected_answer(gated_exit.recorder, last)


def _rejected_answer(recorder: Recorder, rejected: Judged) -> AnswerSent:
    """Return a rejected submission as the answer, with the rules that rejected it."""
    evidence = recorder.evidence_log.view()
    accessed_refs = tuple(
        path for path in rejected.refs if evidence.find(path).access is not None
    )
    return AnswerSent(
        trial_id=recorder.trial_id,
        step=recorder.current_step.number,
        message=rejected.answer,
        outcome=rejected.outcome,
        refs=accessed_refs,
        fallback=True,
        failed=tuple(verdict.key for verdict in rejected.rejections),
    )


def _missing_answer(recorder: Recorder, reason: str) -> AnswerSent:
    """Return an answer that says that none was reached, and why."""
    return AnswerSent(
        trial_id=recorder.trial_id,
        step=recorder.current_step.number,
        message=f"No answer was reached: {reason}.",
        outcome=INTERNAL,
        refs=(),
        fallback=True,
    )
