"""The events of a trial, and the records in them. Each event is a line of the journal.

Each event is declared once, as a class with its fields. Class attributes (see `Event`)
tell the journal, its reader and a replay how to treat the event. The reference and the
JSON schema are generated from the classes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, InstanceOf, JsonValue
from pydantic_core import PydanticUndefined

from controlplane.agent.model import (
    Amount,
    Capabilities,
    Count,
    Message,
    ReplyFields,
    ToolCall,
    Usage,
)
from controlplane.gates.submission import SUBMITTED_KEYS, Judgement, Submission, key_of
from controlplane.sandbox.interface import error_codes

Text: TypeAlias = InstanceOf[str]
"""Text from a model, a script or an environment, unchanged. It may contain lone surrogates."""
Data: TypeAlias = InstanceOf[dict[str, JsonValue]]
"""Data from the same sources, with JSON's types only. The sandbox has checked it."""

# Marks of fields, as in `calls: Annotated[tuple[CallRecord, ...], IN_OWN_LINES]`
IN_OWN_LINES: Final = "by number"
"""The values have lines of their own. This line has only their numbers."""
IN_REPLY_LINE: Final = "joined"
"""The line of the model's reply has the value. This line leaves it out."""
VARIES_BY_RUN: Final = "varies"
"""The value differs between equal runs, such as a time. Comparisons ignore it."""


class Record(BaseModel):
    """Base class of the journal's data: immutable, with only the declared fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def build_models(base: type[Record] = Record) -> None:
    """Build the validators of all events now, before threads start.

    Otherwise the first use of a class builds it,
    which fails if two threads do so at once.
    """
    for kind in base.__subclasses__():
        kind.model_rebuild()
        build_models(kind)


class SaidMessage(Record):
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


class CallFailure(Record):
    """A call that the environment refused or could not make."""

    code: Text
    """A code of the Connect protocol, such as `not_found`."""
    message: Text
    """The environment's own words."""


CallState: TypeAlias = Literal["under_way", "made", "failed", "lost", "not_made"]
"""How far a call has come (see `CallRecord.state`)."""


class CallRecord(Record):
    """One environment call and its outcome."""

    operation: str
    """The name of the operation, as the environment declares it."""
    arguments: Data
    """Every argument by name, defaults included."""
    in_verify: bool = False
    """True if `verify`, the script's own check of its answer, made the call."""
    outer: Count | None = None
    """If a function of the environment made this call: the number
    of the call of that function. Null for the solver's own calls."""
    origins: Data = Field(default_factory=dict)
    """For a call that may change something, where each argument comes from; empty for others."""
    state: CallState = "made"
    """`made`: it has a result. `failed`: the environment refused it, or could not make
    it. `lost`: it was cut off, and whether it happened is not known. `not_made`:
    it was refused here, before it was sent. `under_way`: it is about to be sent,
    or nothing more is recorded of it."""
    result: Data | None = None
    """The fields of the result; null if the call failed."""
    error: CallFailure | None = None
    """The failure; null if the call succeeded."""
    shown_chars: Count | None = None
    """Characters of an initial call's text that the
    initial prompt shows; null for a script's call."""
    elapsed_ms: Annotated[Amount, VARIES_BY_RUN] = 0.0
    """Wall-clock milliseconds."""

    @property
    def request(self) -> tuple[str, dict[str, JsonValue], bool]:
        """The request to the environment: operation,
        arguments, and whether `verify` makes the call."""
        return self.operation, self.arguments, self.in_verify

    def changed(self, **fields: object) -> CallRecord:
        """Return the call with these fields, not validated.

        Every call needs this, and `model_copy` takes twice as long.
        """
        return CallRecord.model_construct(**vars(self) | fields)


class Citation(Record):
    """One request to cite a path as a source, and its answer: `spelling`, or `error`."""

    path: Text
    """The path as requested."""
    reason: Text
    """The reason for the citation."""
    spelling: Text = ""
    """The path as the listings spell it, which is cited; empty if the citation was refused."""
    error: Text = ""
    """Why the citation was refused; empty if it was allowed."""
    quote: Text = ""
    """The passage quoted from there; empty without a quotation."""
    line: int = 0
    """The line on which the quotation begins, counted
    from 1; 0 without one, or if that is unknown."""
    after_calls: Count = 0
    """Number of calls that the step made before."""


