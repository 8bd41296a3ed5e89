"""The events of a trial: what its models were asked and replied, what was submitted, and its steps."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Self, TypeAlias

from pydantic import Field

from controlplane.agent.events.call_record import (
    IN_OWN_LINES,
    IN_REPLY_LINE,
    VARIES_BY_RUN,
    CallRecord,
    Data,
    JournalRecord,
    StepEntry,
    Text,
)
from controlplane.agent.events.event import (
    Citation,
    NumberedEvent,
    StepEvent,
    TrialEvent,
)
from controlplane.agent.model import (
    SIDE_ROLES,
    Amount,
    Count,
    Message,
    ReplyFields,
    ToolCall,
    Usage,
)
from controlplane.gates.submission import SUBMITTED_KEYS, Submission
from controlplane.gates.verdicts import (
    REVIEW,
    STOPPING,
    Enforcement,
    Judgement,
    key_of,
)
from controlplane.sandbox.interface.host import Ending

# The events of a request to a model: it is sent, and its reply arrives.
#
# In most trials, each step has one of each. Other requests, such as those of a grader, have
# another `role`:
#
#     model_asked    step 3  role solve  messages 7
#     model_replied  step 3  role solve  reply {"code": "print(4)"}  cost_usd 0.02

# A message of a request to a model, as the journal has it.
#
# {"role": "tool", "content": "...", "tool_call_id": "call_1"}

Conversation: TypeAlias = list[Message]


class SaidMessage(JournalRecord):
    """One message of a request to a model, without the thinking that may go with it."""

    role: str
    """`system`, `user`, `assistant` or `tool`."""
    content: Text
    """Its text."""
    tool_calls: tuple[ToolCall, ...] = ()
    """The calls that an assistant made."""
    tool_call_id: str = ""
    """The id of the call that a tool answers."""

    @classmethod
    def of(cls, message: Message) -> SaidMessage:
        """Return `message` in its recorded form."""
        fields = {
            name: value for name, value in message.items() if name in cls.model_fields
        }
        return cls.model_validate(fields)

    def message(self) -> Message:
        """Return the message as a model takes it."""
        message = Message(role=self.role, content=self.content)
        if self.tool_calls:
            message["tool_calls"] = self.tool_calls
        if self.tool_call_id:
            message["tool_call_id"] = self.tool_call_id
        return message


# The event that the initial prompt is ready: what the model is sent first.
#
# It has the system prompt, and the first message with the task. Before the model is asked, the
# trial makes some calls, the *initial calls*, and shows their results in the first message:
#
#     system           "You work on one request. ..."
#     first_message    "What is the late fee?", "Files: /docs/fees.md", ...
#     calls            list("/"), read("/docs/fees.md"), ...


class RankedFile(JournalRecord):
    """A file that the first message might show because it fits the instruction.

    Example: `/docs/fees.md` for the instruction `What is the fee for a late return?`
    """

    path: Text
    score: Amount
    """How well it fits, compared with the other files of the trial."""
    reason: str
    """Why it fits, or why it is left out: codes of
    `controlplane.agent.opening.request.Reason`, joined by `+`."""
    chars: Count = 0
    """Characters of it that the first message shows; 0 if it is left out."""


class ConversationOpened(TrialEvent):
    """The initial prompt is ready: the system prompt and the first message.

    The first message shows the task, with the results of the *initial calls*, such as a
    listing of the files. It is recorded as a list of pieces, which were joined and sent.
    """

    type: Literal["conversation_opened"] = "conversation_opened"
    system: Text
    """The system prompt."""
    first_message: tuple[Text, ...]
    """The pieces of the first message, in order."""
    exchange: tuple[SaidMessage, ...] = ()
    """The messages between the system prompt and the first message, for a model that calls
    tools: they show the initial calls as its own, with their results. Empty for a model that
    writes scripts."""
    # Each of these calls has a line of its own in the journal.
    calls: Annotated[tuple[CallRecord, ...], IN_OWN_LINES] = ()
    """The initial calls, which are those of step 0. The files that they show count as read."""
    rules: Text = ""
    """The workspace's rules, by which the gates judge each answer."""
    # The search for files that fit the request lists at most 40 of them.
    files: Annotated[tuple[RankedFile, ...], Field(max_length=40)] = ()
    """First the files that the first message shows because they fit the request, the best
    first; then the best of those that it leaves out."""
    shortened_for: int = 0
    """If the model's context was too small for all files that fit the request: its size
    in tokens. 0 if there was room for all."""