class SubmittedParts(Record):
    """The submission of a solver without scripts.

    That of a script needs no record, because running the script again makes it again.
    """

    parts: Data
    """Its parts by name: the citations, as `refs_why` with reasons or as `refs`
    without, and `facts`, `tokens` and `changes` if they were submitted."""
    after_calls: Count = 0
    """Number of calls that the step made before."""

    @classmethod
    def of(cls, submission: Submission, after_calls: int) -> SubmittedParts:
        """Return the parts of a submission that `Judged` does not record.

        It records the answer and the outcome only if they are texts.
        """
        parts: dict[str, Any] = {}
        for name in SUBMITTED_KEYS:
            value = getattr(submission, name)
            is_in_judged = name in ("answer", "outcome") and isinstance(value, str)
            if value is not None and not is_in_judged:
                parts[name] = value
        return cls(parts=parts, after_calls=after_calls)


class VerdictRecord(Record):
    """The verdict of one gate (a check of every answer) on a submission."""

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
    enforcement: Literal["block", "ask", "off"] = "block"
    """The enforcement of the rule."""

    @property
    def key(self) -> str:
        """The key under which it is counted: `6`, `6/wording`, or `RULE_SET/RULE`."""
        return key_of(self.gate, self.name)

    @property
    def may_be_overridden(self) -> bool:
        """True if it rejects, but the model may insist by submitting the same answer again."""
        return self.result == "reject" and self.enforcement == "ask"


class Judged(Record):
    """One submission (an answer before it is sent), and the verdicts of the gates on it."""

    accepted: bool
    """True if no enforced gate or rule rejected it."""
    answer: Text
    """The text of the answer."""
    outcome: str
    """The outcome class."""
    refs: tuple[Text, ...]
    """The citations, in their order."""
    message: Text
    """The text that told the model what to correct; empty if the submission was accepted."""
    verdicts: tuple[VerdictRecord, ...]
    """One verdict per gate and rule, in order."""
    submitted_parts: SubmittedParts | None = None
    """The whole submission of a solver without scripts; null for a script's."""

    @property
    def rejections(self) -> tuple[VerdictRecord, ...]:
        """The rejections, except by gates and rules that are switched off."""
        return tuple(
            verdict
            for verdict in self.verdicts
            if verdict.result == "reject" and verdict.enforcement != "off"
        )

    @property
    def overridden(self) -> tuple[VerdictRecord, ...]:
        """The objections of rules that had objected before, and so did not stop the answer."""
        return tuple(
            verdict for verdict in self.verdicts if verdict.result == "overridden"
        )

    @classmethod
    def of(
        cls, judgement: Judgement, submission: Submission, *, after_calls: int
    ) -> Judged:
        """Return the judgement of a submission in its recorded form.

        `after_calls` is the number of calls that the step made before it.
        """
        verdicts = tuple(
            VerdictRecord.model_validate(verdict, from_attributes=True)
            for verdict in judgement.verdicts
        )
        submitted_parts = None
        if not submission.from_script:
            submitted_parts = SubmittedParts.of(submission, after_calls)
        return cls(
            accepted=judgement.accepted,
            answer=judgement.answer,
            outcome=judgement.outcome,
            refs=judgement.refs,
            message="" if judgement.accepted else judgement.message,
            verdicts=verdicts,
            submitted_parts=submitted_parts,
        )

    def submission(self) -> Submission:
        """Return the submission, to judge it anew.

        That of a script has no parts but the answer, the outcome and the citations.
        """
        fields: dict[str, Any] = {"answer": self.answer, "outcome": self.outcome}
        if self.submitted_parts is None:
            fields["refs"] = list(self.refs)
        else:
            fields |= self.submitted_parts.parts
        return Submission(**fields)


def now_ms() -> int:
    """Return the wall clock in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


class Event(Record):
    """One thing that happened. `at_ms` is the wall clock in milliseconds since the epoch."""

    in_step_record: ClassVar[bool] = False
    """True if the record of a step, `TrialStep`, keeps the event."""
    in_totals: ClassVar[bool] = False
    """True if the totals of a run need the event."""
    compared_by_replay: ClassVar[tuple[str, ...]] = ()
    """The fields that a replay computes again, and compares with the journal.
    A change of another field shows only if the journal is signed."""

    at_ms: Annotated[Count, VARIES_BY_RUN] = Field(default_factory=now_ms)
    type: str


class TrialEvent(Event):
    """Something that happened in one trial."""

    trial_id: str


class StepEvent(TrialEvent):
    """Something that happened in one step of a trial."""

    step: Count
    """Counts the steps of the trial, from 1; 0 while the initial prompt is prepared."""

    @property
    def is_part_of_step(self) -> bool:
        """True if it happened before the step ended. A late answer is sent afterwards."""
        return True


class NumberedEvent(StepEvent):
    """Something that happens several times in a step."""

    number: Count
    """Counts the events of its kind in the step, from 0."""


def _time_or_empty(text: str) -> str:
    """Return a text that is empty or a time in ISO 8601. Raises `ValueError` for any other text."""
    if text:
        datetime.fromisoformat(text)
    return text


class TrialStarted(TrialEvent):
    """A trial is open."""

    in_totals = True

    type: Literal["trial_started"] = "trial_started"
    task_id: str
    """The task it is an instance of."""
    instruction: Text
    """The task's text."""
    now: Annotated[str, AfterValidator(_time_or_empty)]
    """The clock that its scripts see, ISO 8601; empty if they have none."""
    tool_schema: Text
    """Its environment's declaration, as JSON text."""
    origin: str = ""
    """The trial that it was forked from, whose randomness
    its scripts keep; empty if it is not a fork."""
    step: Count = 0
    """The step with which a later attempt continues the trial; 0 for the first attempt."""
    number: Count = 0
    """The number of the first call of that step that is not in the journal."""
    begins_anew: bool = False
    """True if the environment was lost, so that the trial begins again.
    What was recorded before no longer counts as its work."""


class ModelAsked(StepEvent):
    """A request to the model is about to be sent."""

    in_totals = True

    type: Literal["model_asked"] = "model_asked"
    messages: Count
    """Number of messages in the request."""
    role: str = "solve"
    """The kind of reply that the model is asked for."""
    texts: tuple[SaidMessage, ...] = ()
    """The messages; empty if they are those of the conversation so far."""


class ModelReplied(ReplyFields, StepEvent):
    """The model's reply has arrived; its script, if it has one, has not run yet."""

    in_step_record = True
    in_totals = True

    type: Literal["model_replied"] = "model_replied"
    number: Count = 0
    """Counts the step's replies, from 0."""
    role: str = "solve"
    """The kind of reply that the model was asked for."""
    reply: Text
    """The raw text, or the raw arguments of the tool call."""
    tool_call: bool = False
    """True if it came as the arguments of the tool `execute_script`."""
    elapsed_ms: Annotated[Amount, VARIES_BY_RUN] = 0.0
    """Wall-clock milliseconds, retries included."""

    @property
    def tokens(self) -> int:
        """Tokens of request and reply."""
        return self.usage.prompt_tokens + self.usage.completion_tokens

    @property
    def known_cost_usd(self) -> float | None:
        """The cost in USD; None if it is unknown."""
        if self.cost_usd is not None:
            return self.cost_usd
        is_free = self.cached or not self.is_from_endpoint
        return 0.0 if is_free else None

    @property
    def is_from_endpoint(self) -> bool:
        """True unless the reply is from a file or a program: these count no tokens."""
        return bool(self.reply_mode) or self.tokens > 0


class EndpointLearned(TrialEvent):
    """A request was refused for its form, which shows what
    the endpoint takes; the rest of the run uses this."""

    in_totals = True

    type: Literal["endpoint_learned"] = "endpoint_learned"
    capabilities: Capabilities
    """Everything that is known about the endpoint."""


class CallEvent(CallRecord, NumberedEvent):
    """A call is about to be made (`under_way`), or has an outcome.

    A call that only reads has one line, with its outcome. Any other call has a line
    before it is made, and one with its outcome, which repeats the request. If the
    second line is missing, the call may have happened.
    """

    in_step_record = True
    compared_by_replay = ("operation", "arguments", "in_verify")

    type: Literal["call"] = "call"
    was_announced: bool = False
    """True if an earlier line says that it was about to be made."""

    @classmethod
    def of(
        cls,
        call: CallRecord,
        *,
        trial_id: str,
        step: int,
        number: int,
        was_announced: bool,
    ) -> CallEvent:
        """Return the event of a call. `number` counts the calls of its step, from 0."""
        return cls(
            trial_id=trial_id,
            step=step,
            number=number,
            was_announced=was_announced,
            **vars(call),
        )

    @property
    def is_announcement(self) -> bool:
        """True if the call is about to be made."""
        return self.state == "under_way"

    @property
    def call(self) -> CallRecord:
        """The call without the fields for its place in the trial."""
        fields = {name: getattr(self, name) for name in CallRecord.model_fields}
        return CallRecord.model_construct(**fields)