class ModelAsked(StepEvent):
    """A request to the model is about to be sent."""

    in_totals = True  # The summary of a run counts it.

    type: Literal["model_asked"] = "model_asked"
    messages: Count
    """Number of messages in the request."""
    role: str = "solve"
    """The kind of reply that the model is asked for."""
    texts: tuple[SaidMessage, ...] = ()
    """The messages; empty if they are those of the conversation so far."""


class ModelReplied(ReplyFields, StepEvent):
    """The model's reply has arrived; its script, if it has one, has not run yet.

    `ReplyFields` has further fields of the reply, such as its tokens and its cost.
    """

    in_totals = True  # The summary of a run counts it.

    type: Literal["model_replied"] = "model_replied"
    number: Count = 0
    """Counts the step's replies, from 0."""
    role: str = "solve"
    """The kind of reply that the model was asked for."""
    reply: Text
    """The raw text, or the raw arguments of the tool call `execute_script`."""
    tool_call: bool = False
    """True if `reply` has such arguments. `tool_calls` then has only the other calls."""
    elapsed_ms: Annotated[Amount, VARIES_BY_RUN] = 0.0
    """Wall-clock milliseconds, retries included."""

    @property
    def entry(self) -> Self | None:
        """The event. In a side role, a model only grades the trial, for example: no part of a step."""
        return None if self.role in SIDE_ROLES else self

    @property
    def position(self) -> int:
        """The number, which counts the replies of the step."""
        return self.number

    @property
    def tokens(self) -> int:
        """Tokens of request and reply."""
        return self.usage.prompt_tokens + self.usage.completion_tokens

    @property
    def known_cost_usd(self) -> float | None:
        """The cost in USD: 0 for a reply of the cache, a file or a program. None if unknown."""
        if self.cost_usd is not None:
            return self.cost_usd
        if self.cached or not self.is_from_endpoint:
            return 0.0
        return None

    @property
    def is_from_endpoint(self) -> bool:
        """True if an endpoint sent the reply, and not a file or a program.

        No field says so, but those have no tokens, and are asked in no mode, such as `json`.
        """
        return bool(self.reply_mode) or self.tokens > 0


# Submissions (answers that were handed in), and the verdicts of the gates on them.

# The parts of a submission that a replay needs in order to hand the same answer in again.
#
# A *submission* is an answer with the files that support it. If a script of the model submits it, a
# replay runs the script again, and needs no more. Other solvers call `submit` themselves:
#
#     submit(answer="7 EUR", outcome="OUTCOME_OK", refs_why={"/docs/fees.md": "has the fee"})
#
# `Judged`, the record of the submission, has the two texts and the path, but not the reason. So
# `SubmittedParts(parts={"refs_why": {"/docs/fees.md": "has the fee"}})` is recorded beside them.


class SubmittedParts(JournalRecord):
    """The parts of a submission that have no field in `Judged`, and when it was made."""

    parts: Data
    """The parts by name: `{"refs_why": {"/docs/fees.md": "has the fee"}}`. The citations are
    `refs_why` with reasons, or `refs` without. `facts`, `tokens` and `changes` may follow. So may
    `answer` and `outcome`, if they are not texts but, for example, numbers."""
    after_calls: Count = 0
    """Number of calls that the step made before. A replay makes as many before it submits."""


# The verdict of one gate, or of one rule, on an answer.
#
# A gate is one of eight checks of every answer. The user may choose further rules. They judge
# `The fee is 12 EUR`, citing `/docs/fees.md`:
#
# | `gate` | `name` | `result` | `reason` |
# |---|---|---|---|
# | 3 | `canonical citations` | `pass` | |
# | 4 | `citations were read` | `reject` | no call has read /docs/fees.md |
# | 0 | `desk/late-reply`, a rule | `pass` | |