# Values of `CallStopped.then`
NOT_DONE: Final = "not done"
DONE_ALL_THE_SAME: Final = "repeated and sent"
DONE_OTHERWISE: Final = "done otherwise"


class CallStopped(NumberedEvent):
    """A call was stopped before it was sent: by the environment's
    check, or by the rule on where arguments come from.

    If a later call does the same or something similar, a second event of the same kind
    says so in `then`. The same call is sent if it is made again, except where
    `--provenance` is `block`, `strict` or `approve`.
    """

    in_step_record = True
    in_totals = True
    compared_by_replay = ("operation", "arguments", "objection", "by", "then")

    type: Literal["call_stopped"] = "call_stopped"
    number: Count
    """In the first event, the number that the call would have had
    in its step. In the second, the number of the later call."""
    operation: str
    """The name of the operation that was not called."""
    arguments: Data
    """Its arguments by name."""
    objection: Text = ""
    """What speaks against the call, as the solver was told; empty in the second event."""
    by: Literal["check", "provenance"] = "check"
    """What stopped it: the environment's check, or the rule on where arguments come from."""
    then: str = NOT_DONE
    """What became of the call: `not done` so far, `repeated and sent`,
    or `done otherwise`, by another call with the same operation and path."""


class CallApproval(NumberedEvent):
    """The user was asked whether a call may be sent
    although some of its values are only in running text."""

    in_step_record = True
    in_totals = True
    compared_by_replay = ("operation", "arguments", "text")

    type: Literal["call_approval"] = "call_approval"
    number: Count
    """The number of the call in the step, if it is sent."""
    operation: str
    """The name of the operation."""
    arguments: Data
    """Its arguments by name."""
    text: Text
    """What the user was shown."""
    answer: Literal["approved", "refused"]
    """What the user decided; `refused` also if nobody answered."""


class RankedFile(Record):
    """A file that the first message might show because it fits the instruction."""

    path: Text
    score: Amount
    """How well it fits; the files of one trial are compared by it."""
    reason: str
    """Why it fits, or why it is left out: codes of
    `controlplane.agent.retrieval.file_candidate.Reason`, joined by `+`."""
    chars: Count = 0
    """Characters of it that the first message shows; 0 if it is left out."""


class ConversationOpened(TrialEvent):
    """The initial prompt is ready: the system prompt and the
    first message, as pieces whose concatenation was sent."""

    type: Literal["conversation_opened"] = "conversation_opened"
    system: Text
    """The system prompt."""
    first_message: tuple[Text, ...]
    """The pieces of the first message."""
    exchange: tuple[SaidMessage, ...] = ()
    """The messages between the system prompt and the first message.
    They show the initial calls as tool calls of the model, with their results.
    Empty for a solver with scripts."""
    calls: Annotated[tuple[CallRecord, ...], IN_OWN_LINES] = ()
    """The initial calls, which are those of step 0. The files that they show count as read."""
    rules: Text = ""
    """The workspace's rules as the gates see them."""
    files: Annotated[tuple[RankedFile, ...], Field(max_length=40)] = ()
    """The files that were chosen for the first message because
    they fit, best first, then the best of those left out."""
    shortened_for: int = 0
    """The size of the model's context in tokens, if it
    left no room for some of the fitting files; else 0."""


class ScriptMeasured(StepEvent):
    """A step's script has ended, and its process,
    which the scripts of the trial share, was measured."""

    in_step_record = True

    type: Literal["script_measured"] = "script_measured"
    peak_memory_bytes: Annotated[Count, VARIES_BY_RUN]
    """The most memory that the process had taken by the end of the step."""


class CitationAnswered(NumberedEvent):
    """A citation was allowed or refused."""

    in_step_record = True
    compared_by_replay = ("citation",)

    type: Literal["citation"] = "citation"
    citation: Citation
    """The request and its answer."""


class SubmissionJudged(NumberedEvent):
    """The gates gave their verdicts on a submission."""

    in_step_record = True
    in_totals = True
    compared_by_replay = ("judged",)

    type: Literal["submission_judged"] = "submission_judged"
    judged: Judged
    """The submission with its verdicts."""


class AnswerSent(StepEvent):
    """An answer is about to be sent to the environment."""

    in_totals = True
    compared_by_replay = ("message", "outcome", "refs", "fallback", "failed")

    type: Literal["answer_sent"] = "answer_sent"
    message: Text
    """The answer."""
    outcome: str
    """The outcome class."""
    refs: tuple[Text, ...]
    """The citations."""
    fallback: bool = False
    """True if it ends a trial that found no answer; it bypasses the gates."""
    failed: tuple[str, ...] = ()
    """If the fallback repeats a submission that was
    rejected: the gates and rules that rejected it."""
    late: bool = False
    """True if it is sent after the script that submitted it has ended."""
    ended_by_environment: bool = False
    """True if the environment ended the trial by itself,
    as the result of the last call says. The answer is then empty."""

    @property
    def is_part_of_step(self) -> bool:
        return not self.late


class AnswerDone(StepEvent):
    """The environment took the answer, or `error` says why it did not."""

    type: Literal["answer_done"] = "answer_done"
    error: CallFailure | None = None
    """The reason why it was not taken; null if it was."""
    late: bool = False
    """True if it was sent after the script that submitted it had ended."""

    @property
    def is_part_of_step(self) -> bool:
        return not self.late

    @property
    def is_taken(self) -> bool:
        """True if the environment has the answer, even from an earlier attempt."""
        return self.error is None or self.error.code == error_codes.ALREADY_EXISTS


class StepDone(StepEvent):
    """One whole step: of a script, of a reply without one,
    or of a solver that works without scripts."""

    in_totals = True
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
    reply: Annotated[Text, IN_REPLY_LINE] = ""
    """The model's raw reply."""
    state: Text = ""
    """The model's own account of its progress."""
    plan: tuple[Text, ...] = ()
    """The next steps that the model intends."""
    done: bool = False
    """True if the model says that it is done. It is not taken at its word."""
    code: Text = ""
    """The script; empty if the reply had none, or if the solver works without scripts."""
    output: Text = ""
    """The script's output."""
    error: Text = ""
    """The reason why the script ended, or why the reply had none."""
    fault: str = ""
    """The reason why the reply held no action: `cut_off`, `filtered`, `empty`,
    `only_thoughts`, `no_object`, `garbled`, `wrong_shape` or `no_call`;
    empty if it held one."""
    ending: str = ""
    """The way in which the script ended; empty if none ran."""
    calls: Annotated[tuple[CallRecord, ...], IN_OWN_LINES] = ()
    """Every environment call with its result."""
    citations: Annotated[tuple[Citation, ...], IN_OWN_LINES] = ()
    """Every citation with its answer."""
    scratchpad: Data = Field(default_factory=dict)
    """The script's scratchpad after the step.
    `controlplane.sandbox.child.step.script_values` describes how values without
    a JSON type are written."""
    verdicts: Annotated[tuple[Judged, ...], IN_OWN_LINES] = ()
    """Every submission of the step, judged."""
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
    """True if the step does not count towards the limit of steps."""
    used_ms: Annotated[Amount, VARIES_BY_RUN] = 0.0
    """Wall-clock milliseconds that the trial has used up to the end of the step,
    over all attempts, without the time in which its model was down."""


class Noticed(TrialEvent):
    """A noteworthy occurrence in a trial other than a step:
    a retry, a pause, a sandbox that was restarted."""

    in_totals = True

    type: Literal["notice"] = "notice"
    text: Text
    """One line."""
    retry: bool = False
    """True if a request failed transiently and is repeated."""


class CallOutput(TrialEvent):
    """What a call prints while it still runs, such as a command in a container.

    It is for those who watch; the result of the call has the whole output.
    """

    in_totals = True

    type: Literal["call_output"] = "call_output"
    text: str
    """The end of what it has printed so far."""


AgentEvent: TypeAlias = TrialEvent
"""An event that the agent emits."""
Emit: TypeAlias = Callable[[AgentEvent], None]
Conversation: TypeAlias = list[Message]


def event_classes(base: type[Event] = Event) -> list[type[Event]]:
    """Return the class of every event that the imported modules declare, such as `TrialStarted`.

    Classes without a type of their own, such as `StepEvent`, are only bases of others.
    """
    classes: list[type[Event]] = []
    for kind in base.__subclasses__():
        if kind.model_fields["type"].default is not PydanticUndefined:
            classes.append(kind)
        classes += event_classes(kind)
    return classes


def varying_fields(base: type[Record] = Record) -> set[str]:
    """Return the names of the fields that vary from run
    to run: those that are marked `VARIES_BY_RUN`."""
    names: set[str] = set()
    for kind in base.__subclasses__():
        for name, field in kind.model_fields.items():
            if VARIES_BY_RUN in field.metadata:
                names.add(name)
        names |= varying_fields(kind)
    return names


def type_of(kind: type[Event]) -> str:
    """Return the name that an event has in the journal."""
    return str(kind.model_fields["type"].default)