class VerdictRecord(JournalRecord):
    """The verdict of one gate, or of one rule, on a submission (an answer that was handed in)."""

    gate: int
    """1 to 8; 0 for a rule of a rule set."""
    name: str
    """The gate's name, the name of a further rule
    of the gate, such as `wording`, or `RULE_SET/RULE`."""
    result: str
    """`pass`, `reject`, `overridden` (the rule objects once more,
    but no longer stops the answer), `not_applicable` or `skipped`."""
    reason: Text
    """The reason, or the text of an objection."""
    enforcement: Enforcement = "block"
    """What a rejection does. `block`: it stops the answer. `ask`: it stops the answer at first,
    but the model may insist by submitting it again. `off`: it is only recorded."""

    @property
    def key(self) -> str:
        """The key under which it is counted: `6`, `6/wording`, or `RULE_SET/RULE`."""
        return key_of(self.gate, self.name)

    @property
    def may_be_overridden(self) -> bool:
        """True if it rejects, but the model may insist by submitting the same answer again."""
        return self.result == "reject" and self.enforcement == "ask"


# A submission (an answer that was handed in), and the verdicts of the gates on it.
#
# Gates are rules that each answer must pass. If one rejects it, the model reads why, and may
# submit another. Here, gate 4 rejects an answer:
#
#     answer     "The fee is 12 EUR", OUTCOME_OK, citing /docs/fees.md
#     verdicts   3 canonical citations: pass
#                4 citations were read: reject, no call has read /docs/fees.md
#     message    gate 4 (citations were read): no call has read /docs/fees.md


class Judged(StepEntry):
    """One submission, and the verdicts of the gates on it."""

    name_in_differences = "verdicts"

    accepted: bool
    """True if no gate or rule stopped it: there are no `rejections`."""
    answer: Text
    """The text of the answer."""
    outcome: str
    """How the request ended, as the answer says: `OUTCOME_OK`, or why it was not done."""
    refs: tuple[Text, ...]
    """The citations, in their order."""
    message: Text
    """The text that told the model what to correct; empty if the submission was accepted."""
    verdicts: tuple[VerdictRecord, ...]
    """One verdict per gate and rule, in order."""
    submitted_parts: SubmittedParts | None = None
    """For a submission without a script: what else it had, so that a replay can submit it again.
    Null for the submission of a script, which a replay runs again."""

    @property
    def action(self) -> tuple[str, str, tuple[str, ...]]:
        """What was submitted."""
        return self.answer, self.outcome, self.refs

    @property
    def rejections(self) -> tuple[VerdictRecord, ...]:
        """The verdicts that stop the answer: not those of rules that are switched off."""
        return tuple(
            verdict
            for verdict in self.verdicts
            if verdict.result == "reject" and verdict.enforcement in STOPPING
        )

    @property
    def overridden(self) -> tuple[VerdictRecord, ...]:
        """The objections of rules that had objected before, and so did not stop the answer."""
        return tuple(
            verdict for verdict in self.verdicts if verdict.result == "overridden"
        )

    @property
    def review(self) -> VerdictRecord | None:
        """The verdict of the second reader, a model that reviews answers; None without one."""
        for verdict in self.verdicts:
            if verdict.key == REVIEW:
                return verdict
        return None


# The event that the gates, which are rules for answers, have judged a submission.
#
# A *submission* is an answer that is handed in. If the gates reject it, the model reads why, and may
# submit another in the same step:
#
#     submission_judged  step 3  number 0  "7 EUR"    rejected by gate 4
#     submission_judged  step 3  number 1  "12 EUR"   accepted


class SubmissionJudged(NumberedEvent):
    """The gates gave their verdicts on a submission."""

    in_totals = True  # The summary of a run counts it.
    # A replay judges the submission again.
    compared_by_replay = ("judged",)

    type: Literal["submission_judged"] = "submission_judged"
    judged: Judged
    """The submission with its verdicts."""

    @property
    def entry(self) -> Judged:
        """The submission."""
        return self.judged

    @property
    def position(self) -> int:
        """The number, which counts the submissions of the step."""
        return self.number


# Translates a judged submission into its record, and the record back into a submission.
#
# A replay submits the answers of a recorded trial again, for example to see how changed gates
# judge them. So the record must have everything that was submitted:
#
#     judged_submission(judgement, Submission(answer=7, outcome="OUTCOME_OK", refs=("/a.md",)), ...)
#         -> Judged(answer="the number `7`", outcome="OUTCOME_OK", refs=("/a.md",), verdicts=...,
#                   submitted_parts=SubmittedParts({"answer": 7, "refs": ["/a.md"]}))


def judged_submission(
    judgement: Judgement, submission: Submission, *, after_calls: int
) -> Judged:
    """Return the record of a submission and its judgement.

    `after_calls` is the number of calls that the step made before it.
    """
    verdicts = tuple(
        # The record has the attributes of the verdict as fields.
        VerdictRecord.model_validate(verdict, from_attributes=True)
        for verdict in judgement.verdicts
    )
    submitted_parts = None
    # A replay runs a script again, which submits by itself.
    if not submission.from_script:
        parts = _parts_not_in_judged(submission)
        submitted_parts = SubmittedParts(parts=parts, after_calls=after_calls)
    return Judged(
        accepted=judgement.accepted,
        answer=judgement.answer,
        outcome=judgement.outcome,
        refs=judgement.refs,
        message="" if judgement.accepted else judgement.message,
        verdicts=verdicts,
        submitted_parts=submitted_parts,
    )


def submission_of(judged: Judged) -> Submission:
    """Return the submission of a record, to judge it anew."""
    fields: dict[str, Any] = {"answer": judged.answer, "outcome": judged.outcome}
    if judged.submitted_parts is None:
        fields["refs"] = list(judged.refs)
    else:
        fields |= judged.submitted_parts.parts  # those of `_parts_not_in_judged`
    return Submission(**fields)


def _parts_not_in_judged(submission: Submission) -> dict[str, Any]:
    """Return the submitted parts by name, except the texts that `Judged` has word for word.

    It has the answer `"7 EUR"`, but of the answer 7 only the description: “the number `7`”.
    """
    parts: dict[str, Any] = {}
    for name in SUBMITTED_KEYS:  # `answer`, `outcome`, `refs` and further ones
        value = getattr(submission, name)
        if value is not None:
            parts[name] = value
    for name in ("answer", "outcome"):
        if isinstance(parts.get(name), str):
            del parts[name]
    return parts


# The end of a step, with everything that happened in it.
#
# A step is one turn of a model: its reply, and what the reply led to. Most of that has lines of
# its own in the journal. `IN_OWN_LINES` and `IN_REPLY_LINE` mark the fields that the line of the
# step therefore leaves out. A reader of the journal puts them back:
#
#     call    step 3  number 0  read("/docs/fees.md")  made, with its result
#     step    step 3  code "print(harness.read(...))"  output "Fee: 7 EUR"  calls [0]

# A reply of the model that asks for an action, and how this action was carried out.
#
# Most replies have a script to run. Here the first one runs; the second cannot be used:
#
#     {"plan": ["look"], "code": "print(4)"}  -> code "print(4)", output "4", ending "finished"
#     an empty reply                          -> error "The reply was empty. ...", fault "empty"
#
# For a solver that calls tools instead, the fields about scripts stay empty.


class _CarriedOutReply(JournalRecord):
    """The fields of a step that say what the model replied, and what came of it."""

    # The journal's line of the reply has the text already, so that of the step leaves it out.
    reply: Annotated[Text, IN_REPLY_LINE] = ""
    """The model's raw reply."""
    state: Text = ""
    """The model's own account of its progress."""
    plan: tuple[Text, ...] = ()
    """The next steps that the model intends."""
    done: bool = False
    """True if the model says that it is done. It is not taken at its word."""
    code: Text = ""
    """The script, also one that was refused; of several in a reply, the first, which alone is run.
    Empty if the reply had none, or if the solver works without scripts."""
    output: Text = ""
    """What the script printed; of a long text, the beginning and the end. The error that ended the
    script is in `error`."""
    error: Text = ""
    """What went wrong, as the model is told: the script's exception, or why the reply
    could not be used."""
    fault: str = ""
    """For a reply that could not be used, the kind of its fault: `cut_off`, `filtered`,
    `refused`, `empty`, `only_thoughts`, `wrong_tool`, `no_object`, `garbled`, `wrong_shape`
    or `no_call`; else empty."""
    ending: str = ""
    """How the script ended: `finished`, `raised`, `syntax`, `refused`, `limit` or `killed`;
    empty if none ran."""

    @property
    def was_refused(self) -> bool:
        """True if the script was refused before it ran, such as `print(4` for its syntax."""
        return self.ending in (Ending.SYNTAX, Ending.REFUSED)

    @property
    def failure(self) -> str:
        """The last line of the script's error, `KeyError: 'fee'`; empty without a script, or if
        it finished. If it was stopped without an error, this is the ending: `killed`."""
        if not self.code or self.ending == Ending.FINISHED:
            return ""
        lines = self.error.strip().splitlines()
        return lines[-1].strip() if lines else self.ending


NOTES_BEGIN: Final = "<notes>\n"
NOTES_END: Final = "\n</notes>\n"
"""What stands around the notes about a step's calls, which are one piece of its feedback."""


class StepDone(_CarriedOutReply, StepEvent):
    """A step is done: one turn of the model, with its reply and what the reply led to."""

    in_totals = True  # The summary of a run counts it.
    # A *replay*, which tests this program by a whole trial, computes these fields anew.
    compared_by_replay = (
        "output",
        "error",
        "ending",
        "calls",
        "citations",
        "scratchpad",
        "verdicts",
    )

    type: Literal["step"] = "step"

    # `_CarriedOutReply` has the fields of the reply and its script: `reply`, `code`, `output` ...
    calls: Annotated[tuple[CallRecord, ...], IN_OWN_LINES] = ()
    """Every environment call with its result."""
    citations: Annotated[tuple[Citation, ...], IN_OWN_LINES] = ()
    """Every citation with its answer."""
    scratchpad: Data = Field(default_factory=dict)
    """The scratchpad after the step: the dictionary that all scripts of a trial share. (`tagged_values`
    of the sandbox describes how values without a JSON type are written.)"""
    verdicts: Annotated[tuple[Judged, ...], IN_OWN_LINES] = ()
    """Every submission (an answer that was handed in) of the step, with the gates' verdicts."""

    # What the model is told, and what the step has used.
    feedback: tuple[Text, ...] = ()
    """The next messages to the model, as pieces: the result of each tool call
    of the reply, and one for the rest. Empty after an accepted answer."""
    usage: Annotated[Usage, IN_REPLY_LINE] = Usage()
    """Tokens of the reply."""
    cost_usd: Annotated[float | None, IN_REPLY_LINE] = None
    """The cost of the reply as reported by the endpoint."""
    elapsed_ms: Annotated[Amount, VARIES_BY_RUN] = 0.0
    """Wall-clock milliseconds of the script."""
    refunded: bool = False
    """True if the step, such as one with an empty reply, does not count towards the limit of steps."""
    used_ms: Annotated[Amount, VARIES_BY_RUN] = 0.0
    """Wall-clock milliseconds that the trial has used up to the end of the step,
    over all attempts, without the time in which its model was down."""

    @property
    def notes(self) -> str:
        """What the model was told about the step's calls; empty without notes."""
        for piece in self.feedback:
            if piece.startswith(NOTES_BEGIN) and piece.endswith(NOTES_END):
                return piece.removeprefix(NOTES_BEGIN).removesuffix(NOTES_END)
        return ""

    @property
    def compared_parts(self) -> dict[str, object]:
        """What is compared, by name, if a resumed trial relives this step.

        Each call, citation and verdict is compared when it is made. So of these, only numbers
        are compared here, by which a missing call or verdict is noticed.
        """
        return {
            "calls": len(self.calls),
            "verdicts": len(self.verdicts),
            "output": self.output,
            "error": self.error,
            "ending": self.ending,
            "scratchpad": self.scratchpad,
        }
